#pragma once

// The weights of one pass of resize(), as integers. Internal to this folder.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "openworld/images/resample.h"

namespace openworld {

inline constexpr int kWeightBits = 22;  // 32, less 8 of the pixels and 2 for sum and sign

// Result pixel i of the pass is the sum of taps[i].count source pixels from taps[i].first on, each
// times its weight.
struct PassWeights {
  struct Taps {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };
  std::vector<Taps> taps;
  std::vector<std::int32_t> values;  // `stride` for every result pixel
  std::size_t stride = 0;

  const std::int32_t* of(std::size_t i) const { return &values[i * stride]; }
};

// One axis of a resize: [begin, end) of `source` pixels becomes `result` pixels, of which those
// from `part_begin` on, `part_size` in number, are wanted.
struct Axis {
  std::int64_t source = 0;
  float begin = 0;
  float end = 0;
  std::int64_t result = 0;
  std::int64_t part_begin = 0;
  std::int64_t part_size = 0;

  // Whether result and source are the same pixels.
  bool is_identity() const {
    return source == result && begin == 0 && end == static_cast<float>(source);
  }
};

PassWeights make_weights(const Axis& axis, Filter filter);

}  // namespace openworld
