#include "openworld/vlm/extra_features.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>

#include "openworld/base/error.h"
#include "openworld/images/transform.h"
#include "openworld/vlm/encode_each.h"
#include "openworld/vlm/inner_threads.h"
#include "openworld/vlm/sample_batches.h"

namespace openworld {
namespace {

using at::Tensor;

std::vector<std::size_t> repeated_samples(const Dataset& dataset, std::size_t times) {
  std::vector<std::size_t> samples(dataset.samples.size() * times);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = i % dataset.samples.size();
  return samples;
}

[[noreturn]] void refuse_sample(std::size_t, const Error& error) {
  throw error;
}

// Of every sample what `finish` makes of the states of its patches, [samples, patches, width].
Tensor finished_patches(const Clip& clip, const Dataset& dataset,
                        const ExtraFeatureOptions& options, std::int64_t width,
                        const std::function<Tensor(const Tensor& states)>& finish) {
  const at::NoGradGuard no_grad;
  WorkerPool pool(options.threads);
  const std::vector<std::size_t> samples = repeated_samples(dataset, 1);
  Tensor result;
  SampleBatches{.dataset = dataset,
                .samples = samples,
                .preprocessing = clip.config.preprocessing,
                .batch = options.batch,
                .threads = options.threads,
                .on_progress = options.on_progress}
      .for_each(
          [&](std::span<const std::size_t> items, const Tensor& images) {
            const Tensor local = encode_each(clip.vision, images, pool, {.local = true}).local;
            if (!result.defined()) {
              result = at::empty({static_cast<std::int64_t>(samples.size()), local.size(1), width},
                                 local.options());
            }
            // By itself and on one thread, for the reason that encode_each gives.
            const BlasThreads blas(1);
            const OpenMpThreads open_mp(1);
            for (std::size_t i = 0; i < items.size(); ++i) {
              result.select(0, static_cast<std::int64_t>(items[i]))
                  .copy_(finish(local.select(0, static_cast<std::int64_t>(i))));
            }
          },
          refuse_sample);
  return result;
}

}  // namespace

Tensor patch_features(const Clip& clip, const Dataset& dataset,
                      const ExtraFeatureOptions& options) {
  const Tensor projection = clip.vision.weights.projection.detach();
  return finished_patches(clip, dataset, options, clip.config.embed, [&](const Tensor& states) {
    return normalized(at::matmul(states, projection));
  });
}

Tensor patch_states(const Clip& clip, const Dataset& dataset, const ExtraFeatureOptions& options) {
  return finished_patches(clip, dataset, options, clip.config.vision.width,
                          [](const Tensor& states) { return states; });
}

Tensor view_features(const Clip& clip, const Dataset& dataset, std::int64_t views,
                     std::uint64_t seed, const ExtraFeatureOptions& options) {
  const at::NoGradGuard no_grad;
  WorkerPool pool(options.threads);
  const std::size_t count = dataset.samples.size();
  const std::vector<std::size_t> samples =
      repeated_samples(dataset, static_cast<std::size_t>(views));
  Tensor result = at::empty({static_cast<std::int64_t>(samples.size()), clip.config.embed},
                            clip.logit_scale.options());
  SampleBatches{.dataset = dataset,
                .samples = samples,
                .preprocessing = clip.config.preprocessing,
                .batch = options.batch,
                .threads = options.threads,
                .transform =
                    [&](const ImageView& image, std::size_t item, std::span<float> chw) {
                      train_transform(image, clip.config.preprocessing,
                                      {seed, item / count, item % count}, chw);
                    },
                .on_progress = options.on_progress}
      .for_each(
          [&](std::span<const std::size_t> items, const Tensor& images) {
            const Tensor features = encode_each(clip.vision, images, pool).features.select(1, 0);
            for (std::size_t i = 0; i < items.size(); ++i) {
              result.select(0, static_cast<std::int64_t>(items[i]))
                  .copy_(features.select(0, static_cast<std::int64_t>(i)));
            }
          },
          refuse_sample);
  return result.reshape({views, static_cast<std::int64_t>(count), clip.config.embed});
}

}  // namespace openworld
