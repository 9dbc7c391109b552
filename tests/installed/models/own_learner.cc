// A learner of one's own, trained and evaluated: CoOp with a confidence penalty (Pereyra et al.,
// "Regularizing Neural Networks by Penalizing Confident Output Distributions", ICLR workshop 2017),
// cross-entropy - weight H, where H is the mean entropy of the probabilities of base names.

#include "openworld/learners.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>

#include <cstdio>
#include <numeric>

#include "openworld/metrics.h"
#include "openworld/predictions.h"
#include "openworld/vlm.h"
#include "openworld/worlds.h"

namespace {

using namespace openworld;

class Calm : public ContextLearner {
 public:
  Calm(const TuningTask& task, const ContextOptions& options, double weight)
      : ContextLearner(task, options), weight_(weight) {}

 protected:
  at::Tensor loss_of(const Batch& batch, const at::Tensor&,
                     const at::Tensor& logits) const override {
    return cross_entropy(logits, batch.labels) - weight_ * entropy(logits).mean();
  }

 private:
  double weight_;
};

struct CalmOptions : ContextOptions {
  double weight = 0.1;

  void declare(OptionList& list) override {
    list.add("weight", weight, 0, 1e6, "weight of the entropy of base probabilities");
    ContextOptions::declare(list);
  }
  std::unique_ptr<Learner> make(const TuningTask& task) const override {
    return std::make_unique<Calm>(task, *this, weight);
  }
};

// Normalised features and labels of some samples.
struct Encoded {
  at::Tensor features;
  std::vector<std::int64_t> labels;
};

Encoded encode(const Clip& clip, Dataset dataset, const std::vector<std::size_t>& samples) {
  std::vector<Sample> chosen;
  for (const std::size_t i : samples) chosen.push_back(dataset.samples[i]);
  dataset.samples = std::move(chosen);
  ImageFeatures images = image_features(clip, dataset);
  if (!images.failures.empty()) throw images.failures[0].error;
  Encoded encoded = {normalized(at::from_blob(images.features.data(),
                                              {static_cast<std::int64_t>(images.samples.size()),
                                               static_cast<std::int64_t>(images.width)})),
                     {}};
  for (const Sample& sample : dataset.samples) encoded.labels.push_back(sample.label);
  return encoded;
}

std::span<const float> floats(const at::Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

int run(const std::string& model, const std::string& images,
        const std::vector<std::string>& assignments) {
  CalmOptions options;
  OptionList list;
  options.declare(list);
  for (const std::string& assignment : assignments) list.set(assignment, "own_learner");

  const ClipCheckpoint checkpoint = open_clip_checkpoint(model);
  const Clip clip = load_clip(checkpoint);
  const Tokenizer tokenizer = load_tokenizer(checkpoint);
  const TrainTest data = open_train_test({.path = images}, "own_learner");
  const Dataset& train = data.train;
  const std::size_t base = base_class_count(train.classes.size());
  std::vector<std::string> names;
  for (const std::string& name : train.classes) names.push_back(spaced(name));
  const std::vector<std::string> base_names(names.begin(), names.begin() + base);
  const std::vector<std::string> new_names(names.begin() + base, names.end());

  // 16 images of each base class, as CoOp's code draws them with seed 1.
  std::vector<std::size_t> shots = few_shot_samples(train, 16, 1, ShotRule::kCoop);
  std::erase_if(shots,
                [&](std::size_t i) { return train.samples[i].label >= static_cast<int>(base); });
  Encoded shown = encode(clip, train, shots);
  Episode episode;
  episode.features = shown.features;
  episode.labels = at::from_blob(shown.labels.data(),
                                 {static_cast<std::int64_t>(shown.labels.size())}, at::kLong);

  const TuningTask task = {.text_model = {&clip, &tokenizer}, .base_names = base_names, .seed = 1};
  const std::unique_ptr<Learner> learner = options.make(task);
  Trainer trainer(*learner, episode, task.seed);
  while (!trainer.done()) trainer.run_step();
  save_prompts(*learner, "calm.safetensors");

  std::vector<std::size_t> all(data.test.samples.size());
  std::iota(all.begin(), all.end(), 0);
  const Encoded tested = encode(clip, data.test, all);
  const std::vector<std::int32_t> labels(tested.labels.begin(), tested.labels.end());
  const at::NoGradGuard no_grad;
  const Scores scores = learner->scorer(new_names)({.features = tested.features});
  const at::Tensor base_logits = scores.base_logits.contiguous(), r = scores.r.contiguous();
  const at::Tensor new_logits = scores.new_logits.contiguous();
  LogitPredictions predictions = {.score = floats(r),
                                  .base_logits = floats(base_logits),
                                  .new_logits = floats(new_logits),
                                  .base_classes = base_names.size(),
                                  .new_classes = new_names.size(),
                                  .classes = names};
  set_sides(predictions, labels, static_cast<std::int32_t>(base));
  save_logit_predictions(predictions, "calm.npz", "own_learner");
  const auto requests = find_metrics("openworld_auc,base_acc,new_acc");
  const Predictions read = load_predictions("calm.npz");
  for (const MetricResult& metric : evaluate(read.outcomes(), requests).metrics) {
    std::printf("%s %.6f\n", metric.request.name.c_str(), metric.value.value);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) return std::fputs("usage: own_learner MODEL IMAGES [OPTION=VALUE]...\n", stderr), 2;
  return run(argv[1], argv[2], {argv + 3, argv + argc});
} catch (const openworld::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
