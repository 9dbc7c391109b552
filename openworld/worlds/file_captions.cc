#include "openworld/worlds/file_captions.h"

#include <fmt/format.h>

#include "openworld/base/random.h"
#include "openworld/base/text_map.h"
#include "openworld/base/trimmed.h"
#include "openworld/io/memory_limit.h"
#include "openworld/io/utf8.h"

namespace openworld {
namespace {

// Longer texts are not captions, and a tokenizer would truncate them anyway.
constexpr std::size_t kLongestCaption = std::size_t{1} << 16;

}  // namespace

FileCaptions::FileCaptions(std::string format, std::string path, Dataset images,
                           std::vector<std::vector<std::string>> captions)
    : format_(std::move(format)),
      path_(std::move(path)),
      images_(std::move(images)),
      captions_(std::move(captions)),
      concepts_(caption_concepts(captions_)) {}

std::string FileCaptions::caption(const PairName& name) const {
  return pick_caption(captions_[name.index], name);
}

std::vector<std::string> FileCaptions::words_of(std::size_t index) const {
  std::string all;
  for (const std::string& caption : captions_[index]) all += caption + '\n';
  return words_in(all);
}

std::vector<std::string> FileCaptions::corpus() const {
  std::vector<std::string> texts;
  for (const auto& of_image : captions_)
    texts.insert(texts.end(), of_image.begin(), of_image.end());
  return texts;
}

std::string FileCaptions::description() const {
  return fmt::format("{}: {} images with captions ({})", path_, captions_.size(), format_);
}

std::vector<std::uint64_t> caption_concepts(const std::vector<std::vector<std::string>>& captions) {
  TextMap<std::uint64_t> numbers;
  std::vector<std::uint64_t> concepts;
  for (const auto& of_image : captions) {
    std::string all;
    for (const std::string& caption : of_image) all += caption + '\n';
    concepts.push_back(numbers.try_emplace(all, numbers.size()).first->second);
  }
  return concepts;
}

const std::string& pick_caption(const std::vector<std::string>& captions, const PairName& name) {
  if (captions.size() == 1) return captions[0];
  Random random(mix64(mix64(name.seed) ^ name.epoch), name.index);
  return captions[static_cast<std::size_t>(random.below(captions.size()))];
}

std::string_view take_line(std::string_view* text) {
  const std::size_t end = std::min(text->find('\n'), text->size());
  const std::string_view line = trimmed(text->substr(0, end));
  text->remove_prefix(std::min(end + 1, text->size()));
  return line;
}

void check_caption(std::string_view caption, std::string_view where, const Origin& origin) {
  if (caption.empty()) origin.fail(fmt::format("{} has an empty caption", where));
  if (caption.size() > kLongestCaption) {
    origin.fail(fmt::format("the caption of {} has {} bytes; expected at most {}", where,
                            caption.size(), kLongestCaption));
  }
  if (!decode_utf8(caption)) {
    origin.fail(fmt::format("the caption of {} is not UTF-8: {}", where, in_quotes(caption)));
  }
}

void check_caption_count(std::size_t count, std::size_t file_bytes, const Origin& origin) {
  constexpr std::size_t kCaptionBytes = 128;
  request_memory(kCaptionBytes * count, file_bytes, "a list of captions", origin);
}

}  // namespace openworld
