#include "openworld/learners/deep_text.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>

#include "openworld/learners/common/prompted_images.h"
#include "openworld/learners/text_classifier.h"

namespace openworld {
namespace {

using at::Tensor;

Tensor matrix_of(const Tensor& context, const Tensor& deep) {
  return deep.defined() ? at::cat({context, deep.flatten(0, 1)}) : context;
}

}  // namespace

WordContext first_words(const TuningTask& task, const PromptOptions& options) {
  const Tensor rows = first_context(task, options);
  if (rows.size(0) <= options.tokens) return {rows, {}};
  const std::vector<std::int32_t> ids =
      task.text_model.tokenizer->encode(init_words(task, options.init));
  return {rows.narrow(0, 0, options.tokens),
          {ids.begin() + static_cast<std::ptrdiff_t>(options.tokens), ids.end()}};
}

DeepText::DeepText(const TuningTask& task, std::int64_t tokens, std::int64_t depth,
                   std::vector<std::int32_t> rest)
    : text_model_(task.text_model),
      shape_(
          {.tokens = tokens, .before = std::move(rest), .deep_blocks = blocks_after_first(depth)}),
      pool_(task.text_model.threads),
      base_(task.text_model, task.base_names, shape_) {}

Tensor DeepText::base_features(const Tensor& context, const Tensor& deep) {
  return pool_.features(base_, matrix_of(context, deep));
}

Tensor DeepText::all_features(const NameTable& table, const Tensor& context, const Tensor& deep) {
  const at::NoGradGuard no_grad;
  ContextPrompts prompts(text_model_, table.names(), shape_);
  return pool_.features(prompts, matrix_of(context, deep));
}

}  // namespace openworld
