#pragma once

// The images of a dataset as the vision tower takes them, in any order, decoded ahead on other
// threads.
//
//   const PixelSource source(dataset, clip.config.preprocessing, {.seed = 1});
//   PixelStream stream = source.stream(items, 32);
//   while (stream.left() > 0) train(stream.next());  // [32, 3, size, size], then what is left
//
// Pixels depend on (seed, view, sample) alone, not on order, batches, threads or memory.

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "openworld/images/image_loader.h"
#include "openworld/images/preprocessing.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

// One image to serve.
struct PixelItem {
  std::size_t sample = 0;  // of the dataset

  // Without: CLIP's test transform. View v: the random resized crop and flip named (seed, v,
  // sample), the pixels whose features view_features gives (transform.h). Views have no end: the
  // number of the epoch as view is an augmentation that is new in every epoch.
  std::optional<std::uint64_t> view = {};
};

struct PixelOptions {
  std::uint64_t seed = 1;
  int threads = 0;  // that read and decode; 0: all cores
  // For batches that are decoded before they are asked for. One is always, whatever its size.
  std::int64_t memory_mib = 512;
};

// A list of items, batch by batch, in order.
class PixelStream {
 public:
  // [n, 3, size, size] on the CPU, its own memory. Throws Error for the first image of the batch
  // that cannot be read, with its name. REQUIRES: left() > 0.
  at::Tensor next();

  // Items that are not served yet.
  std::size_t left() const { return left_; }

 private:
  friend class PixelSource;

  std::unique_ptr<ImageLoader> loader_;
  std::int64_t size_ = 0;
  std::size_t left_ = 0;
};

class PixelSource {
 public:
  PixelSource(Dataset dataset, const Preprocessing& preprocessing,
              const PixelOptions& options = {});

  const Dataset& dataset() const { return dataset_; }

  // Starts to decode `items`. The source outlives the stream. Throws Error for a sample that the
  // dataset does not have, and for batches of nothing.
  PixelStream stream(std::vector<PixelItem> items, std::size_t batch) const;

 private:
  Dataset dataset_;
  Preprocessing preprocessing_;
  PixelOptions options_;
};

// All of the dataset in order, by the test transform.
std::vector<PixelItem> test_items(const Dataset& dataset);

}  // namespace openworld
