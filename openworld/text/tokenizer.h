#pragma once

// CLIP's tokenizer: text to token ids and back, the same ids as openai/CLIP's SimpleTokenizer.
//
// Text is cleaned (clean_text.h), cut into pieces (split_words.h), and each piece is merged by
// byte pairs (merge_table.h). Words seen before come from a cache. Padding is left to the caller:
// CLIP's text tower is causal, so that nothing after the end token matters.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/text/merge_table.h"
#include "openworld/text/split_words.h"
#include "openworld/text/vocabulary.h"
#include "openworld/text/word_cache.h"

namespace openworld {

class Tokenizer {
 public:
  explicit Tokenizer(Vocabulary vocabulary);

  const Vocabulary& vocabulary() const { return vocabulary_; }

  // The ids of a text, without start and end. The markers "<|startoftext|>" and "<|endoftext|>" in
  // the text, in any case, become their ids. Threads may share a tokenizer. Throws Error for text
  // that is not UTF-8.
  std::vector<std::int32_t> encode(std::string_view text) const;

  // Start, the ids, end; at most `context` of them, 2 or more. A longer text is an Error that says
  // how long it is; with `truncate` its first context - 1 ids, start among them, and the end are
  // kept.
  std::vector<std::int32_t> pack(std::string_view text, std::size_t context,
                                 bool truncate = false) const;

  // The text of ids: words with a space after each, bytes that are not UTF-8 as U+FFFD. Throws
  // Error for an id that the vocabulary does not have.
  std::string decode(std::span<const std::int32_t> ids) const;

 private:
  void append_word(std::string_view word, std::vector<std::int32_t>* ids) const;

  Vocabulary vocabulary_;
  MergeTable merges_;
  WordSplitter splitter_;
  std::vector<std::string> bytes_;  // by id: the text of a token, as decode writes it
  mutable WordCache cache_;
};

}  // namespace openworld
