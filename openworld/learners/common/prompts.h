#pragma once

// Prompts of class names around learned context rows (Zhou et al., "Learning to Prompt for
// Vision-Language Models", IJCV 2022):
//
//   end      SOT [context] name . EOT
//   middle   SOT [first half] name [second half] . EOT
//   front    SOT name [context] . EOT
//
// With the name at the end all classes share the context's rows (text_forest.h), which is most of
// what there is to compute.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "openworld/learners/common/prompt_list.h"

namespace openworld {

enum class NamePosition { kEnd, kMiddle, kFront };

struct PromptShape {
  std::int64_t tokens = 16;  // rows of context
  NamePosition position = NamePosition::kEnd;
  bool class_specific = false;  // every class has rows of its own

  std::vector<std::int32_t> before = {};  // tokens between context and name
  std::string after = ".";                // text after the name

  // At the input of each of these blocks, increasing from 1 on, further rows of the matrix replace
  // the states of the context: after the `tokens` rows of the input, `tokens` rows for each of the
  // blocks (MaPLe, PromptSRC). REQUIRES: not class_specific.
  std::vector<std::int32_t> deep_blocks = {};

  // At the input of this block, `tokens` rows of each class replace the states of the context:
  // those of the first class after all others (TCP). 0: none.
  std::int32_t class_block = 0;
};

// The rows of a sentence without learned ones, from SOT to EOT. Throws Error naming the class if it
// does not fit the model's context, with `more` rows to come.
std::vector<PromptRow> sentence_rows(const TextModel& text_model, const std::string& sentence,
                                     const std::string& name, std::int64_t more = 0);

// The prompts of one list of names.
class ContextPrompts : public PromptList {
 public:
  // Throws Error naming the first class whose prompt does not fit the model's context.
  ContextPrompts(const TextModel& text_model, const std::vector<std::string>& names,
                 const PromptShape& shape);

  std::int64_t names() const { return prompts(); }
};

// Rows for a context from words: their token embeddings, [tokens of the words, d].
at::Tensor word_rows(const TextModel& text_model, const std::string& words);

// i.i.d. N(0, 0.02^2), from (seed, stream).
at::Tensor random_rows(const TextModel& text_model, std::int64_t rows, std::uint64_t seed,
                       std::uint64_t stream);

// Where a context starts: noise of `rows` rows, or, with words, their rows with that noise added,
// so that several contexts from the same words differ. Throws Error for words without tokens.
at::Tensor start_rows(const TextModel& text_model, const std::string& words, std::int64_t rows,
                      std::uint64_t seed, std::uint64_t stream);

}  // namespace openworld
