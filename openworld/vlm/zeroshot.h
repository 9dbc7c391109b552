#pragma once

// Zero-shot classifiers: a text feature per class name from one or many templates.

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "openworld/text/tokenizer.h"
#include "openworld/vlm/clip.h"
#include "openworld/vlm/text_encoder.h"

namespace openworld {

// How the templates of one class become one feature. Both average normalised
// features; kFeatures then normalises the average (CLIP, CoOp), kLogits does not, which equals
// averaging the logits (DeCoOp, GMoP) and gives a flatter softmax.
enum class Ensemble { kFeatures, kLogits };

struct ZeroshotOptions {
  Ensemble ensemble = Ensemble::kFeatures;
  TextMemory memory = {};
  std::function<void(std::size_t done, std::size_t total)> on_progress = {};  // prompts
};

// Features [names, embed] of every name in every template. Throws Error naming the first prompt
// that does not fit the context, and for no name or no template.
at::Tensor zeroshot_classifier(const Clip& clip, const Tokenizer& tokenizer,
                               const std::vector<std::string>& names,
                               const std::vector<std::string>& templates,
                               const ZeroshotOptions& options = {});

// Text features [texts, embed], not normalised.
at::Tensor encode_texts(const Clip& clip, const Tokenizer& tokenizer,
                        const std::vector<std::string>& texts, const ZeroshotOptions& options = {});

// The same of token ids, each sequence read where CLIP reads one: at the first of its largest id,
// which is the end of text in a text.
at::Tensor encode_token_ids(const Clip& clip,
                            const std::vector<std::vector<std::int32_t>>& sequences,
                            const ZeroshotOptions& options = {});

}  // namespace openworld
