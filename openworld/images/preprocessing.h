#pragma once

// How an image becomes the input of a vision tower: resized so that its shorter side is image_size,
// centre-cropped, value / 255, minus mean, over std, per channel. A header of its own without the
// image library, so that descriptions of models can hold one and need no codec.

#include <array>
#include <cstdint>

namespace openworld {

struct Preprocessing {
  std::int64_t image_size = 224;
  std::array<double, 3> mean = {0.48145466, 0.4578275, 0.40821073};
  std::array<double, 3> std = {0.26862954, 0.26130258, 0.27577711};

  bool operator==(const Preprocessing&) const = default;
};

}  // namespace openworld
