// The state of a Trainer: where it is, the prompts, constants and accumulated state, and what the
// optimiser remembers.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "openworld/learners/trainer.h"
#include "openworld/vlm/tensor_state.h"

namespace openworld {

void Trainer::save(const std::string& path, const std::string& run) const {
  const NamedTensors none;
  write_tensor_state(
      {.groups = {{"", &learner_.parameters()},
                  {"constant.", &learner_.constants()},
                  {"state.", &learner_.state()},
                  {"optimizer.", optimizer_ ? &optimizer_->memory() : &none}},
       .numbers = {static_cast<std::int64_t>(stage_), epoch_, epoch_step_, stage_step_, step_,
                   optimizer_ ? optimizer_->steps() : 0, std::bit_cast<std::int64_t>(loss_sum_)},
       .text = run},
      {"tune", path});
}

// Stage, epoch of it, step of the epoch, of the stage, of all; steps of the optimiser; sum of
// losses.
bool Trainer::is_place(const std::vector<std::int64_t>& place) const {
  if (place.size() != 7 || *std::min_element(place.begin(), place.end() - 1) < 0) return false;
  const auto stages = static_cast<std::int64_t>(stages_.size());
  if (place[0] > stages) return false;
  std::int64_t before = 0;
  for (std::int64_t s = 0; s < place[0]; ++s) {
    const Stage& stage = stages_[static_cast<std::size_t>(s)];
    before += stage.epochs * steps_per_epoch(stage);
  }
  if (place[0] == stages)
    return place[1] == 0 && place[2] == 0 && place[3] == 0 && place[4] == before;
  const Stage& stage = stages_[static_cast<std::size_t>(place[0])];
  return place[1] < stage.epochs && place[2] < steps_per_epoch(stage) &&
         place[3] == place[1] * steps_per_epoch(stage) + place[2] && place[4] == before + place[3];
}

void Trainer::load(const std::string& path) {
  const Origin origin{"tune", path};
  const Safetensors file = open_tensor_state(origin);
  const std::vector<std::int64_t> place = read_numbers(file, origin);
  if (!is_place(place)) origin.fail("is at a place that this training does not have");
  const TensorGroups learned = {{"", &learner_.parameters()},
                                {"constant.", &learner_.constants()},
                                {"state.", &learner_.state()}};
  read_tensors(file, origin, learned);
  stage_ = static_cast<std::size_t>(place[0]);
  epoch_ = place[1];
  epoch_step_ = place[2];
  stage_step_ = place[3];
  step_ = place[4];
  loss_sum_ = std::bit_cast<double>(place[6]);
  optimizer_.reset();
  order_.clear();
  pixels_.reset();
  if (stage_step_ == 0) return;
  start_stage();
  read_tensors(file, origin, {{"optimizer.", &optimizer_->memory()}});
  // A stage computes its constants when it begins; those of the file are the same, or were there.
  read_tensors(file, origin, learned);
  optimizer_->set_steps(place[5]);
}

std::string saved_tuning(const std::string& path) {
  const Origin origin{"tune", path};
  return read_text(open_tensor_state(origin), origin);
}

}  // namespace openworld
