#include "openworld/vlm/image_features.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <mutex>

#include "openworld/base/error.h"
#include "openworld/base/threads.h"
#include "openworld/io/machine_error.h"
#include "openworld/io/sha256.h"
#include "openworld/vlm/encode_each.h"
#include "openworld/vlm/sample_batches.h"

namespace openworld {
namespace {

// An interrupted run loses at most this much work.
constexpr std::chrono::seconds kFlushInterval(10);

struct Hashes {
  std::vector<Sha256Digest> of_sample;
  std::vector<std::optional<Error>> failure;
};

Hashes hash_images(const Dataset& dataset, const ImageFeatureOptions& options) {
  const std::size_t count = dataset.samples.size();
  Hashes hashes = {std::vector<Sha256Digest>(count), std::vector<std::optional<Error>>(count)};
  std::mutex mutex;
  std::size_t done = 0;
  if (options.on_hash) options.on_hash(done, count);
  parallel_for(count, options.threads, [&](std::size_t i) {
    try {
      hashes.of_sample[i] = sha256(read_sample(dataset, i).values);
    } catch (const MachineError&) {
      throw;
    } catch (const Error& e) {
      hashes.failure[i] = e;
    }
    const std::lock_guard lock(mutex);
    ++done;
    if (options.on_hash) options.on_hash(done, count);
  });
  return hashes;
}

// Encodes `samples` and passes on each feature, or why there is none.
template <class Keep, class Fail>
void encode(const Clip& clip, const Dataset& dataset, const std::vector<std::size_t>& samples,
            const ImageFeatureOptions& options, const Keep& keep, const Fail& fail_sample) {
  WorkerPool pool(options.threads);
  SampleBatches{.dataset = dataset,
                .samples = samples,
                .preprocessing = clip.config.preprocessing,
                .batch = options.batch,
                .threads = options.threads,
                .on_progress = options.on_encode}
      .for_each(
          [&](std::span<const std::size_t> items, const at::Tensor& images) {
            const at::Tensor features = encode_each(clip.vision, images, pool)
                                            .features.select(1, 0)
                                            .to(at::kCPU)
                                            .contiguous();
            const float* const values = features.data_ptr<float>();
            const auto width = static_cast<std::size_t>(features.size(1));
            for (std::size_t i = 0; i < items.size(); ++i) {
              keep(samples[items[i]], std::span<const float>(values + i * width, width));
            }
          },
          [&](std::size_t item, const Error& error) { fail_sample(samples[item], error); });
}

}  // namespace

ImageFeatures image_features(const Clip& clip, const Dataset& dataset,
                             const ImageFeatureOptions& options) {
  Hashes hashes = hash_images(dataset, options);
  const std::size_t count = dataset.samples.size();

  // The first sample with given bytes stands for all of them.
  std::map<Sha256Digest, std::size_t> first;
  std::vector<std::size_t> missing;
  ImageFeatures result;
  result.width = static_cast<std::size_t>(clip.config.embed);
  for (std::size_t i = 0; i < count; ++i) {
    if (hashes.failure[i]) continue;
    const bool stored = options.store != nullptr && options.store->find(hashes.of_sample[i]);
    if (stored) ++result.found;
    if (first.try_emplace(hashes.of_sample[i], i).second && !stored) missing.push_back(i);
  }

  std::map<std::size_t, std::vector<float>> encoded_now;
  auto flushed = std::chrono::steady_clock::now();
  // The features are there without a store that keeps them.
  const auto flush = [&] {
    if (options.store == nullptr || result.unsaved) return;
    try {
      options.store->flush();
    } catch (const Error& error) {
      result.unsaved = error;
    }
  };
  encode(
      clip, dataset, missing, options,
      [&](std::size_t sample, std::span<const float> feature) {
        if (!is_finite(feature)) {
          fail("image_features", fmt::format("{}: its feature holds NaN or infinity; the model's "
                                             "weights are broken or overflow",
                                             sample_name(dataset, sample)));
        }
        ++result.encoded;
        if (options.store == nullptr) {
          encoded_now[sample].assign(feature.begin(), feature.end());
          return;
        }
        options.store->add(hashes.of_sample[sample], feature);
        const auto now = std::chrono::steady_clock::now();
        if (now - flushed < kFlushInterval) return;
        flush();
        flushed = now;
      },
      [&](std::size_t sample, const Error& error) { hashes.failure[sample] = error; });
  flush();

  for (std::size_t i = 0; i < count; ++i) {
    const float* feature = nullptr;
    std::optional<Error> error = hashes.failure[i];
    if (!error) {
      const std::size_t twin = first.at(hashes.of_sample[i]);
      error = hashes.failure[twin];
      if (!error) {
        feature = options.store != nullptr ? options.store->find(hashes.of_sample[i])
                                           : encoded_now.at(twin).data();
      }
    }
    if (feature == nullptr) {
      result.failures.push_back({i, *error});
      continue;
    }
    result.samples.push_back(i);
    result.features.insert(result.features.end(), feature, feature + result.width);
  }
  return result;
}

}  // namespace openworld
