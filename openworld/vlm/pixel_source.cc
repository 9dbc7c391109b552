#include "openworld/vlm/pixel_source.h"

#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "openworld/base/error.h"
#include "openworld/images/transform.h"

namespace openworld {

PixelSource::PixelSource(Dataset dataset, const Preprocessing& preprocessing,
                         const PixelOptions& options)
    : dataset_(std::move(dataset)), preprocessing_(preprocessing), options_(options) {
  if (options.memory_mib < 1) {
    fail("PixelSource", fmt::format("memory must be at least 1 MiB, got {}", options.memory_mib));
  }
}

PixelStream PixelSource::stream(std::vector<PixelItem> items, std::size_t batch) const {
  for (const PixelItem& item : items) {
    if (item.sample < dataset_.samples.size()) continue;
    fail("PixelSource",
         fmt::format("no sample {}; the dataset has {}", item.sample, dataset_.samples.size()));
  }
  PixelStream stream;
  stream.size_ = preprocessing_.image_size;
  stream.left_ = items.size();
  const auto values = static_cast<std::size_t>(3 * stream.size_ * stream.size_);
  const std::size_t bytes = std::max<std::size_t>(batch, 1) * values * sizeof(float);
  const auto memory = static_cast<std::size_t>(options_.memory_mib) << 20;
  const auto list = std::make_shared<const std::vector<PixelItem>>(std::move(items));
  stream.loader_ = std::make_unique<ImageLoader>(ImageLoaderOptions{
      .items = list->size(),
      .batch_size = batch,
      .image_values = values,
      .threads = options_.threads,
      .batches_ahead = std::max<std::size_t>(memory / bytes, 1),
      .open =
          [this, list](std::size_t i) {
            const std::size_t sample = (*list)[i].sample;
            return ImageFile{read_sample(dataset_, sample),
                             {"decode_image", sample_name(dataset_, sample)}};
          },
      .transform =
          [this, list](const Image& image, std::size_t i, std::span<float> chw) {
            const PixelItem& item = (*list)[i];
            if (!item.view) return clip_transform(image, preprocessing_, chw);
            train_transform(image, preprocessing_, {options_.seed, *item.view, item.sample}, chw);
          },
  });
  return stream;
}

at::Tensor PixelStream::next() {
  auto batch = loader_->next();
  assert(batch);
  if (!batch->failures.empty()) throw batch->failures.front().error;
  const auto count = batch->indices.size();
  left_ -= count;
  // The tensor keeps the memory that the images were decoded into.
  const auto kept = std::make_shared<Buffer<float>>(std::move(batch->chw));
  return at::from_blob(
      kept->data(), {static_cast<std::int64_t>(count), 3, size_, size_}, [kept](void*) {},
      at::kFloat);
}

std::vector<PixelItem> test_items(const Dataset& dataset) {
  std::vector<PixelItem> items(dataset.samples.size());
  for (std::size_t i = 0; i < items.size(); ++i) items[i].sample = i;
  return items;
}

}  // namespace openworld
