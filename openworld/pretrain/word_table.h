#pragma once

// The names and words that a corpus says often enough to learn a vector of each (Joulin et al.,
// ECCV 2016, learn visual features from the words of captions), and what an image is to find among
// them:
//
//   name_share for its name and the rest evenly for its words, of those that have a vector;
//   all of it for the name, or for the words, if the others have none.
//
// "cat" as a name and "cat" as a word are one entry. Texts are compared in lower case, underscores
// as spaces.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/base/text_map.h"
#include "openworld/pretrain/spec/pretrain_options.h"
#include "openworld/worlds/captions.h"

namespace openworld {

struct WordTarget {
  std::uint32_t word = 0;
  float share = 0;
};

class WordTable {
 public:
  // Of the images of all sources together that may be drawn. Throws Error if nothing is said often
  // enough.
  WordTable(std::span<const CaptionSource* const> sources, const WordOptions& options);

  // Sorted by their bytes.
  const std::vector<std::string>& words() const { return words_; }
  std::size_t size() const { return words_.size(); }

  // Images that have it as their name or among their words.
  std::uint64_t count(std::uint32_t word) const { return counts_[word]; }

  std::optional<std::uint32_t> find(std::string_view text) const;

  // Of the pair `index` of a source; the shares sum to 1, or there are none.
  std::vector<WordTarget> targets(const CaptionSource& source, std::size_t index) const;

 private:
  double name_share_;
  std::vector<std::string> words_;
  std::vector<std::uint64_t> counts_;
  TextMap<std::uint32_t> index_;
};

// As the table has it.
std::string table_word(std::string_view text);

}  // namespace openworld
