#include "openworld/detection/mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "openworld/base/error.h"
#include "openworld/io/memory_limit.h"

namespace openworld {
namespace {

// The grid on which outlines are walked has this many steps a pixel.
constexpr double kScale = 5;

// Of one outline: 13 million pixels. A polygon may go to and fro across an image of 2^31 pixels at
// every corner.
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 26;

// Half-open ranges of pixels of the object, ascending, in place of runs.
using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Mask from_ranges(const Ranges& ranges, std::uint32_t height, std::uint32_t width) {
  Mask mask{height, width, {}};
  std::uint64_t at = 0;
  for (const auto& [begin, end] : ranges) {
    mask.runs.push_back(static_cast<std::uint32_t>(begin - at));
    mask.runs.push_back(static_cast<std::uint32_t>(end - begin));
    at = end;
  }
  const std::uint64_t pixels = std::uint64_t{height} * width;
  if (at < pixels || mask.runs.empty()) {
    mask.runs.push_back(static_cast<std::uint32_t>(pixels - at));
  }
  return mask;
}

// Walks an outline on the fine grid and keeps where it crosses the middle of pixel columns, as
// positions along the columns.
class OutlineWalk {
 public:
  OutlineWalk(std::uint32_t height, std::uint32_t width) : height_(height), width_(width) {}

  void visit(int u, int v) {
    if (started_ && u != u_) cross(u, v);
    u_ = u;
    v_ = v;
    started_ = true;
  }

  std::vector<std::uint64_t>& crossings() { return crossings_; }

 private:
  void cross(int u, int v) {
    const double column = (static_cast<double>(u < u_ ? u : u - 1) + 0.5) / kScale - 0.5;
    if (std::floor(column) != column || column < 0 || column > static_cast<double>(width_) - 1) {
      return;
    }
    const double row = (static_cast<double>(std::min(v, v_)) + 0.5) / kScale - 0.5;
    const double top = std::ceil(std::clamp(row, 0.0, static_cast<double>(height_)));
    crossings_.push_back(static_cast<std::uint64_t>(column) * height_ +
                         static_cast<std::uint64_t>(top));
  }

  std::uint32_t height_, width_;
  std::vector<std::uint64_t> crossings_;
  int u_ = 0, v_ = 0;
  bool started_ = false;
};

// The grid points of one edge, from its first corner to its second.
void walk_edge(OutlineWalk& walk, int xs, int ys, int xe, int ye) {
  const int dx = std::abs(xe - xs), dy = std::abs(ye - ys);
  if (dx == 0 && dy == 0) return walk.visit(xs, ys);
  const bool flat = dx >= dy;
  const bool flip = flat ? xs > xe : ys > ye;
  if (flip) {
    std::swap(xs, xe);
    std::swap(ys, ye);
  }
  const int steps = flat ? dx : dy;
  const double slope = flat ? static_cast<double>(ye - ys) / dx : static_cast<double>(xe - xs) / dy;
  for (int step = 0; step <= steps; ++step) {
    const int t = flip ? steps - step : step;
    if (flat) {
      walk.visit(xs + t, static_cast<int>(ys + slope * t + 0.5));
    } else {
      walk.visit(static_cast<int>(xs + slope * t + 0.5), ys + t);
    }
  }
}

// A corner may lie outside of the image, by its size at most: what is farther away is a mistake,
// and the walk takes a step for each fifth of a pixel.
void check_corner(double value, std::uint32_t size, std::size_t at) {
  if (!(value >= -static_cast<double>(size) && value <= 2.0 * size)) {
    fail("mask", fmt::format("coordinate {} of a polygon is {}; expected it within {} of the image",
                             at, value, size));
  }
}

}  // namespace

std::uint64_t Mask::area() const {
  std::uint64_t area = 0;
  for (std::size_t i = 1; i < runs.size(); i += 2) area += runs[i];
  return area;
}

Box Mask::box() const {
  std::uint64_t left = width, right = 0, top = height, bottom = 0, at = 0;
  for (std::size_t i = 0; i < runs.size(); at += runs[i], ++i) {
    if (i % 2 == 0 || runs[i] == 0) continue;
    const std::uint64_t last = at + runs[i] - 1;
    left = std::min(left, at / height);
    right = std::max(right, last / height);
    const bool one_column = at / height == last / height;
    top = std::min(top, one_column ? at % height : 0);
    bottom = std::max(bottom, one_column ? last % height : height - std::uint64_t{1});
  }
  if (left > right || area() == 0) return {};
  return {static_cast<double>(left), static_cast<double>(top),
          static_cast<double>(right - left + 1), static_cast<double>(bottom - top + 1)};
}

Mask mask_from_runs(std::vector<std::uint32_t> runs, std::uint32_t height, std::uint32_t width) {
  std::uint64_t sum = 0;
  for (const std::uint32_t run : runs) sum += run;
  if (sum != std::uint64_t{height} * width) {
    fail("mask", fmt::format("the runs add up to {} pixels; expected {} x {} = {}", sum, height,
                             width, std::uint64_t{height} * width));
  }
  return {height, width, std::move(runs)};
}

Mask mask_from_text(std::string_view text, std::uint32_t height, std::uint32_t width) {
  std::vector<std::uint32_t> runs;
  std::size_t at = 0;
  while (at < text.size()) {
    std::int64_t value = 0;
    int shift = 0;
    bool more = true;
    while (more) {
      if (at == text.size()) fail("mask", "the RLE text ends within a number");
      const int c = static_cast<unsigned char>(text[at]) - 48;
      if (c < 0 || c > 63 || shift > 30) {
        fail("mask",
             fmt::format("character {} of the RLE text is not a digit of a run length", at));
      }
      ++at;
      value |= static_cast<std::int64_t>(c & 0x1f) << shift;
      shift += 5;
      more = (c & 0x20) != 0;
      if (!more && (c & 0x10) != 0) value -= std::int64_t{1} << shift;
    }
    if (runs.size() > 2) value += runs[runs.size() - 2];
    if (value < 0 || value > static_cast<std::int64_t>(kMaxPixels)) {
      fail("mask",
           fmt::format("run {} of the RLE text is {}; expected 0 or more", runs.size(), value));
    }
    runs.push_back(static_cast<std::uint32_t>(value));
  }
  return mask_from_runs(std::move(runs), height, width);
}

std::string mask_to_text(const Mask& mask) {
  std::string text;
  for (std::size_t i = 0; i < mask.runs.size(); ++i) {
    std::int64_t value = mask.runs[i];
    if (i > 2) value -= mask.runs[i - 2];
    bool more = true;
    while (more) {
      int c = static_cast<int>(value & 0x1f);
      value >>= 5;
      more = (c & 0x10) != 0 ? value != -1 : value != 0;
      if (more) c |= 0x20;
      text += static_cast<char>(c + 48);
    }
  }
  return text;
}

void OutlineBudget::take(std::uint64_t pixels) {
  constexpr std::uint64_t kPixelBytes = 8;
  taken_ += pixels;
  const std::string refusal =
      memory_refusal(kPixelBytes * taken_, file_bytes_,
                     fmt::format("polygons whose outlines are {} pixels long so far", taken_));
  if (!refusal.empty()) fail("mask", refusal);
}

Mask mask_from_polygon(std::span<const double> xy, std::uint32_t height, std::uint32_t width,
                       OutlineBudget& outlines) {
  if (xy.size() < 6 || xy.size() % 2 != 0) {
    fail("mask", fmt::format("a polygon has {} coordinates; expected an even number, 6 or more",
                             xy.size()));
  }
  for (std::size_t i = 0; i < xy.size(); ++i) check_corner(xy[i], i % 2 == 0 ? width : height, i);
  const auto grid = [](double value) { return static_cast<int>(kScale * value + 0.5); };
  std::uint64_t steps = 0;
  for (std::size_t i = 0; i < xy.size(); ++i) {
    steps += static_cast<std::uint64_t>(std::abs(grid(xy[(i + 2) % xy.size()]) - grid(xy[i])));
  }
  if (steps > kMaxSteps) {
    fail("mask",
         fmt::format("a polygon is {:.0f} pixels long; expected {:.0f} at most",
                     static_cast<double>(steps) / kScale, static_cast<double>(kMaxSteps) / kScale));
  }
  outlines.take(steps / static_cast<std::uint64_t>(kScale));
  OutlineWalk walk(height, width);
  for (std::size_t i = 0; i < xy.size(); i += 2) {
    const std::size_t next = (i + 2) % xy.size();
    walk_edge(walk, grid(xy[i]), grid(xy[i + 1]), grid(xy[next]), grid(xy[next + 1]));
  }
  auto& crossings = walk.crossings();
  std::sort(crossings.begin(), crossings.end());
  // Each crossing toggles the rest of the image.
  crossings.push_back(std::uint64_t{height} * width);
  Ranges ranges;
  for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) {
    if (crossings[i] == crossings[i + 1]) continue;
    if (!ranges.empty() && ranges.back().second == crossings[i]) {
      ranges.back().second = crossings[i + 1];
    } else {
      ranges.emplace_back(crossings[i], crossings[i + 1]);
    }
  }
  return from_ranges(ranges, height, width);
}

Mask mask_union(std::span<const Mask> masks) {
  if (masks.size() == 1) return masks[0];
  Ranges ranges;
  for (const Mask& mask : masks) {
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < mask.runs.size(); at += mask.runs[i], ++i) {
      if (i % 2 == 1 && mask.runs[i] > 0) ranges.emplace_back(at, at + mask.runs[i]);
    }
  }
  std::sort(ranges.begin(), ranges.end());
  Ranges joined;
  for (const auto& range : ranges) {
    if (!joined.empty() && range.first <= joined.back().second) {
      joined.back().second = std::max(joined.back().second, range.second);
    } else {
      joined.push_back(range);
    }
  }
  return from_ranges(joined, masks[0].height, masks[0].width);
}

double mask_iou(const Mask& detection, const Mask& object, bool crowd) {
  if (detection.height != object.height || detection.width != object.width) return -1;
  std::uint64_t both = 0, either = 0;
  std::size_t a = 0, b = 0;
  std::uint64_t left_a = detection.runs.empty() ? 0 : detection.runs[0];
  std::uint64_t left_b = object.runs.empty() ? 0 : object.runs[0];
  while (a < detection.runs.size() && b < object.runs.size()) {
    const std::uint64_t step = std::min(left_a, left_b);
    const bool in_a = a % 2 == 1, in_b = b % 2 == 1;
    if (in_a && in_b) both += step;
    if (in_a || in_b) either += step;
    left_a -= step;
    left_b -= step;
    if (left_a == 0 && ++a < detection.runs.size()) left_a = detection.runs[a];
    if (left_b == 0 && ++b < object.runs.size()) left_b = object.runs[b];
  }
  if (both == 0) return 0;
  return static_cast<double>(both) / static_cast<double>(crowd ? detection.area() : either);
}

}  // namespace openworld
