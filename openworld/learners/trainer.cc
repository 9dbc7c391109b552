#include "openworld/learners/trainer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/stack.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/vlm/index_tensor.h"
#include "openworld/vlm/inner_threads.h"

namespace openworld {
namespace {

using at::Tensor;

// Names of random streams, apart from those that learners start their prompts from.
enum TrainerStream : std::uint64_t { kOrder = 1'000'003, kView = 2'000'003 };

}  // namespace

Trainer::Trainer(Learner& learner, const Episode& episode, std::uint64_t seed)
    : learner_(learner), episode_(episode), seed_(seed), stages_(learner.stages()) {
  images_ = episode.labels.defined() ? episode.labels.size(0) : 0;
  if (images_ == 0 && !stages_.empty()) fail("tune", "there are no training images");
  if (episode.lengths.defined() &&
      episode.lengths.sizes() != episode.features.sizes().slice(0, episode.features.dim() - 1)) {
    fail("tune", "lengths of features have another shape than the features");
  }
  if (episode.pixels == nullptr) return;
  const auto pixels = static_cast<std::int64_t>(episode.pixels->dataset().samples.size());
  if (pixels != images_) {
    fail("tune", fmt::format("pixels of {} images, with {} labels; expected as many of both",
                             pixels, images_));
  }
}

std::int64_t Trainer::steps_per_epoch(const Stage& stage) const {
  const std::int64_t whole = images_ / stage.batch;
  const bool rest = images_ % stage.batch != 0;
  return whole + (rest && (whole == 0 || !stage.drop_last) ? 1 : 0);
}

std::int64_t Trainer::steps() const {
  std::int64_t sum = 0;
  for (const Stage& stage : stages_) sum += stage.epochs * steps_per_epoch(stage);
  return sum;
}

std::int64_t Trainer::epochs() const {
  std::int64_t sum = 0;
  for (const Stage& stage : stages_) sum += stage.epochs;
  return sum;
}

std::int64_t Trainer::epoch() const {
  std::int64_t sum = epoch_;
  for (std::size_t s = 0; s < stage_; ++s) sum += stages_[s].epochs;
  return sum;
}

void Trainer::start_epoch() {
  order_.resize(static_cast<std::size_t>(images_));
  std::iota(order_.begin(), order_.end(), 0u);
  Random random(mix64(seed_ ^ TrainerStream::kOrder), static_cast<std::uint64_t>(epoch()));
  shuffle(order_, random);
}

// The view of an image in this epoch; without one it is as the test transform has it.
std::optional<std::uint64_t> Trainer::view_of(std::int64_t row) const {
  if (episode_.features.defined() && episode_.features.dim() == 3) {
    Random random(mix64(seed_ ^ TrainerStream::kView) + static_cast<std::uint64_t>(epoch()),
                  static_cast<std::uint64_t>(row));
    return random.below(static_cast<std::uint64_t>(episode_.features.size(0)));
  }
  if (episode_.fresh_views) return static_cast<std::uint64_t>(epoch());
  return std::nullopt;
}

// Decodes from the next step to the end of the epoch.
void Trainer::start_pixels() {
  const Stage& stage = stages_[stage_];
  const std::int64_t end = std::min(steps_per_epoch(stage) * stage.batch, images_);
  std::vector<PixelItem> items;
  for (std::int64_t i = epoch_step_ * stage.batch; i < end; ++i) {
    const std::uint32_t row = order_[static_cast<std::size_t>(i)];
    items.push_back({row, view_of(row)});
  }
  pixels_ = episode_.pixels->stream(std::move(items), static_cast<std::size_t>(stage.batch));
  pixels_step_ = epoch_step_;
}

Batch Trainer::batch_of(const std::vector<std::int64_t>& rows) {
  Batch batch;
  batch.step = stage_step_;
  const Tensor chosen = index_tensor(rows, episode_.labels.device());
  batch.labels = episode_.labels.index_select(0, chosen);
  if (episode_.local.defined()) batch.local = episode_.local.index_select(0, chosen);
  if (episode_.pixels != nullptr) {
    if (!pixels_ || pixels_step_ != epoch_step_) start_pixels();
    ++pixels_step_;
    batch.pixels = pixels_->next().to(episode_.labels.device());
  }
  if (!episode_.features.defined()) return batch;
  if (episode_.features.dim() == 2) {
    batch.features = episode_.features.index_select(0, chosen);
    if (episode_.lengths.defined()) batch.lengths = episode_.lengths.index_select(0, chosen);
    return batch;
  }
  std::vector<Tensor> features, lengths;
  for (const std::int64_t row : rows) {
    const auto view = static_cast<std::int64_t>(*view_of(row));
    features.push_back(episode_.features.select(0, view).select(0, row));
    if (episode_.lengths.defined())
      lengths.push_back(episode_.lengths.select(0, view).select(0, row));
  }
  batch.features = at::stack(features);
  if (!lengths.empty()) batch.lengths = at::stack(lengths);
  return batch;
}

void Trainer::start_stage() {
  NamedTensors tuned;
  for (const std::string& name : stages_[stage_].parameters) {
    tuned[name] = learner_.parameters().at(name);
  }
  optimizer_ = std::make_unique<Optimizer>(tuned, stages_[stage_].optimizer);
  learner_.begin_stage(stage_, episode_);
}

TrainStep Trainer::run_step() {
  // One thread for what is done between the encoders: sums then do not depend on their number.
  const OpenMpThreads open_mp(1);
  const BlasThreads blas(1);
  if (!optimizer_) start_stage();
  if (order_.empty()) start_epoch();
  const Stage& stage = stages_[stage_];
  const std::int64_t begin = epoch_step_ * stage.batch;
  const std::int64_t end = std::min(begin + stage.batch, images_);
  TrainStep report = {.stage = stage_, .epoch = epoch_};
  report.loss = learner_.backward(stage_, batch_of({order_.begin() + begin, order_.begin() + end}));
  if (!std::isfinite(report.loss)) {
    fail("tune", fmt::format("the loss is {} after {} steps; expected a number: a lower "
                             "learning rate, such as lr={:g}, may keep it finite",
                             report.loss, step_, stage.lr / 10));
  }
  report.lr = scheduled_lr(stage.schedule, stage.lr, epoch_, stage.epochs, stage_step_);
  std::map<std::string, double> other_rates;
  for (const auto& [name, factor] : stage.lr_factors) {
    other_rates[name] =
        scheduled_lr(stage.schedule, factor * stage.lr, epoch_, stage.epochs, stage_step_);
  }
  optimizer_->step(report.lr, other_rates);
  ++step_;
  ++stage_step_;
  ++epoch_step_;
  loss_sum_ += report.loss;
  report.mean_loss = loss_sum_ / static_cast<double>(epoch_step_);
  report.ends_epoch = epoch_step_ == steps_per_epoch(stage);
  if (!report.ends_epoch) return report;
  {
    const at::NoGradGuard no_grad;
    learner_.end_epoch(stage_, epoch_);
  }
  epoch_step_ = 0;
  loss_sum_ = 0;
  order_.clear();
  pixels_.reset();
  if (++epoch_ == stage.epochs) {
    ++stage_;
    epoch_ = stage_step_ = 0;
    optimizer_.reset();
  }
  return report;
}

}  // namespace openworld
