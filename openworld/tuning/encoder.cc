#include "openworld/tuning/encoder.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <mutex>

#include "openworld/base/error.h"
#include "openworld/tuning/loaded_model.h"
#include "openworld/tuning/text_lengths.h"
#include "openworld/vlm/zeroshot.h"

namespace openworld {

struct Encoder::Parts {
  ModelSpec spec;
  LoadedModel model;
  RunModel description;
  std::unique_ptr<Tokenizer> tokenizer = {};  // made when there are texts: images need none
  std::mutex mutex = {};
};

Encoder::Encoder(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder::~Encoder() = default;

Encoder Encoder::open(const ModelSpec& spec) {
  const at::NoGradGuard no_grad;
  LoadedModel model = load_model(spec, "load_model");
  RunModel description = model.description(spec);
  return Encoder(std::unique_ptr<Parts>(
      new Parts{.spec = spec, .model = std::move(model), .description = std::move(description)}));
}

const ModelSpec& Encoder::spec() const {
  return parts_->spec;
}

const RunModel& Encoder::description() const {
  return parts_->description;
}

std::int64_t Encoder::width() const {
  return parts_->model.clip.config.embed;
}

std::int64_t Encoder::image_size() const {
  return parts_->model.clip.config.preprocessing.image_size;
}

std::int64_t Encoder::context() const {
  return parts_->model.clip.config.context;
}

double Encoder::logit_scale() const {
  return openworld::logit_scale(parts_->model.clip);
}

FeatureMatrix Encoder::encode_images(const Dataset& images, const FeatureCacheSpec& cache,
                                     const Observer& observer) const {
  const std::lock_guard lock(parts_->mutex);
  const at::NoGradGuard no_grad;
  use_threads(parts_->spec);
  ImageFeatures features =
      encode_dataset(parts_->model, images, parts_->spec, cache, observer, Unreadable::kRefuse);
  return {std::move(features.features), features.samples.size(), features.width};
}

FeatureMatrix Encoder::encode_texts(const std::vector<std::string>& texts, std::int64_t memory,
                                    const Observer& observer) const {
  constexpr auto kFunction = "encode_texts";
  const std::lock_guard lock(parts_->mutex);
  if (texts.empty()) fail(kFunction, "no texts; expected one or more");
  use_threads(parts_->spec);
  const LoadedModel& model = parts_->model;
  if (!parts_->tokenizer) {
    parts_->tokenizer.reset(
        new Tokenizer(load_tokenizer(model.checkpoint, parts_->spec.vocabulary)));
  }
  check_text_lengths(texts, *parts_->tokenizer, context(),
                     [](std::size_t i, std::string_view what) {
                       fail(kFunction, fmt::format("text[{}] {}", i, what));
                     });
  const at::Tensor features =
      openworld::encode_texts(
          model.clip, *parts_->tokenizer, texts,
          {.memory = {memory}, .on_progress = observer.follow("encoding texts")})
          .to(at::kCPU)
          .contiguous();
  const float* const values = features.data_ptr<float>();
  return {std::vector<float>(values, values + features.numel()), texts.size(),
          static_cast<std::size_t>(features.size(1))};
}

}  // namespace openworld
