#include "openworld/osr/softmax.h"

#include <ATen/TensorOperators.h>

#include "openworld/osr/linear_head.h"

namespace openworld {
namespace {

using at::Tensor;

class SoftmaxHead : public LinearHead {
 public:
  SoftmaxHead(const HeadShape& shape, std::uint64_t seed, const SoftmaxOptions& options)
      : LinearHead(shape, seed), temperature_(options.temperature), smoothing_(options.smoothing) {}

  Tensor loss(const Tensor& features, const Tensor& labels, const MixDraw&) const override {
    return smoothed_cross_entropy(logits(features) / temperature_, labels, smoothing_);
  }

 private:
  double temperature_, smoothing_;
};

}  // namespace

std::unique_ptr<OsrHead> SoftmaxOptions::make(const HeadShape& shape, std::uint64_t seed) const {
  return std::make_unique<SoftmaxHead>(shape, seed, *this);
}

}  // namespace openworld
