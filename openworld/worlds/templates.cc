#include "openworld/worlds/templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/origin.h"
#include "openworld/io/utf8.h"

namespace openworld {
namespace {

constexpr std::string_view kPlace = "{}";
constexpr std::string_view kPhoto = "a photo of a {}.";

struct DatasetRow {
  std::string_view dataset;
  std::array<std::string_view, 4> by_style;  // in the order of TemplateStyle; empty: as CoOp's
};

// As the repositories of CoOp, KgCoOp, TCP and ProGrad have them.
constexpr DatasetRow kTemplateDatasets[] = {
    {"ImageNet", {kPhoto}},
    {"ImageNetV2", {kPhoto}},
    {"ImageNetSketch", {kPhoto}},
    {"ImageNetA", {kPhoto}},
    {"ImageNetR", {kPhoto}},
    {"Caltech101", {kPhoto}},
    {"OxfordPets", {"a photo of a {}, a type of pet.", "", "", "a type of pet, a photo of a {}."}},
    {"StanfordCars", {kPhoto}},
    {"OxfordFlowers",
     {"a photo of a {}, a type of flower.", "", "", "a type of flower, a photo of a {}."}},
    {"Food101",
     {"a photo of {}, a type of food.", "", "a photo of a {}, a type of food.",
      "a type of food, a photo of {}."}},
    {"FGVCAircraft",
     {"a photo of a {}, a type of aircraft.", "", "a photo of an aircraft {}.",
      "a type of aircraft, a photo of a {}."}},
    {"SUN397", {kPhoto}},
    {"DescribableTextures",
     {"{} texture.", "a photo of a {}, a type of texture.", "a photo of a {}, a type of texture.",
      "a texture of {}."}},
    {"EuroSAT", {"a centered satellite photo of {}."}},
    {"UCF101", {"a photo of a person doing {}."}},
};

std::string comparable(std::string_view name) {
  std::string key;
  for (const char c : name) {
    if (c == '-' || c == '_') continue;
    key += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 0x20) : c;
  }
  return key;
}

// The 80 sentences of CLIP's ImageNet notebook, by how they are built.
std::vector<std::string> imagenet80() {
  std::vector<std::string> all;
  const auto add = [&](std::string_view pattern, std::initializer_list<std::string_view> words,
                       std::initializer_list<std::string_view> articles = {"a", "the"}) {
    for (const std::string_view word : words) {
      for (const std::string_view article : articles) {
        all.push_back(
            fmt::format(fmt::runtime(pattern), fmt::arg("w", word), fmt::arg("x", article)));
      }
    }
  };
  add("a {w} photo of {x} {{}}.",
      {"bad", "low resolution", "cropped", "bright", "dark", "close-up", "black and white",
       "pixelated", "jpeg corrupted", "blurry", "good"});
  add("a photo of {x} {w} {{}}.",
      {"hard to see", "clean", "dirty", "cool", "large", "nice", "weird", "small"});
  add("a photo of {x} {{}}.", {""}, {"a", "the", "many", "my", "one"});
  add("{w} of {x} {{}}.", {"a rendering", "a sculpture", "graffiti", "a tattoo", "a drawing",
                           "a painting", "a doodle", "a sketch", "a rendition", "art", "itap"});
  add("itap of {x} {{}}.", {""}, {"my"});
  add("{x} {w} {{}}.", {"embroidered", "plastic", "toy", "plushie", "cartoon", "origami"});
  add("{x} {{}} in a video game.", {""});
  return all;
}

// PromptSRC's text supervision leaves these 20 of the 80 out.
std::vector<std::string> promptsrc60() {
  constexpr std::string_view kLeftOut[] = {
      "a black and white photo of a {}.",
      "a dark photo of a {}.",
      "a drawing of the {}.",
      "a good photo of a {}.",
      "a jpeg corrupted photo of the {}.",
      "a photo of a cool {}.",
      "a photo of a small {}.",
      "a photo of the large {}.",
      "a photo of the nice {}.",
      "a photo of the small {}.",
      "a photo of the weird {}.",
      "a plushie {}.",
      "a tattoo of the {}.",
      "a toy {}.",
      "art of the {}.",
      "graffiti of the {}.",
      "itap of a {}.",
      "itap of my {}.",
      "the cartoon {}.",
      "the plushie {}.",
  };
  std::vector<std::string> kept = imagenet80();
  std::erase_if(kept, [&](const std::string& text) {
    return std::find(std::begin(kLeftOut), std::end(kLeftOut), text) != std::end(kLeftOut);
  });
  return kept;
}

std::vector<TemplateSet> make_sets() {
  std::vector<TemplateSet> sets = {
      {"photo", "one plain sentence", "Radford et al. 2021", {std::string(kPhoto)}},
      {"select7",
       "seven sentences that CLIP's authors picked for ImageNet",
       "openai/CLIP notebook; CoOp's ensemble, DeCoOp, GMoP",
       {"itap of a {}.", "a bad photo of the {}.", "a origami {}.", "a photo of the large {}.",
        "a {} in a video game.", "art of the {}.", "a photo of the small {}."}},
      {"imagenet80", "the 80 sentences of CLIP's ImageNet ensemble", "openai/CLIP notebook",
       imagenet80()},
      {"promptsrc60", "60 of the 80, PromptSRC's text supervision", "muzairkhattak/PromptSRC",
       promptsrc60()},
      {"doodles7",
       "seven sentences for drawings",
       "openworld",
       {"a doodle of a {}.", "a drawing of a {}.", "a sketch of a {}.", "a quick drawing of a {}.",
        "a picture of a {}.", "a {}.", "someone drew a {}."}},
  };
  for (const DatasetRow& row : kTemplateDatasets) {
    sets.push_back({std::string(row.dataset),
                    fmt::format("CoOp's sentence for {}", row.dataset),
                    "KaiyangZhou/CoOp",
                    {std::string(row.by_style[0])}});
  }
  return sets;
}

// The text with `to` for each `from`.
std::string with_each(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (;;) {
    const std::size_t at = text.find(from);
    result.append(text.substr(0, at));
    if (at == std::string_view::npos) return result;
    result.append(to);
    text.remove_prefix(at + from.size());
  }
}

// CLIP_benchmark writes {c}.
std::string with_place(std::string_view text) {
  return with_each(text, "{c}", kPlace);
}

}  // namespace

const std::vector<TemplateSet>& template_sets() {
  static const std::vector<TemplateSet> sets = make_sets();
  return sets;
}

const TemplateSet& find_template_set(std::string_view name) {
  std::vector<std::string> names;
  for (const TemplateSet& set : template_sets()) {
    if (comparable(set.name) == comparable(name)) return set;
    names.push_back(set.name);
  }
  fail("find_template_set",
       fmt::format("no template set {}; {}", in_quotes(name), known_names(name, names)));
}

std::optional<std::string> find_custom_template(std::string_view dataset, TemplateStyle style) {
  for (const DatasetRow& row : kTemplateDatasets) {
    if (comparable(row.dataset) != comparable(dataset)) continue;
    const std::string_view text = row.by_style[static_cast<std::size_t>(style)];
    return std::string(text.empty() ? row.by_style[0] : text);
  }
  return {};
}

std::string custom_template(std::string_view dataset, TemplateStyle style) {
  if (auto text = find_custom_template(dataset, style)) return *text;
  std::vector<std::string> names;
  for (const DatasetRow& row : kTemplateDatasets) names.emplace_back(row.dataset);
  fail("custom_template",
       fmt::format("no dataset {}; {}", in_quotes(dataset), known_names(dataset, names)));
}

std::vector<std::string> load_templates(const std::string& path) {
  const Origin origin{"load_templates", path};
  const Bytes bytes = map_file(origin);
  std::string_view text = without_byte_order_mark(as_text(bytes.values));
  if (!decode_utf8(text)) origin.fail("is not valid UTF-8");
  std::vector<std::string> templates;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    std::string row(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (row.ends_with('\r')) row.pop_back();
    if (row.empty()) continue;
    row = with_place(row);
    if (row.find(kPlace) == std::string::npos) {
      origin.fail(fmt::format("line {} is {}; expected {{}} where the class name goes", line,
                              in_quotes(row)));
    }
    templates.push_back(std::move(row));
  }
  if (templates.empty()) origin.fail("has no templates; expected one a line, with {} in it");
  return templates;
}

std::vector<std::string> resolve_templates(const std::string& text) {
  const std::string one = with_place(text);
  if (one.find(kPlace) != std::string::npos) return {one};
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) return load_templates(text);
  try {
    return find_template_set(text).templates;
  } catch (const Error& e) {
    fail("resolve_templates", fmt::format("{} is neither a template with {{}}, nor a file that is "
                                          "there, nor a set: {}",
                                          in_quotes(text), e.what()));
  }
}

std::string fill(std::string_view text, std::string_view name) {
  return with_each(text, kPlace, name);
}

void expect_few_texts(std::span<const std::string> names, std::span<const std::string> templates,
                      std::string_view function) {
  constexpr std::uint64_t kMostTexts = 2'000'000, kMostBytes = std::uint64_t{128} << 20;
  std::uint64_t bytes_of_names = 0, bytes = 0;
  for (const std::string& name : names) bytes_of_names += name.size();
  for (const std::string& text : templates) {
    std::uint64_t places = 0;
    for (std::size_t at = 0; (at = text.find(kPlace, at)) != std::string::npos; ++at) ++places;
    bytes += text.size() * names.size() + places * bytes_of_names;
  }
  const std::uint64_t texts = names.size() * templates.size();
  if (texts <= kMostTexts && bytes <= kMostBytes) return;
  fail(function, fmt::format("{} names in {} templates are {} texts of {} bytes; expected at most "
                             "{} texts and {} bytes",
                             names.size(), templates.size(), texts, bytes, kMostTexts, kMostBytes));
}

std::string spaced(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '_', ' ');
  return result;
}

}  // namespace openworld
