#include "openworld/vlm/sample_batches.h"

#include <ATen/ops/from_blob.h>

#include "openworld/images/image_loader.h"
#include "openworld/images/transform.h"

namespace openworld {

void SampleBatches::for_each(const Take& take, const Fail& fail) const {
  const std::int64_t size = preprocessing.image_size;
  ImageLoader loader({
      .items = samples.size(),
      .batch_size = batch,
      .image_values = static_cast<std::size_t>(3 * size * size),
      .threads = threads,
      .open =
          [&](std::size_t i) {
            return ImageFile{read_sample(dataset, samples[i]),
                             {"decode_image", sample_name(dataset, samples[i])}};
          },
      .transform =
          [&](const Image& image, std::size_t i, std::span<float> chw) {
            if (transform) return transform(image, i, chw);
            clip_transform(image, preprocessing, chw);
          },
  });
  std::size_t done = 0;
  if (on_progress) on_progress(done, samples.size());
  while (auto part = loader.next()) {
    const auto count = static_cast<std::int64_t>(part->indices.size());
    if (count > 0) {
      take(part->indices, at::from_blob(part->chw.data(), {count, 3, size, size}, at::kFloat));
    }
    for (const auto& failure : part->failures) fail(failure.index, failure.error);
    done += part->indices.size() + part->failures.size();
    if (on_progress) on_progress(done, samples.size());
  }
}

}  // namespace openworld
