#include "openworld/vlm/image_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "openworld/base/error.h"
#include "openworld/base/threads.h"
#include "openworld/io/machine_error.h"
#include "openworld/io/sha256.h"
#include "openworld/vlm/encode_each.h"
#include "openworld/vlm/encoding_claim.h"
#include "openworld/vlm/sample_batches.h"

namespace openworld {
namespace {

// An interrupted run loses at most this much work.
constexpr std::chrono::seconds kFlushInterval(10);

// Between looks at whether another process has encoded the images: short at first, for those that
// take less than a second.
constexpr std::chrono::milliseconds kFirstLook(20), kLastLook(1000);

struct Hashes {
  std::vector<Sha256Digest> of_sample;
  std::vector<std::optional<Error>> failure;
};

bool asked_to_stop(const ImageFeatureOptions& options) {
  return options.stop && options.stop();
}

void stop_if_asked(const ImageFeatureOptions& options) {
  if (asked_to_stop(options))
    fail("image_features", "stopped; run the same command again to resume");
}

Hashes hash_images(const Dataset& dataset, const ImageFeatureOptions& options) {
  const std::size_t count = dataset.samples.size();
  Hashes hashes = {std::vector<Sha256Digest>(count), std::vector<std::optional<Error>>(count)};
  std::mutex mutex;
  std::size_t done = 0;
  if (options.on_hash) options.on_hash(done, count);
  parallel_for(count, options.threads, [&](std::size_t i) {
    stop_if_asked(options);
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

// By their hashes, each with the first sample that has these bytes.
using Images = std::map<Sha256Digest, std::size_t>;

// The samples of images that are not in the store, which may be null; ascending.
std::vector<std::size_t> missing_images(const Images& images, const FeatureStore* store) {
  std::vector<std::size_t> missing;
  for (const auto& [image, sample] : images) {
    if (store == nullptr || store->find(image) == nullptr) missing.push_back(sample);
  }
  std::sort(missing.begin(), missing.end());
  return missing;
}

// What is missing once it is ours to encode: waits while another process encodes these images. One
// that cannot claim encodes anyway.
std::vector<std::size_t> claim_missing(EncodingClaim& claim, const Images& images,
                                       const ImageFeatureOptions& options,
                                       std::optional<Error>& unclaimed) {
  bool told = false;
  for (auto pause = kFirstLook;; pause = std::min(2 * pause, kLastLook)) {
    bool ours = true;
    try {
      ours = claim.take();
    } catch (const Error& error) {
      unclaimed = error;
    }
    std::vector<std::size_t> missing = missing_images(images, options.store);
    if (ours || missing.empty()) return missing;
    if (!told && options.on_wait) options.on_wait(claim.owner().value_or("another process"));
    told = true;
    stop_if_asked(options);
    std::this_thread::sleep_for(pause);
  }
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
  Images first;
  for (std::size_t i = 0; i < count; ++i) {
    if (!hashes.failure[i]) first.try_emplace(hashes.of_sample[i], i);
  }
  ImageFeatures result;
  result.width = static_cast<std::size_t>(clip.config.embed);
  std::vector<std::size_t> missing = missing_images(first, options.store);
  std::optional<EncodingClaim> claim;
  if (options.store != nullptr && !missing.empty()) {
    claim.emplace(*options.store, first);
    missing = claim_missing(*claim, first, options, result.unclaimed);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const bool stored = !hashes.failure[i] && options.store != nullptr &&
                        options.store->find(hashes.of_sample[i]) != nullptr;
    if (stored) ++result.found;
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
          fail("image_features",
               fmt::format("{}: its feature holds NaN or infinity; the model's weights "
                           "are broken or overflow",
                           sample_name(dataset, sample)));
        }
        ++result.encoded;
        if (options.store == nullptr) {
          encoded_now[sample].assign(feature.begin(), feature.end());
        } else {
          options.store->add(hashes.of_sample[sample], feature);
        }
        const auto now = std::chrono::steady_clock::now();
        if (now - flushed >= kFlushInterval || asked_to_stop(options)) {
          flush();
          flushed = now;
        }
        stop_if_asked(options);
      },
      [&](std::size_t sample, const Error& error) { hashes.failure[sample] = error; });
  flush();
  claim.reset();

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
