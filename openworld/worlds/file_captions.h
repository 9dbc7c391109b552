#pragma once

// Code shared by the readers of captions, and their formats.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/origin.h"
#include "openworld/worlds/captions.h"

namespace openworld {

// Images with captions of their own, one or several each.
class FileCaptions : public CaptionSource {
 public:
  FileCaptions(std::string format, std::string path, Dataset images,
               std::vector<std::vector<std::string>> captions);

  std::size_t size() const override { return captions_.size(); }
  Bytes image(const PairName& name) const override { return read_sample(images_, name.index); }
  std::string caption(const PairName& name) const override;
  std::uint64_t concept_of(std::size_t index) const override { return concepts_[index]; }
  std::vector<std::string> words_of(std::size_t index) const override;
  std::string place(std::size_t index) const override { return sample_name(images_, index); }
  std::vector<std::string> corpus() const override;
  std::string description() const override;

 private:
  std::string format_, path_;
  Dataset images_;
  std::vector<std::vector<std::string>> captions_;
  std::vector<std::uint64_t> concepts_;
};

// Pairs with equal captions have equal numbers, from 0 in the order of appearance.
std::vector<std::uint64_t> caption_concepts(const std::vector<std::vector<std::string>>& captions);

// One of the captions of a pair.
const std::string& pick_caption(const std::vector<std::string>& captions, const PairName& name);

// The next line of a text, trimmed; the text is left without it.
std::string_view take_line(std::string_view* text);

// Throws Error unless the caption of `where` ("row 7") is UTF-8 of a sensible length.
void check_caption(std::string_view caption, std::string_view where, const Origin& origin);

// Throws Error if a file of `file_bytes` has so many captions or pairs that they take more memory
// than memory_limit.h allows: a line of two bytes takes 128 in the lists of texts.
void check_caption_count(std::size_t count, std::size_t file_bytes, const Origin& origin);

// Each opens origin.file, or returns nothing if it has another format. Throws Error if it has the
// format and is broken.
using OpenCaptions = std::unique_ptr<CaptionSource>(const Origin& origin,
                                                    const CaptionOptions& options);
OpenCaptions open_doodle_pairs;        // doodle_pairs.cc
OpenCaptions open_caption_shards;      // caption_shards.cc
OpenCaptions open_caption_table;       // caption_tables.cc: .csv and .tsv
OpenCaptions open_caption_lines;       // .jsonl
OpenCaptions open_array_pairs;         // array_captions.cc
OpenCaptions open_caption_metadata;    // a folder with one of these
OpenCaptions open_caption_text_files;  // caption_text_files.cc
OpenCaptions open_label_captions;      // label_captions.cc

}  // namespace openworld
