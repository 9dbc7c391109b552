#include "openworld/osr/osr_trainer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "openworld/base/error.h"
#include "openworld/osr/streams.h"
#include "openworld/vlm/inner_threads.h"

namespace openworld {
namespace {

using at::Tensor;

void clear_gradients(const NamedTensors& parameters) {
  for (const auto& [name, tensor] : parameters) tensor.mutable_grad().reset();
}

OptimizerOptions gan_optimizer() {
  return {.kind = OptimizerKind::kAdam, .weight_decay = 0, .beta1 = 0.5};
}

}  // namespace

// Generator, discriminator and their optimisers.
struct OsrTrainer::Adversary {
  explicit Adversary(std::uint64_t seed, double rate)
      : generator(seed),
        discriminator(seed),
        of_generator(generator.parameters(), gan_optimizer()),
        of_discriminator(discriminator.parameters(), gan_optimizer()),
        lr(rate) {}

  Generator generator;
  Discriminator discriminator;
  Optimizer of_generator, of_discriminator;
  double lr;
};

OsrTrainer::OsrTrainer(const OsrModel& model, const OsrSamples& samples,
                       const OsrTrainerSettings& settings)
    : model_(model),
      samples_(samples),
      settings_(settings),
      threads_(settings.threads),
      parameters_(model.parameters()),
      optimizer_(std::make_unique<Optimizer>(parameters_, model.options().optimizer_options())) {
  if (samples_.size() < 2) {
    fail("osr", fmt::format("{} training samples; expected two or more", samples_.size()));
  }
  if (model_.options().generates()) {
    adversary_ = std::make_unique<Adversary>(settings_.seed, model_.options().generator_lr());
  }
}

OsrTrainer::~OsrTrainer() = default;

// A last batch of one sample has no statistics of its own and is left out.
std::int64_t OsrTrainer::steps_per_pass() const {
  const auto n = static_cast<std::int64_t>(samples_.size());
  const std::int64_t batch = model_.options().batch;
  return n / batch + (n % batch > 1 ? 1 : 0);
}

std::int64_t OsrTrainer::steps_per_epoch() const {
  return passes() * steps_per_pass();
}

void OsrTrainer::start_pass(std::int64_t pass, std::int64_t first_step) {
  const auto number = static_cast<std::uint64_t>(epoch_ * passes() + pass);
  std::vector<std::uint32_t> order(samples_.size());
  std::iota(order.begin(), order.end(), 0u);
  Random random = osr_random(OsrStream::kOrder, settings_.seed, number);
  shuffle(order, random);
  const auto batch = static_cast<std::size_t>(model_.options().batch);
  std::vector<std::vector<std::uint32_t>> batches;
  for (std::int64_t s = first_step; s < steps_per_pass(); ++s) {
    const std::size_t begin = static_cast<std::size_t>(s) * batch;
    const std::size_t end = std::min(begin + batch, order.size());
    batches.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(begin),
                         order.begin() + static_cast<std::ptrdiff_t>(end));
  }
  const std::uint64_t seed = mix64(settings_.seed ^ static_cast<std::uint64_t>(OsrStream::kPixels));
  stream_ = std::make_unique<BatchStream>(
      samples_, std::move(batches),
      [seed, number](std::uint32_t row) {
        return AugmentationName{.seed = seed, .epoch = number, .index = row};
      },
      settings_.prefetch_threads);
}

// Forward and backward of real samples.
double OsrTrainer::classifier_backward(const SampleBatch& batch) {
  const std::int64_t n = batch.labels.size(0);
  const auto step = static_cast<std::uint64_t>(step_);
  Random dropout = osr_random(OsrStream::kDropout, settings_.seed, 3 * step);
  Random mix = osr_random(OsrStream::kMix, settings_.seed, step);
  Network& network = model_.network();
  const auto pass = network.train(batch.input, network.draw_masks(n, dropout), 0, threads_);
  const Tensor features = pass->features().detach().set_requires_grad(true);
  const Tensor loss = model_.head().loss(features, batch.labels, model_.head().draw(n, mix));
  loss.backward();
  pass->backward(features.grad(), true, false);
  return loss.item<double>();
}

double OsrTrainer::train_batch(const SampleBatch& batch) {
  return classifier_backward(batch);
}

// Discriminator, generator, then the network, each on samples generated for it as ARPL's code does.
double OsrTrainer::train_generated(const SampleBatch& batch) {
  Adversary& gan = *adversary_;
  Network& network = model_.network();
  const std::int64_t n = batch.labels.size(0);
  const auto step = static_cast<std::uint64_t>(step_);
  Random noise = osr_random(OsrStream::kNoise, settings_.seed, step);

  Generator::Pass made = gan.generator.generate(Generator::draw_noise(n, noise), threads_);
  gan.discriminator.loss(batch.input, 1, true, false, threads_);
  gan.discriminator.loss(made.images, 0, true, false, threads_);
  gan.of_discriminator.step(gan.lr);

  // The features of generated images, and the gradient of their confusion.
  const auto confuse = [&](const Tensor& images, int number, bool of_parameters, bool of_images) {
    Random dropout = osr_random(OsrStream::kDropout, settings_.seed,
                                3 * step + static_cast<std::uint64_t>(number));
    const auto pass = network.train(images, network.draw_masks(n, dropout), 1, threads_);
    const Tensor features = pass->features().detach().set_requires_grad(true);
    const Tensor confusion = model_.head().confusion(features);
    confusion.backward();
    return std::pair(confusion.item<double>(),
                     pass->backward(features.grad(), of_parameters, of_images));
  };
  {
    const Tensor of_images =
        gan.discriminator.loss(made.images, 1, false, true, threads_).of_images;
    gan.generator.backward(made, of_images + confuse(made.images, 1, false, true).second, threads_);
    gan.of_generator.step(gan.lr);
    // Of the head, which does not learn here.
    clear_gradients(parameters_);
  }
  const double loss = classifier_backward(batch);
  const Generator::Pass again = gan.generator.generate(Generator::draw_noise(n, noise), threads_);
  return loss + confuse(again.images, 2, true, false).first;
}

OsrStep OsrTrainer::run_step() {
  // One thread for what is done between the parts: sums then do not depend on their number.
  const OpenMpThreads open_mp(1);
  const BlasThreads blas(1);
  const at::AutoGradMode grad(true);
  const std::int64_t pass = epoch_step_ / steps_per_pass();
  if (!stream_ || stream_->left() == 0) start_pass(pass, epoch_step_ % steps_per_pass());
  const SampleBatch batch = stream_->next();
  const OsrOptions& options = model_.options();
  OsrStep report = {.epoch = epoch_};
  report.lr = osr_lr(options.schedule, options.lr, epoch_, epochs(), options.restarts);
  report.images = batch.labels.size(0);
  const auto images = static_cast<double>(report.images);
  const bool generated = adversary_ != nullptr && pass == 0;
  report.loss = generated ? train_generated(batch) : train_batch(batch);
  report.flops = images * model_.network().training_flops() * (generated ? 3 : 1);
  if (generated) {
    // Two passes of the generator, one of them back; three of the discriminator and back.
    const double generator = conv_flops(adversary_->generator.stack().layers(), 1).training;
    const double discriminator =
        conv_flops(adversary_->discriminator.stack().layers(), kNetworkSide).training;
    report.flops += images * (4.0 / 3 * generator + 3 * discriminator);
  }
  if (!std::isfinite(report.loss)) {
    fail("osr", fmt::format("the loss is {} in step {} of {} (epoch {}, learning rate {:g}); "
                            "expected a finite number: {}",
                            std::isnan(report.loss) ? "NaN" : "infinite", step_ + 1, steps(),
                            epoch_ + 1, report.lr, options.against_divergence()));
  }
  optimizer_->step(report.lr);
  ++step_;
  ++epoch_step_;
  loss_sum_ += report.loss;
  report.mean_loss = loss_sum_ / static_cast<double>(epoch_step_);
  report.ends_epoch = epoch_step_ == steps_per_epoch();
  if (!report.ends_epoch) return report;
  ++epoch_;
  epoch_step_ = 0;
  loss_sum_ = 0;
  stream_.reset();
  return report;
}

TensorGroups OsrTrainer::groups() const {
  TensorGroups groups = {{"", &parameters_},
                         {"buffer.", &model_.network().buffers()},
                         {"optimizer.", &optimizer_->memory()}};
  if (!adversary_) return groups;
  groups.insert(groups.end(),
                {{"generator.", &adversary_->generator.parameters()},
                 {"generator.buffer.", &adversary_->generator.stack().buffers()},
                 {"generator.optimizer.", &adversary_->of_generator.memory()},
                 {"discriminator.", &adversary_->discriminator.parameters()},
                 {"discriminator.buffer.", &adversary_->discriminator.stack().buffers()},
                 {"discriminator.optimizer.", &adversary_->of_discriminator.memory()}});
  return groups;
}

void OsrTrainer::save(const std::string& path, const std::string& run) const {
  write_tensor_state({.groups = groups(),
                      .numbers = {epoch_, epoch_step_, step_, optimizer_->steps(),
                                  adversary_ ? adversary_->of_generator.steps() : 0,
                                  std::bit_cast<std::int64_t>(loss_sum_)},
                      .text = run},
                     {"osr", path});
}

void OsrTrainer::load(const std::string& path) {
  const Origin origin{"osr", path};
  const Safetensors file = open_tensor_state(origin);
  const std::vector<std::int64_t> place = read_numbers(file, origin);
  const bool is_place = place.size() == 6 &&
                        *std::min_element(place.begin(), place.end() - 1) >= 0 &&
                        place[0] <= epochs() && place[1] < steps_per_epoch() &&
                        place[2] == place[0] * steps_per_epoch() + place[1] && place[2] <= steps();
  if (!is_place) origin.fail("is at a place that this training does not have");
  read_tensors(file, origin, groups());
  epoch_ = place[0];
  epoch_step_ = place[1];
  step_ = place[2];
  optimizer_->set_steps(place[3]);
  if (adversary_) {
    adversary_->of_generator.set_steps(place[4]);
    adversary_->of_discriminator.set_steps(place[4]);
  }
  loss_sum_ = std::bit_cast<double>(place[5]);
  stream_.reset();
}

std::string saved_osr_run(const std::string& path) {
  const Origin origin{"osr", path};
  return read_text(open_tensor_state(origin), origin);
}

}  // namespace openworld
