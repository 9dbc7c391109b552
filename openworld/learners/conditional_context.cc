#include "openworld/learners/conditional_context.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>

#include <algorithm>

#include "openworld/learners/common/meta_net.h"

namespace openworld {

using at::Tensor;

NamedTensors conditional_values(const TuningTask& task, std::int64_t hidden) {
  constexpr std::int64_t kReduction = 16;
  constexpr std::uint64_t kStream = 10;
  const ClipConfig& config = task.text_model.clip->config;
  if (hidden == 0) hidden = std::max<std::int64_t>(1, config.embed / kReduction);
  NamedTensors values;
  for (const auto& [name, value] :
       meta_net_values(config.embed, hidden, config.text.width, task.seed, kStream)) {
    values["meta_net." + name] = value.to(task.text_model.clip->device());
  }
  return values;
}

Tensor conditional_contexts(const NamedTensors& parameters, const Tensor& features) {
  const Tensor shift = meta_net(parameters, features, MetaActivation::kRelu);
  return parameters.at("context").unsqueeze(0) + shift.unsqueeze(1);
}

Tensor own_cosines(const Tensor& features, const Tensor& texts) {
  return at::matmul(texts, features.unsqueeze(2)).squeeze(2);
}

Tensor cosines_of_each(PromptPool& pool, PromptList& names, const NamedTensors& parameters,
                       const Tensor& features) {
  constexpr std::int64_t kFloats = 1 << 24;  // of text features at once
  const std::int64_t at_once = std::max<std::int64_t>(
      1, kFloats / std::max<std::int64_t>(1, names.features() * features.size(1)));
  std::vector<Tensor> parts;
  for (std::int64_t begin = 0; begin < features.size(0); begin += at_once) {
    const Tensor some = features.narrow(0, begin, std::min(at_once, features.size(0) - begin));
    std::vector<Tensor> contexts;
    for (std::int64_t i = 0; i < some.size(0); ++i) {
      contexts.push_back(conditional_contexts(parameters, some.narrow(0, i, 1)));
    }
    const Tensor texts = pool.features_of_each(names, at::cat(contexts));
    for (std::int64_t i = 0; i < some.size(0); ++i) {
      parts.push_back(own_cosines(some.narrow(0, i, 1), texts.narrow(0, i, 1)));
    }
  }
  return at::cat(parts);
}

}  // namespace openworld
