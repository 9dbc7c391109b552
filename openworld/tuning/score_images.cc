#include "openworld/tuning/score_images.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>

#include <algorithm>
#include <numeric>

#include "openworld/base/error.h"
#include "openworld/vlm/feature_store.h"
#include "openworld/vlm/index_tensor.h"
#include "openworld/vlm/inner_threads.h"

namespace openworld {
namespace {

using at::Tensor;

// Images that are scored at once, and where they have patches or pixels, which take 200 times the
// memory.
constexpr std::size_t kFeatureRows = 4096, kImageRows = 256;

}  // namespace

std::span<const float> floats_of(const Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

std::size_t rows_at_once(ImageInput input) {
  return input == ImageInput::kFeatures ? kFeatureRows : kImageRows;
}

void score_rows(const ViewScorer& scorer, ImageInput input, const TestImages& test,
                std::span<const std::size_t> rows, std::span<const NameColumns> views,
                const TakeScores& take) {
  const at::NoGradGuard no_grad;
  const std::size_t most = rows_at_once(input);
  for (std::size_t begin = 0; begin < rows.size(); begin += most) {
    const auto some = rows.subspan(begin, std::min(most, rows.size() - begin));
    const std::vector<std::int64_t> indices(some.begin(), some.end());
    const Tensor chosen = index_tensor(indices, test.features.device());
    ScoredImages images{.features = test.features.index_select(0, chosen)};
    if (test.lengths.defined()) images.lengths = test.lengths.index_select(0, chosen);
    if (input != ImageInput::kFeatures) {
      std::vector<std::size_t> samples;
      for (const std::size_t row : some) samples.push_back(test.samples[row]);
      test.add_input(samples, input, images);
    }
    std::vector<Scores> scores;
    {
      // Small products; on one thread their bits do not depend on how many there are.
      const BlasThreads blas(1);
      const OpenMpThreads open_mp(1);
      scores = scorer(images, views);
    }
    for (Scores& of_view : scores) {
      for (Tensor* values : {&of_view.base_logits, &of_view.new_logits, &of_view.r}) {
        *values = values->to(at::kCPU).contiguous();
        if (is_finite(floats_of(*values))) continue;
        fail("tune",
             "scores of the test images hold NaN or infinity; the model's features of them or of "
             "the names are zero or not finite");
      }
    }
    take(some, std::move(scores));
  }
}

Scores score_images(const Scorer& scorer, ImageInput input, const TestImages& test) {
  const ViewScorer of_one = [&](const ScoredImages& images, std::span<const NameColumns>) {
    return std::vector{scorer(images)};
  };
  std::vector<Tensor> base_logits, new_logits, r;
  std::vector<std::size_t> rows(test.samples.size());
  std::iota(rows.begin(), rows.end(), 0);
  score_rows(of_one, input, test, rows, {},
             [&](std::span<const std::size_t>, std::vector<Scores> scores) {
               base_logits.push_back(scores[0].base_logits);
               new_logits.push_back(scores[0].new_logits);
               r.push_back(scores[0].r);
             });
  return {at::cat(base_logits), at::cat(new_logits), at::cat(r)};
}

}  // namespace openworld
