#include "openworld/analysis/same_samples.h"

#include <fmt/format.h>

#include "openworld/base/error.h"

namespace openworld {

void check_same_samples(std::string_view function, const Outcomes& a, const Outcomes& b,
                        std::string_view name_a, std::string_view name_b) {
  if (a.size() != b.size()) {
    fail(function, fmt::format("{} has {} samples and {} {}; expected the same samples in the same "
                               "order",
                               name_a, a.size(), name_b, b.size()));
  }
  const auto refuse = [&](std::string_view array, std::size_t i, int of_a, int of_b) {
    fail(function, fmt::format("{}[{}] is {} in {} and {} in {}; expected the same samples in the "
                               "same order",
                               array, i, of_a, name_a, of_b, name_b));
  };
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a.side[i] != b.side[i]) refuse("side", i, a.side[i], b.side[i]);
    const bool labelled = !a.label.empty() && !b.label.empty() && a.side[i] >= 0;
    if (labelled && a.label[i] != b.label[i]) refuse("label", i, a.label[i], b.label[i]);
  }
}

}  // namespace openworld
