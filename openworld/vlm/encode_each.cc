#include "openworld/vlm/encode_each.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>

#include "openworld/vlm/inner_threads.h"

namespace openworld {

VisionFeatures encode_each(const VisionTower& tower, const at::Tensor& images, WorkerPool& pool,
                           const VisionOptions& options) {
  if (!tower.weights.patch.is_cpu()) {
    const at::NoGradGuard no_grad;
    return encode_images(tower, images, options);
  }
  const BlasThreads blas(1);
  const auto count = static_cast<std::size_t>(images.size(0));
  std::vector<at::Tensor> features(count), local(count);
  pool.run(count, [&](std::size_t i) {
    const OpenMpThreads one(1);
    const at::NoGradGuard no_grad;
    const VisionFeatures part =
        encode_images(tower, images.narrow(0, static_cast<std::int64_t>(i), 1), options);
    features[i] = part.features;
    local[i] = part.local;
  });
  return {at::cat(features), options.local ? at::cat(local) : at::Tensor()};
}

}  // namespace openworld
