#include "openworld/pretrain/pretrainer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "openworld/base/error.h"
#include "openworld/base/threads.h"
#include "openworld/pretrain/image_tower.h"
#include "openworld/vlm/device.h"
#include "openworld/vlm/index_tensor.h"
#include "openworld/vlm/inner_threads.h"

namespace openworld {
namespace {

using at::Tensor;

// CLIP's limit, which keeps the loss from becoming a step function; that of words is lower, since
// targets that are spread over several of them are never met exactly.
constexpr double kMaxLogitScale = 100, kMaxWordScale = 60;

// Images whose features are computed at once for an epoch.
constexpr std::int64_t kEncodeBatch = 256;

TrainedModel::Tensors trainable(const TrainedModel& model, const PretrainOptions& options) {
  TrainedModel::Tensors tensors = model.trained(options.locked, options.weights.words > 0);
  for (auto& [name, tensor] : tensors) tensor.requires_grad_();
  return tensors;
}

TrainedModel::Tensors copies(const TrainedModel::Tensors& tensors) {
  TrainedModel::Tensors result;
  for (const auto& [name, tensor] : tensors) result[name] = tensor.detach().clone();
  return result;
}

// Every tensor that the training changes.
TrainedModel::Tensors changed(const TrainedModel& model, const PretrainOptions& options) {
  TrainedModel::Tensors tensors = model.trained(options.locked, options.weights.words > 0);
  tensors.merge(model.running(options.locked));
  return tensors;
}

StageInputs checked(StageInputs inputs, const PretrainOptions& options) {
  const auto expect = [](bool holds, std::string_view what) {
    if (!holds) fail("pretrain", what);
  };
  expect(options.epochs >= 1, "epochs must be at least 1");
  expect(options.steps >= 0, "steps must not be negative");
  expect(options.batch >= 2,
         "a batch must have at least 2 pairs: the others are the wrong answers");
  expect(options.extra_captions >= 0, "extra captions must not be negative");
  expect(std::isfinite(options.lr) && options.lr > 0, "the learning rate must be above 0");
  expect(options.warmup >= 0, "warm-up must not be negative");
  expect(options.shards >= 1, "a batch must have at least 1 part");
  expect(options.weights.naming >= 0, "the weight of naming must not be negative");
  expect(options.average >= 0 && options.average < 1, "the average's decay must be in [0, 1)");
  assert(!inputs.sources.empty() && inputs.tokenizer != nullptr);
  return inputs;
}

// A text tower that no loss reads is not trained, so that it does not decay either.
PretrainOptions with_unread_locked(PretrainOptions options) {
  if (options.locked == Tower::kNeither && !options.weights.reads_texts()) {
    options.locked = Tower::kText;
  }
  return options;
}

}  // namespace

// The features of a step, and the losses that take them.
struct Pretrainer::Features {
  StepFeatures step;
  std::size_t images = 0;
};

Pretrainer::Pretrainer(TrainedModel model, StageInputs inputs, const PretrainOptions& options)
    : model_(std::move(model)),
      inputs_(checked(std::move(inputs), options)),
      options_(with_unread_locked(options)),
      optimizer_(trainable(model_, options_), options_.adamw, {"words.vectors"}),
      averaged_(changed(model_, options_)),
      pool_(options_.threads),
      parts_(model_, *inputs_.tokenizer, options_, pool_),
      runner_([this](std::size_t n, const auto& work) { parts_.run(n, work); }),
      terms_(make_terms({inputs_.sources, options_, model_, inputs_.words, runner_})),
      images_(inputs_.sources, model_.clip.config.preprocessing, options_, inputs_.words) {
  if (options_.average > 0) average_ = copies(averaged_);
  for (const auto& [name, tensor] : average_) averaged_names_.push_back(name);
  // Naming is harder than telling captions of a batch apart; views and guesses say nothing of
  // names.
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const std::string_view name = terms_[i]->name();
    if (name != "agreement" && name != "guesses") main_term_ = i;
  }
}

Pretrainer::~Pretrainer() = default;

std::int64_t Pretrainer::steps() const {
  return options_.steps > 0 ? options_.steps : steps_per_epoch() * options_.epochs;
}

std::vector<std::string> Pretrainer::term_names() const {
  std::vector<std::string> names;
  for (const auto& term : terms_) names.emplace_back(term->name());
  return names;
}

// Through the biases of the last norms; their outputs are read with an identity projection.
void Pretrainer::centre_features(const Tensor& pixels, const std::vector<std::string>& texts) {
  const at::NoGradGuard no_grad;
  const Clip& clip = model_.clip;
  if (options_.locked != Tower::kImage) {
    VisionTower seen = clip.vision;
    seen.config.embed = clip.config.vision.width;
    seen.weights.projection = at::eye(clip.config.vision.width, clip.logit_scale.options());
    const Tensor features = train_image_features(seen, model_.norms, pixels);
    clip.vision.weights.ln_post.bias.sub_(features.mean(0));
  }
  if (options_.locked != Tower::kText) {
    Clip seen = clip;
    seen.config.embed = clip.config.text.width;
    seen.text.config = seen.config;
    seen.text.weights.projection = at::eye(clip.config.text.width, clip.logit_scale.options());
    const Tensor features = encode_captions(seen, *inputs_.tokenizer, texts);
    clip.text.weights.ln_final.bias.sub_(features.mean(0));
  }
}

// The features of all images of an epoch, for a tower that does not change.
void Pretrainer::encode_epoch(std::int64_t epoch, StepReport& report) {
  const auto items = static_cast<std::int64_t>(images_.plan().items(epoch).size());
  cached_ = at::empty({items, model_.clip.config.embed}, at::kFloat);
  cached_known_.assign(static_cast<std::size_t>(items), false);
  images_.for_each_item(epoch, kEncodeBatch, [&](LoadedImages group) {
    report.failures.insert(report.failures.end(), group.failures.begin(), group.failures.end());
    if (group.images.empty()) return;
    const Tensor features =
        parts_.locked_features(group.pixels.to(model_.clip.device())).to(at::kCPU);
    for (std::size_t i = 0; i < group.images.size(); ++i) {
      const auto place = static_cast<std::int64_t>(group.images[i].place);
      cached_.select(0, place).copy_(features.select(0, static_cast<std::int64_t>(i)));
      cached_known_[static_cast<std::size_t>(place)] = true;
    }
  });
  cached_epoch_ = epoch;
}

// What the step shows, from files or from the epoch's features, and its texts.
Pretrainer::Features Pretrainer::next_features(StepReport& report,
                                               std::vector<LossTerm::Backward>& losses) {
  const std::int64_t epoch = step_ / steps_per_epoch(), at = step_ % steps_per_epoch();
  const bool reuses = options_.reuse > 1;
  if (reuses && cached_epoch_ != epoch) encode_epoch(epoch, report);
  ShownBatch batch{.images = {}, .epoch = static_cast<std::uint64_t>(epoch), .step = step_};
  std::vector<std::int64_t> places;
  LoadedImages loaded;
  if (reuses) {
    for (const PlannedImage& image : images_.planned(epoch, at)) {
      if (!cached_known_[image.place]) continue;
      batch.images.push_back(images_.shown(image));
      places.push_back(image.place);
    }
  } else {
    loaded = images_.step(epoch, at);
    report.failures = std::move(loaded.failures);
    for (const PlannedImage& image : loaded.images) batch.images.push_back(images_.shown(image));
  }
  Features features;
  features.images = batch.images.size();
  if (batch.images.empty()) return features;
  std::vector<std::string> texts;
  for (const auto& term : terms_) losses.push_back(term->plan(batch, texts));
  const at::Device device = model_.clip.device();
  const Tensor pixels = reuses ? Tensor() : loaded.pixels.to(device);
  if (step_ == 0 && options_.centre) centre_features(pixels, texts);
  features.step =
      reuses ? parts_.forward_texts(cached_.index_select(0, index_tensor(places)).to(device), texts)
             : parts_.forward(pixels, texts);
  return features;
}

StepReport Pretrainer::run_step() {
  assert(step_ < steps());
  const auto warmup = static_cast<std::int64_t>(
      std::llround(options_.warmup * static_cast<double>(steps_per_epoch())));
  StepReport report;
  report.lr = warmup_cosine(step_, steps(), warmup, options_.lr);
  std::vector<LossTerm::Backward> losses;
  const Features features = next_features(report, losses);
  report.images = features.images;
  report.terms.resize(terms_.size());
  if (features.images > 0) {
    {
      // Sums of many numbers would depend on how many threads share them.
      const BlasThreads blas(1);
      const OpenMpThreads open_mp(1);
      for (std::size_t i = 0; i < losses.size(); ++i) {
        if (!losses[i]) continue;
        report.terms[i] = losses[i](features.step);
      }
    }
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      report.loss += terms_[i]->weight() * report.terms[i].loss;
    }
    report.accuracy = report.terms[main_term_].accuracy;
    parts_.backward(features.step);
    report.gradient_norm =
        optimizer_.step(report.lr, [this](std::size_t n, const auto& work) { pool_.run(n, work); });
    if (!std::isfinite(report.loss) || !std::isfinite(report.gradient_norm)) {
      fail("pretrain",
           fmt::format("the loss is no longer finite at step {}; a smaller learning rate or "
                       "a longer warm-up may help",
                       step_ + 1));
    }
    const at::NoGradGuard no_grad;
    model_.clip.logit_scale.clamp_max_(std::log(kMaxLogitScale));
    if (model_.word_scale.defined()) model_.word_scale.clamp_max_(std::log(kMaxWordScale));
    update_average();
  }
  report.logit_scale = logit_scale(model_.clip);
  report.flops = parts_.take_flops();
  ++step_;
  epoch_has_images_ |= features.images > 0;
  if (!report.failures.empty()) last_failure_ = report.failures.back();
  if (step_ % steps_per_epoch() == 0) {
    if (!epoch_has_images_) {
      fail("pretrain",
           fmt::format("no image of an epoch could be read; the last one: {}", last_failure_));
    }
    epoch_has_images_ = false;
  }
  return report;
}

// Young means follow faster, so that the random init is soon forgotten.
void Pretrainer::update_average() {
  const auto done = static_cast<double>(step_ + 1);
  const double decay = std::min(options_.average, done / (done + 10));
  const auto keep = static_cast<float>(decay);
  pool_.run(averaged_names_.size(), [&](std::size_t i) {
    const Tensor& mean = average_.at(averaged_names_[i]);
    const Tensor& now = averaged_.at(averaged_names_[i]);
    if (!uses_kernels(mean.device())) {
      const at::NoGradGuard no_grad;
      mean.mul_(keep).add_(now.detach(), 1 - keep);
      return;
    }
    float* const to = mean.data_ptr<float>();
    const float* const from = now.data_ptr<float>();
    for (std::int64_t k = 0; k < mean.numel(); ++k) to[k] = keep * to[k] + (1 - keep) * from[k];
  });
}

TrainedModel Pretrainer::result() const {
  return model_.with(average_);
}

}  // namespace openworld
