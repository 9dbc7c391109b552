// The state of a Pretrainer: stage, step, the run it belongs to, and weights, moments and running
// means under the names of TrainedModel::tensors with a prefix.

#include <fmt/format.h>

#include "openworld/base/error.h"
#include "openworld/pretrain/pretrainer.h"
#include "openworld/vlm/tensor_state.h"

namespace openworld {
namespace {

TensorGroups groups_of(const TrainedModel::Tensors& model, const AdamW& optimizer,
                       const AdamW::Tensors& average) {
  return {{"model.", &model},
          {"first.", &optimizer.first_moments()},
          {"second.", &optimizer.second_moments()},
          {"average.", &average}};
}

struct Numbers {
  std::int64_t step = 0, optimizer_step = 0, stage = 0;
};

// Runs of earlier versions had one stage, and no number of it.
Numbers read_state_numbers(const Safetensors& file, const Origin& origin) {
  const std::vector<std::int64_t> numbers = read_numbers(file, origin);
  if (numbers.size() != 2 && numbers.size() != 3) {
    origin.fail(fmt::format(
        "has {} numbers; expected the step, that of the optimiser and the stage", numbers.size()));
  }
  return {numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 0};
}

}  // namespace

void Pretrainer::save(const std::string& path, std::int64_t stage, const std::string& run) const {
  const TrainedModel::Tensors model = model_.tensors();
  write_tensor_state({.groups = groups_of(model, optimizer_, average_),
                      .numbers = {step_, optimizer_.steps(), stage},
                      .text = run},
                     {"pretrain", path});
}

void Pretrainer::load(const std::string& path) {
  const Origin origin{"pretrain", path};
  const Safetensors file = open_tensor_state(origin);
  const Numbers numbers = read_state_numbers(file, origin);
  if (numbers.step < 0 || numbers.step > steps() || numbers.optimizer_step < 0 ||
      numbers.optimizer_step > numbers.step) {
    origin.fail(fmt::format("has done {} steps; expected 0 to {}", numbers.step, steps()));
  }
  const TrainedModel::Tensors model = model_.tensors();
  read_tensors(file, origin, groups_of(model, optimizer_, average_));
  step_ = numbers.step;
  optimizer_.set_steps(numbers.optimizer_step);
  images_.forget();
  cached_epoch_ = -1;
  epoch_has_images_ = step_ % steps_per_epoch() != 0;
  parts_.weights_changed();
}

SavedRun saved_run(const std::string& path) {
  const Origin origin{"pretrain", path};
  const Safetensors file = open_tensor_state(origin);
  const std::int64_t stage = read_state_numbers(file, origin).stage;
  if (stage < 0) origin.fail(fmt::format("is of stage {}; expected 0 or more", stage));
  return {read_text(file, origin), stage};
}

}  // namespace openworld
