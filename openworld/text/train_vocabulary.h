#pragma once

// Learns a byte-pair vocabulary of CLIP's kind from texts (Sennrich et al., 2016).
//
//   const Vocabulary vocabulary = train_vocabulary(captions, {.merges = 700});
//   save_vocabulary(vocabulary, folder);
//
// Texts are cleaned and cut into words as the tokenizer does. Every word starts as its bytes, the
// last one marked as the end of a word; then, repeatedly, the most frequent pair of neighbours
// becomes a token. Of pairs that occur equally often the one of older tokens is taken,
// so that the same texts, in any order, give the same vocabulary on every machine.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "openworld/text/vocabulary.h"

namespace openworld {

struct VocabularyOptions {
  std::size_t merges = 1000;    // at most; the vocabulary has 514 tokens more
  std::uint64_t min_count = 2;  // rarer pairs are not merged
};

// How often each word occurs. Throws Error for a text that is not UTF-8.
std::map<std::string, std::uint64_t> count_words(std::span<const std::string> texts);

// Only the first 256 bytes of a word count. O((words' bytes + merges) log) for any number of
// merges. Throws Error if there is no word.
Vocabulary train_vocabulary(const std::map<std::string, std::uint64_t>& words,
                            const VocabularyOptions& options = {});
Vocabulary train_vocabulary(std::span<const std::string> texts,
                            const VocabularyOptions& options = {});

}  // namespace openworld
