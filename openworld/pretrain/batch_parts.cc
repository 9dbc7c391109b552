#include "openworld/pretrain/batch_parts.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cassert>

#include "openworld/base/threads.h"
#include "openworld/pretrain/image_tower.h"
#include "openworld/vlm/inner_threads.h"
#include "openworld/vlm/text_encoder.h"

namespace openworld {
namespace {

using at::Tensor;

// Forward, and backward to inputs and to weights.
constexpr double kPasses = 3;

// Operations of the products of one row of the text tower, forward.
double text_row_flops(const ClipConfig& config) {
  const auto d = static_cast<double>(config.text.width), mlp = static_cast<double>(config.text.mlp);
  return 2 * static_cast<double>(config.text.layers) * (4 * d * d + 2 * d * mlp);
}

// Item `part` of `items` cut into as many parts.
struct Slice {
  std::int64_t first = 0, count = 0;

  Slice(std::int64_t items, std::int64_t part, std::int64_t parts)
      : first(items * part / parts), count(items * (part + 1) / parts - first) {}

  Tensor of(const Tensor& rows) const { return rows.narrow(0, first, count); }
};

}  // namespace

Tensor encode_captions(const Clip& clip, const Tokenizer& tokenizer,
                       std::span<const std::string> captions, std::size_t* rows) {
  TextForest forest;
  std::vector<PromptRow> path;
  for (const std::string& caption : captions) {
    path.clear();
    const auto context = static_cast<std::size_t>(clip.config.context);
    for (const std::int32_t id : tokenizer.pack(caption, context, /*truncate=*/true)) {
      path.push_back(token_row(id));
    }
    forest.read(forest.add(TextForest::kRoot, path));
  }
  if (rows != nullptr) *rows = forest.nodes();
  return TextEncoder(clip.text, forest).features();
}

struct BatchParts::Part {
  std::int64_t number = 0;
  Clip clip;
  std::vector<StemNorm> norms;
  TrainedModel::Tensors tensors;  // of those that are trained
  // From forward to backward.
  Tensor images, texts;
  StemMoments moments;
  std::size_t text_rows = 0;
};

BatchParts::BatchParts(const TrainedModel& model, const Tokenizer& tokenizer,
                       const PretrainOptions& options, WorkerPool& pool)
    : model_(model),
      tokenizer_(tokenizer),
      options_(options),
      pool_(pool),
      trained_(model.trained(options.locked, /*words=*/false)) {
  trained_.erase("logit_scale");  // the loss has it
  for (const auto& [name, tensor] : trained_) names_.push_back(name);
  const bool locked = options.locked == Tower::kImage;
  if (locked) finished_ = model.finished();
  for (std::int64_t i = 0; i < options.shards; ++i) {
    auto part = std::make_unique<Part>();
    part->number = i;
    const auto own = [&](const std::string& name, const Tensor& tensor) {
      const bool trains = trained_.contains(name);
      const Tensor leaf = tensor.detach().requires_grad_(trains);
      if (trains) part->tensors[name] = leaf;
      return leaf;
    };
    const Clip& source = locked ? finished_ : model.clip;
    part->clip = make_clip(model.clip.config, [&](const TensorSpec& spec) {
      const bool is_image = tower_of_tensor(spec.name) == Tower::kImage;
      return own(spec.name, (is_image ? source : model.clip).tensors.at(spec.name));
    });
    for (std::size_t k = 0; !locked && k < model.norms.size(); ++k) {
      const StemNorm& norm = model.norms[k];
      const std::string name = "visual.stem." + std::to_string(k) + ".norm.weight";
      part->norms.push_back({own(name, norm.weight), norm.mean, norm.variance});
    }
    parts_.push_back(std::move(part));
  }
}

BatchParts::~BatchParts() = default;

void BatchParts::run(std::size_t n, const std::function<void(std::size_t)>& work) const {
  const int threads = options_.threads > 0 ? options_.threads : default_threads();
  const int inside = std::max(1, threads / static_cast<int>(parts_.size()));
  const BlasThreads blas(inside);
  pool_.run(n, [&](std::size_t i) {
    const OpenMpThreads open_mp(inside);
    work(i);
  });
}

void BatchParts::for_each_part(const std::function<void(Part&)>& work) {
  run(parts_.size(), [&](std::size_t i) { work(*parts_[i]); });
}

void BatchParts::encode_texts(const std::vector<std::string>& texts, Part& part) const {
  const Slice slice(static_cast<std::int64_t>(texts.size()), part.number,
                    static_cast<std::int64_t>(parts_.size()));
  if (slice.count == 0) {
    part.texts = at::empty({0, model_.clip.config.embed}, model_.clip.logit_scale.options());
    part.text_rows = 0;
    return;
  }
  const auto own = std::span(texts).subspan(static_cast<std::size_t>(slice.first),
                                            static_cast<std::size_t>(slice.count));
  part.texts = encode_captions(part.clip, tokenizer_, own, &part.text_rows);
}

// Of what the parts hold, or of given features of images.
StepFeatures BatchParts::gather(const Tensor& image_features) {
  std::vector<Tensor> images, texts;
  std::size_t rows = 0;
  for (const auto& part : parts_) {
    if (part->images.defined()) images.push_back(part->images.detach());
    texts.push_back(part->texts.detach());
    rows += part->text_rows;
  }
  const bool trains_text = options_.locked != Tower::kText;
  flops_ +=
      static_cast<double>(rows) * text_row_flops(model_.clip.config) * (trains_text ? kPasses : 1);
  const Tensor all = image_features.defined() ? image_features.detach() : at::cat(images);
  return {all.requires_grad_(), at::cat(texts).requires_grad_()};
}

StepFeatures BatchParts::forward(const Tensor& pixels, const std::vector<std::string>& texts) {
  for_each_part([&](Part& part) {
    const Slice slice(pixels.size(0), part.number, static_cast<std::int64_t>(parts_.size()));
    part.moments = {};
    part.images = slice.count == 0 ? at::empty({0, model_.clip.config.embed}, pixels.options())
                                   : train_image_features(part.clip.vision, part.norms,
                                                          slice.of(pixels), &part.moments);
    encode_texts(texts, part);
  });
  flops_ += static_cast<double>(pixels.size(0)) * image_flops(model_.clip.config) *
            (options_.locked == Tower::kImage ? 1 : kPasses);
  return gather({});
}

StepFeatures BatchParts::forward_texts(const Tensor& image_features,
                                       const std::vector<std::string>& texts) {
  for_each_part([&](Part& part) {
    part.images.reset();
    encode_texts(texts, part);
  });
  return gather(image_features);
}

void BatchParts::backward(const StepFeatures& features) {
  for_each_part([&](Part& part) {
    std::vector<Tensor> roots, gradients;
    const auto add = [&](const Tensor& own, const Tensor& all) {
      if (!own.defined() || !own.requires_grad() || own.size(0) == 0 || !all.grad().defined()) {
        return;
      }
      const Slice slice(all.size(0), part.number, static_cast<std::int64_t>(parts_.size()));
      roots.push_back(own);
      gradients.push_back(slice.of(all.grad()));
    };
    add(part.images, features.images);
    add(part.texts, features.texts);
    if (!roots.empty()) torch::autograd::backward(roots, gradients);
    part.images.reset();
    part.texts.reset();
  });
  pool_.run(names_.size(), [&](std::size_t i) {
    const at::NoGradGuard no_grad;
    const OpenMpThreads open_mp(1);
    Tensor& sum = trained_.at(names_[i]).mutable_grad();
    // In the order of the parts, so that the sum has one order.
    for (const auto& part : parts_) {
      Tensor& gradient = part->tensors.at(names_[i]).mutable_grad();
      if (!gradient.defined()) continue;
      if (sum.defined()) {
        sum.add_(gradient);
      } else {
        sum = gradient;
      }
      gradient.reset();
    }
  });
  std::vector<StemMoments> moments;
  for (const auto& part : parts_) {
    if (!part->moments.means.empty()) moments.push_back(std::move(part->moments));
    part->moments = {};
  }
  if (!moments.empty()) update_running(model_.norms, moments);
}

Tensor BatchParts::locked_features(const Tensor& pixels) {
  assert(options_.locked == Tower::kImage);
  std::vector<Tensor> features(parts_.size());
  for_each_part([&](Part& part) {
    const at::NoGradGuard no_grad;
    const Slice slice(pixels.size(0), part.number, static_cast<std::int64_t>(parts_.size()));
    const auto place = static_cast<std::size_t>(part.number);
    features[place] = slice.count == 0
                          ? at::empty({0, model_.clip.config.embed}, pixels.options())
                          : train_image_features(part.clip.vision, {}, slice.of(pixels));
  });
  flops_ += static_cast<double>(pixels.size(0)) * image_flops(model_.clip.config);
  return at::cat(features);
}

void BatchParts::weights_changed() {
  if (options_.locked != Tower::kImage) return;
  const at::NoGradGuard no_grad;
  const Clip now = model_.finished();
  for (const auto& [name, tensor] : finished_.tensors) tensor.copy_(now.tensors.at(name));
}

double BatchParts::take_flops() {
  return std::exchange(flops_, 0);
}

}  // namespace openworld
