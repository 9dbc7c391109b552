#include "openworld/learners/detectors.h"

#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "openworld/learners/common/largest_probability.h"
#include "openworld/vlm/index_tensor.h"

namespace openworld {

using at::Tensor;

std::string numbered(const std::string& name, std::size_t number) {
  return name + '.' + std::to_string(number);
}

Detectors::Detectors(const TuningTask& task, std::int64_t count)
    : partitions_(class_partitions(static_cast<std::int64_t>(task.base_names.size()), count)) {
  for (const Partition& partition : partitions_) {
    columns_.push_back(index_tensor(partition.columns, task.text_model.clip->device()));
  }
}

void Detectors::make_prompts(const TuningTask& task, std::int64_t tokens) {
  for (const Partition& partition : partitions_) {
    std::vector<std::string> names;
    for (const std::int64_t c : partition.columns) {
      names.push_back(task.base_names[static_cast<std::size_t>(c)]);
    }
    prompts_.push_back(
        std::make_unique<ContextPrompts>(task.text_model, names, PromptShape{.tokens = tokens}));
  }
}

Detectors::Sides Detectors::sides(std::size_t k, const Tensor& labels) const {
  std::vector<std::int64_t> base, columns, new_side;
  const Tensor host = labels.to(at::kCPU).contiguous();
  const std::int64_t* const label = host.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < host.numel(); ++i) {
    const std::int64_t column = partitions_[k].column_of[static_cast<std::size_t>(label[i])];
    (column < 0 ? new_side : base).push_back(i);
    if (column >= 0) columns.push_back(column);
  }
  const at::Device device = labels.device();
  return {index_tensor(base, device), index_tensor(columns, device),
          index_tensor(new_side, device)};
}

Tensor Detectors::scores(const Clip& clip, const Tensor& images,
                         const std::vector<Tensor>& texts) const {
  std::vector<Tensor> scores;
  for (std::size_t k = 0; k < size(); ++k) {
    const Tensor p = at::softmax(scaled_logits(clip, images, texts[k]), 1);
    scores.push_back(p.index_select(1, columns_[k]).amax(1));
  }
  return at::stack(scores, 1);
}

Tensor Detectors::scores(const std::vector<Tensor>& logits, const NameColumns& view,
                         const std::vector<std::int64_t>& classes) const {
  std::vector<std::int64_t> compared = view.detected;
  compared.insert(compared.end(), view.new_names.begin(), view.new_names.end());
  std::vector<Tensor> scores;
  for (std::size_t k = 0; k < size(); ++k) {
    // Those that it knows first.
    const auto is_known = [&](std::int64_t column) {
      const std::int64_t c = classes[static_cast<std::size_t>(column)];
      return std::ranges::find(partitions_[k].columns, c) != partitions_[k].columns.end();
    };
    std::vector<std::int64_t> ordered = compared;
    const auto detected = ordered.begin() + static_cast<std::ptrdiff_t>(view.detected.size());
    const auto known = std::stable_partition(ordered.begin(), detected, is_known) - ordered.begin();
    scores.push_back(known == 0 ? at::zeros({logits[k].size(0)}, logits[k].options())
                                : largest_probability(columns_of(logits[k], ordered), known));
  }
  return at::stack(scores, 1);
}

}  // namespace openworld
