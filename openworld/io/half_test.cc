#include "openworld/io/half.h"

#include <cmath>
#include <vector>

#include "openworld/base/random.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

// sign * 2^(exponent - 15) * 1.fraction, or without the 1 at the smallest exponent.
float half_by_definition(std::uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 0x3ff;
  const float sign = half & 0x8000 ? -1.0f : 1.0f;
  if (exponent == 31) return fraction != 0 ? std::nanf("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
}

TEST(Half, WidensEveryHalfExactly) {
  std::vector<std::uint16_t> halves(65536 + 1);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  std::vector<float> floats(65536);
  // From the second byte of a copy, so that no item is aligned.
  const std::string shifted = "x" + testing::raw(halves);
  widen_halves(std::as_bytes(std::span(shifted)).subspan(1, 2 * 65536), floats);
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const auto half = static_cast<std::uint16_t>(i);
    const float expected = half_by_definition(half);
    ASSERT_EQ(bits(floats[i]), bits(half_to_float(half))) << i;
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(floats[i])) << i;
      ASSERT_EQ(bits(floats[i]) >> 31, i >> 15) << i;
    } else {
      ASSERT_EQ(bits(floats[i]), bits(expected)) << i;
    }
  }
}

TEST(Half, GoesThereAndBack) {
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const auto half = static_cast<std::uint16_t>(i);
    const bool signalling = (i & 0x7c00) == 0x7c00 && (i & 0x3ff) != 0;
    ASSERT_EQ(float_to_half(half_to_float(half)), signalling ? i | 0x200 : i) << i;
  }
}

// NumPy 1.24: np.float32.astype(np.float16).
TEST(Half, RoundsAsNumPyDoes) {
  const std::vector<std::pair<std::uint32_t, std::uint16_t>> values = {
      {0x3f800000, 0x3c00}, {0x477fe000, 0x7bff}, {0x477fefff, 0x7bff}, {0x477ff000, 0x7c00},
      {0x33800000, 0x0001}, {0x33000000, 0x0000}, {0x33000001, 0x0001}, {0x33c00000, 0x0002},
      {0x387fc000, 0x03ff}, {0x387fe000, 0x0400}, {0x387fffff, 0x0400}, {0x3f801000, 0x3c00},
      {0x3f803000, 0x3c02}, {0x7f800000, 0x7c00}, {0x7fc00001, 0x7e00}, {0x80000001, 0x8000}};
  for (const auto& [from, to] : values) {
    EXPECT_EQ(float_to_half(std::bit_cast<float>(from)), to) << std::hex << from;
  }
}

TEST(Half, ArraysAndSingleValuesAgree) {
  Random random(1);
  std::vector<float> floats(100'003);
  for (float& value : floats) {
    value = std::bit_cast<float>(static_cast<std::uint32_t>(random.below(std::uint64_t{1} << 32)));
  }
  // Most random floats are out of the range of halves; put the exponent of every second into it.
  for (std::size_t i = 0; i < floats.size(); i += 2) {
    const auto exponent = static_cast<std::uint32_t>(100 + random.below(45));
    floats[i] = std::bit_cast<float>((bits(floats[i]) & 0x807fffffu) | exponent << 23);
  }
  std::vector<std::uint16_t> halves(floats.size());
  narrow_to_halves(floats, halves);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    ASSERT_EQ(halves[i], float_to_half(floats[i])) << std::hex << bits(floats[i]);
  }
}

TEST(Bfloat, IsTheUpperHalfOfAFloat) {
  const std::vector<std::uint16_t> items = {0x3f80, 0xc049, 0x0001, 0x7f80, 0xff80, 0x0000, 0x8000};
  std::vector<float> floats(items.size());
  widen_bfloats(std::as_bytes(std::span(items)), floats);
  EXPECT_EQ(floats,
            (std::vector<float>{1.0f, -3.140625f, 0x1p-133f, INFINITY, -INFINITY, 0, -0.f}));
}

}  // namespace
}  // namespace openworld
