#include "openworld/worlds/captions.h"

#include <array>

#include "openworld/base/text_map.h"
#include "openworld/worlds/file_captions.h"
#include "openworld/worlds/unnamed.h"

namespace openworld {
namespace {

struct CaptionRow {
  CaptionFormat format;
  OpenCaptions* open;
};

constexpr std::array<CaptionRow, 8> kCaptionRows = {{
    {{"doodles", "bundled drawings, captions by a grammar: doodles:NAME"}, open_doodle_pairs},
    {{"webdataset", "webdataset .tar shards of images with .txt captions, or .json with a caption"},
     open_caption_shards},
    {{"table",
      "a .csv or .tsv with columns path (or filepath, file_name) and caption (or title, "
      "text)"},
     open_caption_table},
    {{"json-lines", "a .jsonl of objects with file_name and text, or similar keys"},
     open_caption_lines},
    {{"arrays",
      "a folder with images.npz (images: uint8, N x H x W or N x H x W x 3) and pairs.jsonl (name, "
      "captions, words, weight)"},
     open_array_pairs},
    {{"metadata", "a folder with metadata.csv or metadata.jsonl, as Hugging Face's ImageFolder"},
     open_caption_metadata},
    {{"text-files", "a folder in which photo.txt holds captions of photo.jpg, one a line"},
     open_caption_text_files},
    {{"labels", "any labelled dataset, its class names put into templates"}, open_label_captions},
}};

bool is_letter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::unique_ptr<CaptionSource> open_named(const Origin& origin, const CaptionOptions& options) {
  for (const CaptionRow& row : kCaptionRows) {
    if (auto pairs = row.open(origin, options)) return pairs;
  }
  origin.fail("is nothing with captions");  // not reached: open_label_captions opens or throws
}

}  // namespace

std::vector<std::string> CaptionSource::words_of(std::size_t index) const {
  return words_in(caption({0, 0, index}));
}

std::span<const CaptionFormat> caption_formats() {
  static const auto formats = [] {
    std::array<CaptionFormat, kCaptionRows.size()> result{};
    for (std::size_t i = 0; i < kCaptionRows.size(); ++i) result[i] = kCaptionRows[i].format;
    return result;
  }();
  return formats;
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  TextSet seen;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty() && seen.insert(word).second) words.push_back(word);
    word.clear();
  };
  for (const char c : text) {
    if (!is_letter(c)) {
      end_word();
    } else {
      word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  end_word();
  return words;
}

std::unique_ptr<CaptionSource> open_captions(const std::string& path,
                                             const CaptionOptions& options) {
  const Origin origin{"open_captions", path};
  if (options.names) return open_named(origin, options);
  if (auto drawings = open_doodle_pairs(origin, options)) return drawings;
  CaptionOptions named = options;
  named.names = true;
  return unnamed(open_named(origin, named));
}

}  // namespace openworld
