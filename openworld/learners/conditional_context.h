#pragma once

// The context of CoCoOp: rows that are learned, plus a shift that a small net makes from the
// feature of the image. DePT takes it too.

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "openworld/learners/learner.h"

namespace openworld {

// First values of the net, "meta_net.linear1.weight" and so on. hidden = 0: a sixteenth of the
// features' width.
NamedTensors conditional_values(const TuningTask& task, std::int64_t hidden);

// context [tokens, d] + net(features [n, embed]) for every token: [n, tokens, d].
at::Tensor conditional_contexts(const NamedTensors& parameters, const at::Tensor& features);

// Cosines [n, names] of images [n, embed] and their own texts [n, names, embed], all normalised.
at::Tensor own_cosines(const at::Tensor& features, const at::Tensor& texts);

// Cosines [n, names] of every image by itself with the names in its own context, without gradients,
// in bounded memory.
at::Tensor cosines_of_each(PromptPool& pool, PromptList& names, const NamedTensors& parameters,
                           const at::Tensor& features);

}  // namespace openworld
