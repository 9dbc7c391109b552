#include "openworld/learners/training_options.h"

#include "openworld/learners/text_classifier.h"

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

void PromptOptions::declare_prompt(OptionList& list) {
  list.add("tokens", tokens, 1, 1024, "rows of learned context, unless words give their number");
  list.add("init", init,
           "words that the context starts from; auto: those before the name in a plain sentence; "
           "empty: noise");
}

void PromptOptions::declare(OptionList& list) {
  declare_prompt(list);
  TrainingOptions::declare(list);
}

at::Tensor first_context(const TuningTask& task, const PromptOptions& options) {
  const std::string words = init_words(task, options.init);
  if (words.empty()) return random_rows(task.text_model, options.tokens, task.seed, 0);
  return word_rows(task.text_model, words);
}

}  // namespace openworld
