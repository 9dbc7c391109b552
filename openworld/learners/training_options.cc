#include "openworld/learners/training_options.h"

#include "openworld/base/error.h"

namespace openworld {
namespace {

Schedule schedule_of(const std::string& name) {
  if (name == "dassl") return Schedule::kDassl;
  if (name == "cosine") return Schedule::kCosine;
  if (name == "cosine_step") return Schedule::kCosineStep;
  return Schedule::kConstant;
}

}  // namespace

void TrainingOptions::declare(OptionList& list) {
  list.add("epochs", epochs, 1, 1 << 20, "passes over the training images");
  list.add("batch", batch, 1, 1 << 20, "images in one step");
  list.add("lr", lr, 0, 1e6, "learning rate at its highest");
  list.add(
      "schedule", schedule, {"dassl", "cosine", "cosine_step", "constant"},
      "of the learning rate: Dassl's cosine after an epoch at 1e-5, a plain cosine over epochs, "
      "one that is stepped at every iteration, or none");
  list.add("optimizer", optimizer, {"sgd", "adam"}, "of the prompts");
  list.add("momentum", momentum, 0, 1, "of sgd");
  list.add("weight_decay", weight_decay, 0, 1e6, "L2, added to the gradient");
  list.add("eps", epsilon, 0, 1, "of adam");
  list.add("drop_last", drop_last, "leave out the images that do not fill a batch");
}

Stage TrainingOptions::stage(std::string name, std::vector<std::string> parameters) const {
  return {.name = std::move(name),
          .parameters = std::move(parameters),
          .epochs = epochs,
          .batch = batch,
          .drop_last = drop_last,
          .lr = lr,
          .schedule = schedule_of(schedule),
          .optimizer = {.kind = optimizer == "adam" ? OptimizerKind::kAdam : OptimizerKind::kSgd,
                        .momentum = momentum,
                        .weight_decay = weight_decay,
                        .epsilon = epsilon}};
}

}  // namespace openworld
