#pragma once

// Names after a context whose states further rows replace at later blocks of the text tower: what
// MaPLe and PromptSRC share.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "openworld/learners/name_table.h"
#include "openworld/learners/training_options.h"

namespace openworld {

// The first rows of a context of at most `tokens` rows from the words of `init`, and the tokens of
// the words beyond them, which stay as they are.
struct WordContext {
  at::Tensor rows;                 // [tokens, d]
  std::vector<std::int32_t> rest;  // token ids
};
WordContext first_words(const TuningTask& task, const PromptOptions& options);

class DeepText {
 public:
  // Throws Error for a name that does not fit.
  DeepText(const TuningTask& task, std::int64_t tokens, std::int64_t depth,
           std::vector<std::int32_t> rest = {});

  // Normalised features of the base names with `context` [tokens, d] and `deep` [depth - 1, tokens,
  // d], which is undefined if depth is 1.
  at::Tensor base_features(const at::Tensor& context, const at::Tensor& deep);

  // The same of all names of a table, without gradients.
  at::Tensor all_features(const NameTable& table, const at::Tensor& context,
                          const at::Tensor& deep);

 private:
  TextModel text_model_;
  PromptShape shape_;
  PromptPool pool_;
  ContextPrompts base_;
};

}  // namespace openworld
