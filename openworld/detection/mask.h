#pragma once

// Mask: the pixels of an object as run lengths, in COCO's three notations.
//
// Runs go down the columns of the image, from the left, and alternate between background and
// object, background first (it may be 0 long). They add up to height x width. Compressed RLE writes
// each run, from the fourth on less the run two before it, in groups of five bits as characters 48
// to 111. Polygons are filled as COCO's mask API fills them: corners are scaled by 5 and rounded,
// the outline is walked on that grid, and a pixel column is toggled where the walk crosses it.
//
// Lin et al., "Microsoft COCO: Common Objects in Context", ECCV 2014.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "openworld/detection/box.h"

namespace openworld {

struct Mask {
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  std::vector<std::uint32_t> runs;

  // Number of pixels of the object.
  std::uint64_t area() const;
  // The smallest box around them; all zeros for an empty mask.
  Box box() const;
};

// The largest height x width of a mask.
inline constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 31;

// Throw Error("[mask] ...") where the runs do not add up to height x width, or the text is not RLE.
// REQUIRES: height x width <= kMaxPixels.
Mask mask_from_runs(std::vector<std::uint32_t> runs, std::uint32_t height, std::uint32_t width);
Mask mask_from_text(std::string_view text, std::uint32_t height, std::uint32_t width);

// How long the outlines of a file's polygons may be in all. They count as memory, 8 bytes for each
// pixel of length: four corners of a large image are thousands of runs, and a file can have many.
class OutlineBudget {
 public:
  explicit OutlineBudget(std::uint64_t file_bytes) : file_bytes_(file_bytes) {}
  // Throws Error("[mask] ...") where there is not so much left.
  void take(std::uint64_t pixels);

 private:
  std::uint64_t file_bytes_;
  std::uint64_t taken_ = 0;
};

// The pixels of one polygon, x and y in turn. Throws Error for fewer than three corners, an odd
// number of coordinates, corners that are not finite or more than an image's size away from it, and
// an outline that is longer than `outlines` has left.
Mask mask_from_polygon(std::span<const double> xy, std::uint32_t height, std::uint32_t width,
                       OutlineBudget& outlines);

// The pixels in any of them. REQUIRES: masks is not empty, and all are of one size.
Mask mask_union(std::span<const Mask> masks);

// Compressed RLE, as mask_from_text reads it.
std::string mask_to_text(const Mask& mask);

// Intersection over union; over the area of `detection` where the object is a crowd. -1 where the
// sizes differ, as in COCO's mask API.
double mask_iou(const Mask& detection, const Mask& object, bool crowd);

}  // namespace openworld
