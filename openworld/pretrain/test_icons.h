#pragma once

// Folders of small icons for tests: six shapes of one colour each, noisy, with names, captions and
// words; and drawings of the same shapes without names.

#include <string>
#include <vector>

#include "openworld/base/random.h"
#include "openworld/io/npz.h"
#include "openworld/io/test_util.h"

namespace openworld::testing {

inline constexpr const char* kIconNames[] = {"left bar", "right bar", "top bar",
                                             "low bar",  "square",    "ring"};

// Writes `count` icons of 16 x 16 pixels; icon i has the name i % 6. Returns the folder.
inline std::string write_icons(const TempFolder& folder, const std::string& name, std::size_t count,
                               bool named, std::uint64_t seed) {
  constexpr std::size_t kSide = 16;
  std::vector<std::uint8_t> pixels;
  std::string lines;
  Random random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t kind = i % 6;
    for (std::size_t y = 0; y < kSide; ++y) {
      for (std::size_t x = 0; x < kSide; ++x) {
        const bool middle = x >= 4 && x < 12 && y >= 4 && y < 12;
        const bool hole = x >= 6 && x < 10 && y >= 6 && y < 10;
        const bool ink[] = {x < 5, x >= 11, y < 5, y >= 11, middle, middle && !hole};
        const auto noise = static_cast<int>(random.below(40));
        pixels.push_back(static_cast<std::uint8_t>(ink[kind] ? noise : 255 - noise));
      }
    }
    const std::string text = kIconNames[kind];
    lines += named ? R"({"name": ")" + text + R"(", "captions": ["a )" + text +
                         R"(", "icon of a )" + text + "\"]}\n"
                   : "{}\n";
  }
  const Dtype bytes{Dtype::Kind::kUint, 1, true};
  const std::vector<NpzEntry> entries = {
      {"images", bytes, {count, kSide, kSide}, std::as_bytes(std::span(pixels))}};
  folder.write(name + "/images.npz", make_npz(entries));
  folder.write(name + "/pairs.jsonl", lines);
  return folder / name;
}

}  // namespace openworld::testing
