#pragma once

// Images of a dataset as the vision tower takes them, batch by batch, decoded ahead on other
// threads.

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/images/image.h"
#include "openworld/images/preprocessing.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

struct SampleBatches {
  const Dataset& dataset;
  const std::vector<std::size_t>& samples;  // of the dataset
  const Preprocessing& preprocessing;
  std::size_t batch = 32;
  int threads = 0;  // that read and decode; 0: all cores

  // Image to planes; `item` is a place in `samples`. By default CLIP's test transform.
  std::function<void(const ImageView& image, std::size_t item, std::span<float> chw)> transform =
      {};
  std::function<void(std::size_t done, std::size_t total)> on_progress = {};

  // `items` are places in `samples`; images are [items, 3, size, size], valid until it returns.
  using Take = std::function<void(std::span<const std::size_t> items, const at::Tensor& images)>;
  using Fail = std::function<void(std::size_t item, const Error& error)>;

  // Calls `take` for each batch of images that could be read, `fail` for each that could not.
  void for_each(const Take& take, const Fail& fail) const;
};

}  // namespace openworld
