#include "openworld/osr/rpl.h"

#include <ATen/TensorOperators.h>

#include "openworld/osr/center_head.h"

namespace openworld {
namespace {

using at::Tensor;

class RplHead : public CenterHead {
 public:
  RplHead(const HeadShape& shape, std::uint64_t seed, const RplOptions& options)
      : CenterHead(shape, seed, true),
        temperature_(options.temperature),
        smoothing_(options.smoothing),
        weight_(options.center_weight) {}

  Tensor logits(const Tensor& features) const override { return distances(features); }

  Tensor loss(const Tensor& features, const Tensor& labels, const MixDraw&) const override {
    const Tensor away = own_distances(features, labels) - radius();
    return smoothed_cross_entropy(logits(features) / temperature_, labels, smoothing_) +
           weight_ * away.square().mean();
  }

 private:
  double temperature_, smoothing_, weight_;
};

}  // namespace

void RplOptions::declare(OptionList& list) {
  list.add("center_weight", center_weight, 0, 1e6, "of the distance between sample and radius");
  OsrOptions::declare(list);
}

std::unique_ptr<OsrHead> RplOptions::make(const HeadShape& shape, std::uint64_t seed) const {
  return std::make_unique<RplHead>(shape, seed, *this);
}

}  // namespace openworld
