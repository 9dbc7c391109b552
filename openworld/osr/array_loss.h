#pragma once

// A loss of open-set training from plain arrays, for callers that do not see libtorch: loss.h has
// it for tensors.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace openworld {

// In row-major order.
struct DoubleArray {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

struct ArrayLossInput {
  DoubleArray features;  // [n, width]
  std::vector<std::int64_t> label_shape, labels;
  std::map<std::string, DoubleArray> parameters = {};  // weight, or centers and perhaps radius
  std::optional<DoubleArray> generated = {};           // [m, width], for arpl-cs
  std::vector<std::int64_t> mix_order = {};            // for openauc, with the share of the first
  double mix_share = 1;
};

struct ArrayLoss {
  double loss = 0;
  std::map<std::string, DoubleArray> gradients;
  DoubleArray logits, scores;
};

// As osr_loss, in double precision. Throws Error as it does.
ArrayLoss array_loss(std::string_view method, const std::vector<std::string>& options,
                     const ArrayLossInput& input);

}  // namespace openworld
