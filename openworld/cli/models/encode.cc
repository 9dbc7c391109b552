// openworld encode, behind libtorch.

#include <ATen/core/Tensor.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/cli/models/run_model.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/run_record.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/text_array.h"
#include "openworld/io/utf8.h"
#include "openworld/vlm/zeroshot.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kFunction = "encode";

NpzEntry matrix_entry(const char* name, std::span<const float> values, std::size_t rows,
                      std::size_t columns) {
  return {name, {Dtype::Kind::kFloat, sizeof(float)}, {rows, columns}, std::as_bytes(values)};
}

Json encode_images_to(const EncodeFlags& flags, const LoadedModel& model) {
  const Dataset dataset = load_data(flags.data);
  const ImageFeatures features = encode_dataset(model, dataset, flags.model, flags.cache);
  std::vector<std::int32_t> labels;
  std::vector<std::string> paths;
  for (const std::size_t i : features.samples) {
    labels.push_back(dataset.samples[i].label);
    paths.push_back(replace_invalid_utf8(dataset.samples[i].path));
  }
  const Json meta = {{"model", model_json(model, flags.model)},
                     {"data", data_json(dataset, flags.data, features)},
                     {"normalized", false}};
  const std::size_t rows = features.samples.size();
  const Origin origin = {kFunction, flags.out};
  const std::string meta_text = dump_line(meta);
  const TextArray names(dataset.classes, "names", origin), path_array(paths, "paths", origin);
  const TextArray meta_array(std::span(&meta_text, 1), "meta", origin);
  std::vector<NpzEntry> entries = {
      matrix_entry("features", features.features, rows, features.width),
      {"labels",
       {Dtype::Kind::kInt, 4},
       {rows},
       std::as_bytes(std::span<const std::int32_t>(labels))},
      names.entry("names", {dataset.classes.size()}),
      path_array.entry("paths", {rows}),
      meta_array.entry("meta", {})};
  write_file_atomically(flags.out, make_npz(entries), kFunction);

  Json json = {{"schema", "openworld.features/1"}, {"out", flags.out}};
  json.update(meta);
  json["features"] = {rows, features.width};
  json["encoded"] = features.encoded;
  json["found"] = features.found;
  return json;
}

std::vector<std::string> read_lines(const std::string& path) {
  const Bytes bytes = map_file({kFunction, path});
  std::string_view text = without_byte_order_mark(as_text(bytes.values));
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (lines.empty()) Origin{kFunction, path}.fail("no texts, expected one a line");
  return lines;
}

// Names the line of a text that does not fit, before any is encoded.
void check_lengths(const std::vector<std::string>& texts, const Tokenizer& tokenizer,
                   const ClipConfig& config, const std::string& path) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    try {
      tokenizer.pack(texts[i], static_cast<std::size_t>(config.context));
    } catch (const Error& e) {
      Origin{kFunction, path}.fail(fmt::format("line {} {}", i + 1, e.message()));
    }
  }
}

Json encode_texts_to(const EncodeFlags& flags, const LoadedModel& model) {
  const Tokenizer tokenizer = load_tokenizer(model.checkpoint, flags.model.vocabulary);
  const std::vector<std::string> texts = read_lines(flags.texts);
  check_lengths(texts, tokenizer, model.clip.config, flags.texts);
  const at::Tensor features =
      encode_texts(model.clip, tokenizer, texts,
                   {.memory = {flags.memory}, .on_progress = progress_line("encoding texts")})
          .contiguous();
  const Json meta = {{"model", model_json(model, flags.model)}, {"normalized", false}};
  const auto width = static_cast<std::size_t>(features.size(1));
  const Origin origin = {kFunction, flags.out};
  const std::string meta_text = dump_line(meta);
  const TextArray text_array(texts, "texts", origin);
  const TextArray meta_array(std::span(&meta_text, 1), "meta", origin);
  const std::vector<NpzEntry> entries = {
      matrix_entry("features", {features.data_ptr<float>(), texts.size() * width}, texts.size(),
                   width),
      text_array.entry("texts", {texts.size()}), meta_array.entry("meta", {})};
  write_file_atomically(flags.out, make_npz(entries), kFunction);

  Json json = {{"schema", "openworld.features/1"}, {"out", flags.out}};
  json.update(meta);
  json["features"] = {texts.size(), width};
  return json;
}

}  // namespace

void run_encode(const EncodeFlags& flags) {
  const RunRecord record;
  check_out(flags.out, kFunction);
  const LoadedModel model = load_model(flags.model, kFunction);
  Json json = flags.texts.empty() ? encode_images_to(flags, model) : encode_texts_to(flags, model);
  if (flags.json) {
    json["run"] = Json::parse(record.json());
    return print_json(json);
  }
  fmt::print("wrote {}: {} of {}", flags.out, counted(json["features"][0], "feature"),
             counted(json["features"][1], "dimension"));
  if (flags.texts.empty()) {
    fmt::print(" ({} encoded, {} found in the cache, {} skipped)", json["encoded"].dump(),
               json["found"].dump(), json["data"]["skipped"].dump());
  }
  fmt::print("\n");
}

}  // namespace openworld
