#include "openworld/pretrain/pretrainer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/from_blob.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "openworld/base/error.h"
#include "openworld/base/threads.h"
#include "openworld/images/redraw.h"
#include "openworld/images/transform.h"
#include "openworld/vlm/device.h"
#include "openworld/vlm/inner_threads.h"
#include "openworld/vlm/text_encoder.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr auto kFunction = "pretrain";

// CLIP's limit, which keeps the loss from becoming a step function.
constexpr double kMaxLogitScale = 100;

// Streams of random numbers that must not be each other's.
enum class Stream : std::uint64_t { kOrder = 1, kExtra, kRedraw };

std::uint64_t stream_seed(Stream stream, std::uint64_t seed, std::uint64_t epoch) {
  return mix64(mix64(mix64(static_cast<std::uint64_t>(stream)) ^ seed) ^ epoch);
}

bool is_locked(std::string_view tensor, Tower locked) {
  return locked != Tower::kNeither && tower_of_tensor(tensor) == locked;
}

AdamW::Tensors trainable(const Clip& clip, Tower locked) {
  AdamW::Tensors tensors;
  for (const auto& [name, tensor] : clip.tensors) {
    if (!is_locked(name, locked)) tensors[name] = tensor.requires_grad_();
  }
  return tensors;
}

Tensor encode_captions(const Clip& clip, const Tokenizer& tokenizer,
                       std::span<const std::string> captions) {
  TextForest forest;
  std::vector<PromptRow> rows;
  for (const std::string& caption : captions) {
    rows.clear();
    const auto context = static_cast<std::size_t>(clip.config.context);
    for (const std::int32_t id : tokenizer.pack(caption, context, /*truncate=*/true)) {
      rows.push_back(token_row(id));
    }
    forest.read(forest.add(TextForest::kRoot, rows));
  }
  return TextEncoder(clip.text, forest).features();
}

void check(const PretrainOptions& options, std::size_t pairs) {
  const auto expect = [](bool holds, std::string_view what) {
    if (!holds) fail(kFunction, what);
  };
  expect(pairs >= 2, fmt::format("{} captioned images, expected at least 2", pairs));
  expect(options.epochs >= 1, "epochs must be at least 1");
  expect(options.batch >= 2,
         "a batch must have at least 2 pairs: the others are the wrong answers");
  expect(options.extra_captions >= 0, "extra captions must not be negative");
  expect(std::isfinite(options.lr) && options.lr > 0, "the learning rate must be above 0");
  expect(options.warmup >= 0, "warm-up must not be negative");
  expect(options.shards >= 1, "a batch must have at least 1 part");
  expect(options.naming >= 0, "the weight of naming must not be negative");
  expect(options.average >= 0 && options.average < 1, "the average's decay must be in [0, 1)");
}

}  // namespace

Tower tower_of_tensor(std::string_view name) {
  if (name == "logit_scale") return Tower::kNeither;
  return name.starts_with("visual.") ? Tower::kImage : Tower::kText;
}

struct Pretrainer::Batch {
  ImageBatch images;
  std::vector<std::size_t> pairs;  // of the images that could be read
};

// The captions of a batch's images, those that are wrong answers only, and the list of names.
struct Pretrainer::Texts {
  std::vector<std::string> captions;
  std::vector<std::uint64_t> concepts;
  std::size_t paired = 0;  // from here on it is the list of names
};

// A part of a batch, on weights that are those of the model but have gradients of their own.
struct Pretrainer::Shard {
  std::int64_t number = 0;
  Clip clip;
  Tensor images, captions;  // features
};

Pretrainer::Pretrainer(Clip clip, const CaptionSource& pairs, const Tokenizer& tokenizer,
                       const PretrainOptions& options)
    : clip_(std::move(clip)),
      pairs_(pairs),
      tokenizer_(tokenizer),
      options_(options),
      optimizer_(trainable(clip_, options.locked), options.adamw),
      pool_(options.threads) {
  check(options, pairs.size());
  if (options.naming > 0 && pairs.anchors(0).empty()) {
    fail(kFunction, fmt::format("{}: no list of classes to name images out of, which naming "
                                "needs; expected labels or doodles",
                                pairs.description()));
  }
  const auto count = static_cast<std::int64_t>(pairs.size());
  batch_ = std::min(options.batch, count);
  epochs_steps_ = count / batch_;
  if (options.average > 0) {
    for (const auto& [name, tensor] : trainable(clip_, options.locked)) {
      average_[name] = tensor.detach().clone();
    }
  }
  for (const TensorSpec& spec : clip_tensors(clip_.config)) {
    if (!is_locked(spec.name, options.locked)) trained_names_.push_back(spec.name);
  }
  for (std::int64_t i = 0; i < options.shards; ++i) {
    auto shard = std::make_unique<Shard>();
    shard->number = i;
    shard->clip = make_clip(clip_.config, [&](const TensorSpec& spec) {
      return clip_.tensors.at(spec.name).detach().requires_grad_(
          !is_locked(spec.name, options_.locked));
    });
    shards_.push_back(std::move(shard));
  }
}

Pretrainer::~Pretrainer() = default;

void Pretrainer::start_epoch() {
  const auto epoch = static_cast<std::uint64_t>(step_ / epochs_steps_);
  order_.resize(pairs_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  Random random(stream_seed(Stream::kOrder, options_.seed, epoch));
  shuffle(order_, random);
  loader_start_ = step_ % epochs_steps_;
  epoch_has_images_ = loader_start_ > 0;
  const auto first = static_cast<std::size_t>(loader_start_ * batch_);
  const Preprocessing preprocessing = clip_.config.preprocessing;
  const std::int64_t side = preprocessing.image_size;
  const auto pair_name = [this, epoch, first](std::size_t item) {
    return PairName{options_.seed, epoch, order_[first + item]};
  };
  loader_ = std::make_unique<ImageLoader>(ImageLoaderOptions{
      .items = static_cast<std::size_t>(epochs_steps_ * batch_) - first,
      .batch_size = static_cast<std::size_t>(batch_),
      .image_values = static_cast<std::size_t>(3 * side * side),
      .threads = options_.threads,
      .open =
          [this, pair_name](std::size_t item) {
            const PairName name = pair_name(item);
            return ImageFile{pairs_.image(name), {"decode_image", pairs_.place(name.index)}};
          },
      .transform =
          [this, pair_name, preprocessing](const Image& image, std::size_t item,
                                           std::span<float> chw) {
            const PairName name = pair_name(item);
            switch (options_.augment) {
              case ImageAugmentation::kNone:
                return clip_transform(image, preprocessing, chw);
              case ImageAugmentation::kCrop:
                return train_transform(image, preprocessing, {name.seed, name.epoch, name.index},
                                       chw);
              case ImageAugmentation::kRedraw: {
                Random draws(stream_seed(Stream::kRedraw, name.seed, name.epoch), name.index);
                const Redrawing redrawing =
                    draw_redrawing(options_.redraw, image.width, image.height, draws);
                return clip_transform(redraw(image, redrawing), preprocessing, chw);
              }
            }
          },
  });
}

Pretrainer::Batch Pretrainer::next_batch() {
  if (!loader_) start_epoch();
  auto images = loader_->next();
  assert(images);
  Batch batch{std::move(*images), {}};
  const auto first = static_cast<std::size_t>(loader_start_ * batch_);
  for (const std::size_t item : batch.images.indices) batch.pairs.push_back(order_[first + item]);
  epoch_has_images_ |= !batch.pairs.empty();
  return batch;
}

void Pretrainer::for_each_shard(const std::function<void(Shard&)>& work) {
  const int threads = options_.threads > 0 ? options_.threads : default_threads();
  const int inside = std::max(1, threads / static_cast<int>(shards_.size()));
  const BlasThreads blas(inside);
  pool_.run(shards_.size(), [&](std::size_t i) {
    const OpenMpThreads open_mp(inside);
    work(*shards_[i]);
  });
}

Pretrainer::Texts Pretrainer::texts_of(const Batch& batch, std::uint64_t epoch) const {
  Texts texts;
  for (const std::size_t pair : batch.pairs) {
    texts.captions.push_back(pairs_.caption({options_.seed, epoch, pair}));
    texts.concepts.push_back(pairs_.concept_of(pair));
  }
  Random random(stream_seed(Stream::kExtra, options_.seed, epoch),
                static_cast<std::uint64_t>(step_));
  for (std::int64_t i = 0; i < options_.extra_captions; ++i) {
    const auto pair = static_cast<std::size_t>(random.below(pairs_.size()));
    texts.captions.push_back(pairs_.caption({random.next(), epoch, pair}));
    texts.concepts.push_back(pairs_.concept_of(pair));
  }
  texts.paired = texts.captions.size();
  if (options_.naming > 0) {
    for (auto& [caption, meaning] : pairs_.anchors(static_cast<std::uint64_t>(step_))) {
      texts.captions.push_back(std::move(caption));
      texts.concepts.push_back(meaning);
    }
  }
  return texts;
}

Tensor Pretrainer::pixels_of(const Batch& batch) const {
  const std::int64_t side = clip_.config.preprocessing.image_size;
  return at::from_blob(const_cast<float*>(batch.images.chw.data()),
                       {static_cast<std::int64_t>(batch.pairs.size()), 3, side, side}, at::kFloat)
      .to(clip_.device());
}

// Through the biases of the last norms; their outputs are read with an identity projection.
void Pretrainer::centre_features(const Batch& batch, const Texts& texts) {
  at::NoGradGuard no_grad;
  Clip seen = clip_;
  seen.config.embed = clip_.config.vision.width;
  seen.vision.config = seen.config;
  seen.vision.weights.projection = at::eye(clip_.config.vision.width, clip_.logit_scale.options());
  const Tensor images = encode_images(seen.vision, pixels_of(batch)).features.select(1, 0);
  if (options_.locked != Tower::kImage) clip_.vision.weights.ln_post.bias.sub_(images.mean(0));
  seen.config.embed = clip_.config.text.width;
  seen.text.config = seen.config;
  seen.text.weights.projection = at::eye(clip_.config.text.width, clip_.logit_scale.options());
  const Tensor captions = encode_captions(seen, tokenizer_, texts.captions);
  if (options_.locked != Tower::kText) clip_.text.weights.ln_final.bias.sub_(captions.mean(0));
}

// Leaves the gradient of the loss of a batch in the model's tensors.
ContrastiveLoss Pretrainer::backward(const Batch& batch, const Texts& texts) {
  const Tensor pixels = pixels_of(batch);
  const std::span<const std::uint64_t> concepts = texts.concepts;

  // Features of every part, the loss of them together, and back through every part.
  const auto parts = static_cast<std::int64_t>(shards_.size());
  const auto begin = [parts](std::int64_t items, std::int64_t part) {
    return items * part / parts;
  };
  const auto all = static_cast<std::int64_t>(concepts.size());
  const auto part_of = [&](const Tensor& rows, std::int64_t i) {
    const std::int64_t from = begin(rows.size(0), i);
    return rows.narrow(0, from, begin(rows.size(0), i + 1) - from);
  };
  for_each_shard([&](Shard& shard) {
    const Tensor part = part_of(pixels, shard.number);
    shard.images = part.size(0) == 0 ? at::empty({0, clip_.config.embed}, pixels.options())
                                     : encode_images(shard.clip.vision, part).features.select(1, 0);
    shard.captions = encode_captions(
        shard.clip, tokenizer_,
        std::span(texts.captions)
            .subspan(
                static_cast<std::size_t>(begin(all, shard.number)),
                static_cast<std::size_t>(begin(all, shard.number + 1) - begin(all, shard.number))));
  });
  std::vector<Tensor> image_parts, caption_parts;
  for (const auto& shard : shards_) {
    image_parts.push_back(shard->images.detach());
    caption_parts.push_back(shard->captions.detach());
  }
  const Tensor images = at::cat(image_parts).requires_grad_();
  const Tensor captions = at::cat(caption_parts).requires_grad_();
  const auto image_concepts = concepts.first(batch.pairs.size());
  const auto paired = static_cast<std::int64_t>(texts.paired);
  ContrastiveLoss loss =
      contrastive_loss(images, captions.narrow(0, 0, paired), clip_.logit_scale, image_concepts,
                       concepts.first(texts.paired), options_.loss);
  if (paired < all) {
    const ContrastiveLoss naming =
        naming_loss(images, captions.narrow(0, paired, all - paired), clip_.logit_scale,
                    image_concepts, concepts.subspan(texts.paired), options_.loss.smoothing);
    loss = {loss.loss + options_.naming * naming.loss, naming.accuracy};
  }
  loss.loss.backward();
  for_each_shard([&](Shard& shard) {
    std::vector<Tensor> roots, gradients;
    const auto add = [&](const Tensor& features, const Tensor& gradient) {
      if (!features.requires_grad() || features.size(0) == 0) return;
      roots.push_back(features);
      gradients.push_back(part_of(gradient, shard.number));
    };
    add(shard.images, images.grad());
    add(shard.captions, captions.grad());
    if (!roots.empty()) torch::autograd::backward(roots, gradients);
    shard.images.reset();
    shard.captions.reset();
  });
  pool_.run(trained_names_.size(), [&](std::size_t i) {
    at::NoGradGuard no_grad;
    const OpenMpThreads open_mp(1);
    Tensor& sum = clip_.tensors.at(trained_names_[i]).mutable_grad();
    // In the order of the parts, so that the sum has one order.
    for (const auto& shard : shards_) {
      Tensor& gradient = shard->clip.tensors.at(trained_names_[i]).mutable_grad();
      if (!gradient.defined()) continue;
      if (sum.defined()) {
        sum.add_(gradient);
      } else {
        sum = gradient;
      }
      gradient.reset();
    }
  });
  return loss;
}

StepReport Pretrainer::run_step() {
  assert(step_ < steps());
  const Batch batch = next_batch();
  const auto epoch = static_cast<std::uint64_t>(step_ / epochs_steps_);
  const auto warmup =
      static_cast<std::int64_t>(std::llround(options_.warmup * static_cast<double>(epochs_steps_)));
  StepReport report;
  report.images = batch.pairs.size();
  report.lr = warmup_cosine(step_, steps(), warmup, options_.lr);
  for (const auto& failure : batch.images.failures) report.failures.push_back(failure.error.what());

  if (!batch.pairs.empty()) {
    const Texts texts = texts_of(batch, epoch);
    if (step_ == 0 && options_.centre) centre_features(batch, texts);
    const ContrastiveLoss loss = backward(batch, texts);
    report.loss = loss.loss.item<double>();
    report.accuracy = loss.accuracy;
    report.gradient_norm =
        optimizer_.step(report.lr, [this](std::size_t n, const auto& work) { pool_.run(n, work); });
    if (!std::isfinite(report.loss) || !std::isfinite(report.gradient_norm)) {
      fail(kFunction,
           fmt::format("the loss is no longer finite at step {}; a smaller learning rate or "
                       "a longer warm-up may help",
                       step_ + 1));
    }
    at::NoGradGuard no_grad;
    clip_.logit_scale.clamp_max_(std::log(kMaxLogitScale));
    update_average();
  }
  report.logit_scale = logit_scale(clip_);
  ++step_;
  if (step_ % epochs_steps_ == 0) {
    loader_.reset();
    if (!epoch_has_images_) {
      fail(kFunction, fmt::format("no image of an epoch could be read; the last one: {}",
                                  report.failures.back()));
    }
  }
  return report;
}

// Young means follow faster, so that the random init is soon forgotten.
void Pretrainer::update_average() {
  const auto done = static_cast<double>(step_ + 1);
  const double decay = std::min(options_.average, done / (done + 10));
  if (average_.empty()) return;
  const auto keep = static_cast<float>(decay);
  pool_.run(trained_names_.size(), [&](std::size_t i) {
    const Tensor& mean = average_.at(trained_names_[i]);
    const Tensor& now = clip_.tensors.at(trained_names_[i]);
    if (!uses_kernels(mean.device())) {
      at::NoGradGuard no_grad;
      mean.mul_(keep).add_(now.detach(), 1 - keep);
      return;
    }
    float* const to = mean.data_ptr<float>();
    const float* const from = now.data_ptr<float>();
    for (std::int64_t k = 0; k < mean.numel(); ++k) to[k] = keep * to[k] + (1 - keep) * from[k];
  });
}

Clip Pretrainer::result() const {
  return make_clip(clip_.config, [&](const TensorSpec& spec) {
    const auto mean = average_.find(spec.name);
    const Tensor& now = mean == average_.end() ? clip_.tensors.at(spec.name) : mean->second;
    return now.detach().clone();
  });
}

}  // namespace openworld
