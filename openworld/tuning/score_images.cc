#include "openworld/tuning/score_images.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>

#include <algorithm>

#include "openworld/base/error.h"
#include "openworld/vlm/feature_store.h"
#include "openworld/vlm/inner_threads.h"

namespace openworld {
namespace {

using at::Tensor;

// Images that are scored at once, and where they have patches or pixels, which take 200 times the
// memory.
constexpr std::int64_t kFeatureRows = 4096, kImageRows = 256;

Tensor joined(const std::vector<Tensor>& parts) {
  return at::cat(parts).to(at::kCPU).contiguous();
}

}  // namespace

std::span<const float> floats_of(const Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

Scores score_images(const Scorer& scorer, ImageInput input, const TestImages& test) {
  const at::NoGradGuard no_grad;
  std::vector<Tensor> base_logits, new_logits, r;
  const std::int64_t most = input == ImageInput::kFeatures ? kFeatureRows : kImageRows;
  const std::int64_t all = test.features.size(0);
  for (std::int64_t begin = 0; begin < all; begin += most) {
    const std::int64_t rows = std::min(most, all - begin);
    ScoredImages images{.features = test.features.narrow(0, begin, rows)};
    if (test.lengths.defined()) images.lengths = test.lengths.narrow(0, begin, rows);
    if (input != ImageInput::kFeatures) {
      test.add_input(std::span(test.samples)
                         .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(rows)),
                     input, images);
    }
    // Small products; on one thread their bits do not depend on how many there are.
    const BlasThreads blas(1);
    const OpenMpThreads open_mp(1);
    const Scores part = scorer(images);
    base_logits.push_back(part.base_logits);
    new_logits.push_back(part.new_logits);
    r.push_back(part.r);
  }
  const Scores scores = {joined(base_logits), joined(new_logits), joined(r)};
  for (const Tensor* values : {&scores.base_logits, &scores.new_logits, &scores.r}) {
    if (is_finite(floats_of(*values))) continue;
    fail("tune",
         "scores of the test images hold NaN or infinity; the model's features of them or of the "
         "names are zero or not finite");
  }
  return scores;
}

}  // namespace openworld
