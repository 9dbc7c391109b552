#include "openworld/osr/gcpl.h"

#include <ATen/TensorOperators.h>

#include "openworld/osr/center_head.h"

namespace openworld {
namespace {

using at::Tensor;

class GcplHead : public CenterHead {
 public:
  GcplHead(const HeadShape& shape, std::uint64_t seed, const GcplOptions& options)
      : CenterHead(shape, seed, false),
        temperature_(options.temperature),
        smoothing_(options.smoothing),
        weight_(options.center_weight) {}

  Tensor logits(const Tensor& features) const override { return -distances(features); }

  Tensor loss(const Tensor& features, const Tensor& labels, const MixDraw&) const override {
    return smoothed_cross_entropy(logits(features) / temperature_, labels, smoothing_) +
           weight_ / 2 * own_distances(features, labels).mean();
  }

 private:
  double temperature_, smoothing_, weight_;
};

}  // namespace

void GcplOptions::declare(OptionList& list) {
  list.add("center_weight", center_weight, 0, 1e6, "of the distance to the own centre");
  OsrOptions::declare(list);
}

std::unique_ptr<OsrHead> GcplOptions::make(const HeadShape& shape, std::uint64_t seed) const {
  return std::make_unique<GcplHead>(shape, seed, *this);
}

}  // namespace openworld
