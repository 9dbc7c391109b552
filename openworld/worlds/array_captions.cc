// Small images of one size in an array, with what is said about them in lines of JSON:
//
//   images.npz    images: uint8, (N, H, W) in greys or (N, H, W, 3) in colours
//   pairs.jsonl   line i: {"name": "traffic light", "captions": ["a traffic light", ...],
//                          "words": ["traffic", "light", "signal"], "weight": 0.5}
//
// Every key may be absent or null: an image without captions has none, without words those of its
// name, without a weight 1.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "openworld/base/text_map.h"
#include "openworld/base/trimmed.h"
#include "openworld/io/json_fields.h"
#include "openworld/io/json_file.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/npz.h"
#include "openworld/io/png_writer.h"
#include "openworld/worlds/file_captions.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

constexpr auto kImages = "images.npz", kPairs = "pairs.jsonl";

// Larger images belong in files, where they are compressed.
constexpr std::size_t kLargestSide = 4096;

struct ImageArray {
  Bytes values;
  std::size_t count = 0;
  int height = 0, width = 0, channels = 1;

  explicit ImageArray(const Origin& origin) {
    const ZipArchive archive(map_file(origin), origin);
    const auto array = read_npz_array(archive, "images");
    if (!array) origin.fail("has no array images; expected images, uint8, (N, H, W[, 3])");
    const NpyHeader& header = array->header;
    const std::vector<std::size_t>& shape = header.shape;
    const bool colours = shape.size() == 4 && shape[3] == 3;
    const bool fits = (shape.size() == 3 || colours) && header.dtype.name() == "|u1" &&
                      !header.fortran_order && shape[1] >= 1 && shape[1] <= kLargestSide &&
                      shape[2] >= 1 && shape[2] <= kLargestSide;
    if (!fits) {
      origin.fail(
          fmt::format("images has dtype {} and shape {}{}; expected |u1 and (N, H, W) or "
                      "(N, H, W, 3), in C order, with sides of 1 to {}",
                      header.dtype.name(), shape_text(shape),
                      header.fortran_order ? " in Fortran order" : "", kLargestSide));
    }
    values = array->data;
    count = shape[0];
    height = static_cast<int>(shape[1]);
    width = static_cast<int>(shape[2]);
    channels = colours ? 3 : 1;
  }

  Image image(std::size_t index) const {
    Image image = make_image(width, height);
    const std::size_t size =
        static_cast<std::size_t>(height) * static_cast<std::size_t>(width * channels);
    const auto* from = reinterpret_cast<const std::uint8_t*>(values.values.data()) + index * size;
    if (channels == 3) {
      std::copy_n(from, size, image.rgb.data());
    } else {
      std::uint8_t* to = image.rgb.data();
      for (std::size_t i = 0; i < size; ++i, to += 3) std::fill_n(to, 3, from[i]);
    }
    return image;
  }
};

// What the lines say, by pair.
struct PairTexts {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> captions, words;
  std::vector<double> weights;
};

// The texts of a list, or none.
std::vector<std::string> read_texts(const JsonFields& fields, const char* key,
                                    const std::string& where, const Origin& origin) {
  std::vector<std::string> texts;
  if (!fields.has(key)) return texts;
  const nlohmann::json& list = fields[key];
  if (!list.is_array()) fields.fail(key, "a list of texts");
  for (const nlohmann::json& text : list) {
    if (!text.is_string()) fields.fail(key, "a list of texts");
    texts.emplace_back(trimmed(text.get_ref<const std::string&>()));
    check_caption(texts.back(), where, origin);
  }
  return texts;
}

double read_weight(const JsonFields& fields) {
  const double weight = fields.number("weight", 1);
  if (!std::isfinite(weight) || weight < 0) fields.fail("weight", "a number of 0 or more");
  return weight;
}

PairTexts read_pairs(const Origin& origin) {
  const Bytes bytes = map_file(origin);
  std::string_view text = as_text(bytes.values);
  PairTexts pairs;
  for (std::size_t line = 1; !text.empty(); ++line) {
    check_caption_count(line, bytes.size(), origin);
    const std::string where = fmt::format("line {}", line);
    const Origin at{origin.function, fmt::format("{}: {}", origin.file, where)};
    const nlohmann::json json = parse_json(take_line(&text), at);
    const JsonFields fields(json, "", at);
    for (const auto& [key, value] : json.items()) {
      const bool known = key == "name" || key == "captions" || key == "words" || key == "weight";
      if (!known) fields.fail(key, "no such key; the keys are name, captions, words and weight");
    }
    pairs.names.emplace_back(trimmed(fields.text("name", "")));
    if (!pairs.names.back().empty()) check_caption(pairs.names.back(), where, origin);
    pairs.captions.push_back(read_texts(fields, "captions", where, origin));
    pairs.words.push_back(fields.has("words") ? read_texts(fields, "words", where, origin)
                                              : words_in(pairs.names.back()));
    pairs.weights.push_back(read_weight(fields));
  }
  return pairs;
}

class ArrayPairs : public CaptionSource {
 public:
  ArrayPairs(std::string path, ImageArray images, PairTexts texts)
      : path_(std::move(path)), images_(std::move(images)), texts_(std::move(texts)) {
    // Those of a name mean the same; of others those with equal captions, if they have any.
    TextMap<std::uint64_t> numbers;
    for (std::size_t i = 0; i < images_.count; ++i) {
      std::string key = "name:" + texts_.names[i];
      if (texts_.names[i].empty()) {
        key = texts_.captions[i].empty() ? fmt::format("image:{}", i) : "captions:";
        for (const std::string& caption : texts_.captions[i]) key += caption + '\n';
      }
      concepts_.push_back(numbers.try_emplace(std::move(key), numbers.size()).first->second);
    }
  }

  std::size_t size() const override { return images_.count; }
  Bytes image(const PairName& name) const override {
    const Image image = images_.image(name.index);
    return make_bytes(make_png(image.width, image.height, image.rgb, PngCompression::kStored));
  }
  std::optional<Image> pixels(const PairName& name) const override {
    return images_.image(name.index);
  }
  std::string caption(const PairName& name) const override {
    const auto& captions = texts_.captions[name.index];
    return captions.empty() ? std::string() : pick_caption(captions, name);
  }
  bool has_caption(std::size_t index) const override { return !texts_.captions[index].empty(); }
  std::uint64_t concept_of(std::size_t index) const override { return concepts_[index]; }
  std::string name_of(std::size_t index) const override { return texts_.names[index]; }
  std::vector<std::string> words_of(std::size_t index) const override {
    return texts_.words[index];
  }
  double weight(std::size_t index) const override { return texts_.weights[index]; }
  std::string place(std::size_t index) const override {
    return fmt::format("{}[{}]", (fs::path(path_) / kImages).string(), index);
  }
  std::vector<std::string> corpus() const override {
    std::vector<std::string> all;
    for (const auto& captions : texts_.captions) {
      all.insert(all.end(), captions.begin(), captions.end());
    }
    return all;
  }
  std::string description() const override {
    const std::set<std::string_view> names(texts_.names.begin(), texts_.names.end());
    return fmt::format("{}: {} images of {} x {} with {} names (arrays)", path_, images_.count,
                       images_.width, images_.height, names.size() - names.count(""));
  }

 private:
  std::string path_;
  ImageArray images_;
  PairTexts texts_;
  std::vector<std::uint64_t> concepts_;
};

}  // namespace

std::unique_ptr<CaptionSource> open_array_pairs(const Origin& origin, const CaptionOptions&) {
  const Origin images{origin.function, (fs::path(origin.file) / kImages).string()};
  const Origin pairs{origin.function, (fs::path(origin.file) / kPairs).string()};
  std::error_code ignored;
  if (!fs::is_regular_file(images.file, ignored)) return nullptr;
  if (!fs::is_regular_file(pairs.file, ignored)) {
    pairs.fail(fmt::format("does not exist; expected a line for each image of {}", kImages));
  }
  ImageArray array(images);
  PairTexts texts = read_pairs(pairs);
  if (texts.names.size() != array.count) {
    pairs.fail(fmt::format("has {} lines; expected one for each of the {} images of {}",
                           texts.names.size(), array.count, kImages));
  }
  if (std::ranges::none_of(texts.weights, [](double weight) { return weight > 0; })) {
    pairs.fail("has no line with a weight above 0; expected images to show");
  }
  return std::make_unique<ArrayPairs>(origin.file, std::move(array), std::move(texts));
}

}  // namespace openworld
