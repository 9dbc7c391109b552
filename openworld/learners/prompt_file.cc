#include "openworld/learners/prompt_file.h"

#include <ATen/ops/isfinite.h>

#include "openworld/vlm/tensor_state.h"

namespace openworld {
namespace {

TensorGroups groups_of(const Learner& learner) {
  return {{"", &learner.parameters()}, {"constant.", &learner.constants()}};
}

}  // namespace

void save_prompts(const Learner& learner, const std::string& path) {
  write_tensor_state({groups_of(learner)}, {"tune", path});
}

void load_prompts(const Learner& learner, const std::string& path) {
  const Origin origin{"load_prompts", path};
  const TensorGroups groups = groups_of(learner);
  read_tensors(open_tensor_state(origin), origin, groups);
  for (const auto& [prefix, group] : groups) {
    for (const auto& [name, tensor] : *group) {
      if (!at::isfinite(tensor).all().item<bool>()) {
        origin.fail(prefix + name + " holds NaN or infinity; expected finite numbers");
      }
    }
  }
}

}  // namespace openworld
