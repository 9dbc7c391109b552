#include "openworld/learners/common/otsu.h"

#include <gtest/gtest.h>

#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/random.h"

namespace openworld {
namespace {

// Splits at every bin centre by the definition: weights and means of the two sides.
double by_definition(const std::vector<float>& values) {
  double low = values[0], high = values[0];
  for (const double v : values) low = std::min(low, v), high = std::max(high, v);
  const double step = (high - low) / 256;
  double best = -1, threshold = 0;
  for (int i = 0; i < 255; ++i) {
    const double edge = low + (i + 1) * step;
    double n[2] = {}, sum[2] = {};
    for (const double v : values) {
      const int bin = std::min(255, static_cast<int>((v - low) / step));
      const int side = bin <= i ? 0 : 1;
      ++n[side];
      sum[side] += low + (bin + 0.5) * step;
    }
    const double gap = sum[0] / n[0] - sum[1] / n[1];
    if (n[0] * n[1] * gap * gap > best) {
      best = n[0] * n[1] * gap * gap;
      threshold = edge - step / 2;
    }
  }
  return threshold;
}

TEST(Otsu, IsTheCutWithTheMostVarianceBetweenSides) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    std::vector<float> values;
    for (int i = 0; i < 200; ++i) {
      const double centre = i % 3 == 0 ? 0.2 : 0.7;
      values.push_back(static_cast<float>(centre + 0.1 * random.normal()));
    }
    EXPECT_NEAR(otsu_threshold(values), by_definition(values), 1e-9);
  }
}

TEST(Otsu, OfEqualValuesIsThatValue) {
  EXPECT_EQ(otsu_threshold(std::vector<float>{0.5f, 0.5f}), 0.5);
  EXPECT_THROW(otsu_threshold({}), Error);
}

}  // namespace
}  // namespace openworld
