#include "openworld/worlds/captions.h"

#include <array>

#include "openworld/worlds/file_captions.h"

namespace openworld {
namespace {

struct Row {
  CaptionFormat format;
  OpenCaptions* open;
};

constexpr std::array<Row, 7> kRows = {{
    {{"doodles", "bundled drawings, captions by a grammar: doodles:NAME"}, open_doodle_pairs},
    {{"webdataset", "webdataset .tar shards of images with .txt captions, or .json with a caption"},
     open_caption_shards},
    {{"table",
      "a .csv or .tsv with columns path (or filepath, file_name) and caption (or title, "
      "text)"},
     open_caption_table},
    {{"json-lines", "a .jsonl of objects with file_name and text, or similar keys"},
     open_caption_lines},
    {{"metadata", "a folder with metadata.csv or metadata.jsonl, as Hugging Face's ImageFolder"},
     open_caption_metadata},
    {{"text-files", "a folder in which photo.txt holds captions of photo.jpg, one a line"},
     open_caption_text_files},
    {{"labels", "any labelled dataset, its class names put into templates"}, open_label_captions},
}};

}  // namespace

std::span<const CaptionFormat> caption_formats() {
  static const auto formats = [] {
    std::array<CaptionFormat, kRows.size()> result{};
    for (std::size_t i = 0; i < kRows.size(); ++i) result[i] = kRows[i].format;
    return result;
  }();
  return formats;
}

std::unique_ptr<CaptionSource> open_captions(const std::string& path,
                                             const CaptionOptions& options) {
  const Origin origin{"open_captions", path};
  for (const Row& row : kRows) {
    if (auto pairs = row.open(origin, options)) return pairs;
  }
  origin.fail("is nothing with captions");  // not reached: open_label_captions opens or throws
}

}  // namespace openworld
