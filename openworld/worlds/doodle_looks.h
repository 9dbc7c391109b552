#pragma once

// Pictures of drawings in five looks (domains): the plain drawing and four shifts of the kind that
// ImageNet's variants have. The class never changes, only the appearance.
//
//   const Picture chalk = draw(Doodles::get(), cat, 70, {.look = Look::kChalk});
//
// A picture is a function of the drawing and its style; the style's key comes from the seed of the
// world, the class, the number of the drawing and the look (doodle_key), not from the dataset: a
// cat of `animals` and that cat of `all` are the same pixels. Integer arithmetic throughout, hence
// equal bytes on every machine. 56 x 56 pixels take 0.1 to 0.5 ms.

#include <cstdint>
#include <span>
#include <string_view>

#include "openworld/images/image.h"
#include "openworld/worlds/doodles.h"

namespace openworld {

enum class Look { kPlain, kRedrawn, kChalk, kCrayon, kCluttered };

struct LookRow {
  Look look;
  std::string_view name;
  std::string_view description;  // one line
  std::string_view mirrors;      // the variant of ImageNet that differs from it in the same way
};

// In the order of the enum.
std::span<const LookRow> looks();

// The row of that name, or nullptr.
const LookRow* find_look(std::string_view name);

struct DoodleStyle {
  Look look = Look::kPlain;
  int percent = 100;      // the size of the drawing about the centre, 50 to 100
  std::uint64_t key = 0;  // names the random numbers
};

std::uint64_t doodle_key(std::uint64_t seed, int class_index, int k, Look look);

struct Picture {
  Image image;             // 56 x 56
  std::string_view ink;    // the colour of the strokes in a word: "black", "red"
  std::string_view paper;  // and of what they are on: "white", "green"
};

// Safe from several threads. REQUIRES: as Doodles::drawing; 50 <= percent <= 100.
Picture draw(const Doodles& doodles, int class_index, int k, const DoodleStyle& style);

}  // namespace openworld
