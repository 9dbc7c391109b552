#include "openworld/osr/arpl.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/log_softmax.h>

#include "openworld/osr/center_head.h"

namespace openworld {
namespace {

using at::Tensor;

class ArplHead : public CenterHead {
 public:
  ArplHead(const HeadShape& shape, std::uint64_t seed, const ArplOptions& options)
      : CenterHead(shape, seed, true),
        temperature_(options.temperature),
        smoothing_(options.smoothing),
        weight_(options.center_weight),
        confusion_weight_(options.confusion_weight()) {}

  Tensor logits(const Tensor& features) const override {
    return distances(features) - features.matmul(centers().t());
  }

  Tensor loss(const Tensor& features, const Tensor& labels, const MixDraw&) const override {
    const Tensor outside = (own_distances(features, labels) - radius() + 1).clamp_min(0);
    return smoothed_cross_entropy(logits(features) / temperature_, labels, smoothing_) +
           weight_ * outside.mean();
  }

  // exp of minus the mean entropy of softmax(D), without the dot product.
  Tensor confusion(const Tensor& features) const override {
    if (confusion_weight_ == 0) return {};
    const Tensor log = at::log_softmax(distances(features), 1);
    return confusion_weight_ * (log.exp() * log).sum(1).mean().exp();
  }

 private:
  double temperature_, smoothing_, weight_, confusion_weight_;
};

}  // namespace

void ArplOptions::declare(OptionList& list) {
  list.add("center_weight", center_weight, 0, 1e6, "of the margin around the radius");
  OsrOptions::declare(list);
}

std::unique_ptr<OsrHead> ArplOptions::make(const HeadShape& shape, std::uint64_t seed) const {
  return std::make_unique<ArplHead>(shape, seed, *this);
}

}  // namespace openworld
