#include "openworld/osr/openauc.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/ones.h>
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "openworld/osr/linear_head.h"
#include "openworld/vlm/index_tensor.h"

namespace openworld {
namespace {

using at::Tensor;

// The logarithm of a variable of Gamma(alpha), which may be too small for a double. Marsaglia and
// Tsang, 2000.
double log_gamma_variable(double alpha, Random& random) {
  if (alpha < 1) {
    const double more = log_gamma_variable(alpha + 1, random);
    return more + std::log(1 - random.uniform()) / alpha;
  }
  const double d = alpha - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = random.normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = 1 - random.uniform();
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return std::log(d * v);
  }
}

class OpenAucHead : public LinearHead {
 public:
  OpenAucHead(const HeadShape& shape, std::uint64_t seed, const OpenAucOptions& options)
      : LinearHead(shape, seed), options_(options) {}

  MixDraw draw(std::int64_t n, Random& random) const override {
    const std::int64_t mixed = mixed_of(n);
    if (mixed == 0) return {};
    std::vector<std::uint32_t> order(static_cast<std::size_t>(mixed));
    std::iota(order.begin(), order.end(), 0u);
    shuffle(order, random);
    return {.order = {order.begin(), order.end()},
            .share = symmetric_beta(options_.mix_alpha, random)};
  }

  Tensor loss(const Tensor& features, const Tensor& labels, const MixDraw& draw) const override {
    const Tensor all = logits(features);
    const Tensor closed =
        smoothed_cross_entropy(all / options_.temperature, labels, options_.smoothing);
    const std::int64_t n = features.size(0), mixed = static_cast<std::int64_t>(draw.order.size());
    if (mixed == 0 || options_.open_weight == 0) return closed;
    // The last `mixed` samples are mixed, and paired with the first ones.
    const Tensor order = index_tensor(draw.order, labels.device());
    const Tensor sources = features.narrow(0, n - mixed, mixed);
    const Tensor of_sources = labels.narrow(0, n - mixed, mixed);
    const Tensor fakes = draw.share * sources + (1 - draw.share) * sources.index_select(0, order);
    const Tensor real = all.narrow(0, 0, mixed);
    Tensor hit = at::ones({mixed}, features.options().requires_grad(false));
    if (options_.only_other_class) hit = hit * of_sources.ne(of_sources.index_select(0, order));
    if (options_.only_right) hit = hit * real.argmax(1).eq(labels.narrow(0, 0, mixed));
    const Tensor hits = hit.sum();
    if (hits.item<double>() == 0) return closed;
    const Tensor away = 1 + at::amax(logits(fakes), 1) - at::amax(real, 1);
    return closed + options_.open_weight * (hit * away.square()).sum() / hits;
  }

 private:
  std::int64_t mixed_of(std::int64_t n) const {
    if (options_.pairs == MixPairs::kShuffled) return n;
    return n % 2 == 0 ? n / 2 : 0;
  }

  OpenAucOptions options_;
};

}  // namespace

double symmetric_beta(double alpha, Random& random) {
  const double a = log_gamma_variable(alpha, random), b = log_gamma_variable(alpha, random);
  return 1 / (1 + std::exp(b - a));
}

void OpenAucOptions::declare(OptionList& list) {
  list.add("open_weight", open_weight, 0, 1e6, "of the pair loss, the paper's lambda");
  list.add("mix_alpha", mix_alpha, 1e-3, 1e6,
           "of the Beta distribution that features are mixed by");
  list.add("pairs", pairs, {{"halves", MixPairs::kHalves}, {"shuffled", MixPairs::kShuffled}},
           "mix the second half of a batch, as the released code, or all of it, as the appendix");
  list.add("only_right", only_right, "count pairs whose real sample is classified rightly alone");
  list.add("only_other_class", only_other_class, "count mixtures of two classes alone");
  OsrOptions::declare(list);
}

std::string OpenAucOptions::against_divergence() const {
  return OsrOptions::against_divergence() + fmt::format(", or open_weight={:g}", open_weight / 2);
}

std::unique_ptr<OsrHead> OpenAucOptions::make(const HeadShape& shape, std::uint64_t seed) const {
  return std::make_unique<OpenAucHead>(shape, seed, *this);
}

}  // namespace openworld
