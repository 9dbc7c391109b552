// The state of a Pretrainer: the step, the run it belongs to, and weights, moments and running
// means under the names of clip_tensors with a prefix.

#include <fmt/format.h>

#include "openworld/base/error.h"
#include "openworld/pretrain/pretrainer.h"
#include "openworld/vlm/tensor_state.h"

namespace openworld {
namespace {

TensorGroups groups_of(const Clip& clip, const AdamW& optimizer, const AdamW::Tensors& average) {
  return {{"model.", &clip.tensors},
          {"first.", &optimizer.first_moments()},
          {"second.", &optimizer.second_moments()},
          {"average.", &average}};
}

}  // namespace

void Pretrainer::save(const std::string& path, const std::string& run) const {
  write_tensor_state({.groups = groups_of(clip_, optimizer_, average_),
                      .numbers = {step_, optimizer_.steps()},
                      .text = run},
                     {"pretrain", path});
}

void Pretrainer::load(const std::string& path) {
  const Origin origin{"pretrain", path};
  const Safetensors file = open_tensor_state(origin);
  const std::vector<std::int64_t> numbers = read_numbers(file, origin);
  if (numbers.size() != 2) {
    origin.fail(
        fmt::format("has {} numbers; expected the step and that of the optimiser", numbers.size()));
  }
  if (numbers[0] < 0 || numbers[0] > steps() || numbers[1] < 0 || numbers[1] > numbers[0]) {
    origin.fail(fmt::format("has done {} steps; expected 0 to {}", numbers[0], steps()));
  }
  read_tensors(file, origin, groups_of(clip_, optimizer_, average_));
  step_ = numbers[0];
  optimizer_.set_steps(numbers[1]);
  loader_.reset();
}

std::string saved_run(const std::string& path) {
  const Origin origin{"pretrain", path};
  return read_text(open_tensor_state(origin), origin);
}

}  // namespace openworld
