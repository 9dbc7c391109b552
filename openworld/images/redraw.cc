#include "openworld/images/redraw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace openworld {
namespace {

double between(double low, double high, Random& random) {
  return low + (high - low) * random.uniform();
}

double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

std::array<std::uint8_t, 3> border_colour(const ImageView& image) {
  std::array<std::uint8_t, 3> colour{};
  std::vector<std::uint8_t> values;
  for (std::size_t c = 0; c < 3; ++c) {
    values.clear();
    for (int x = 0; x < image.width; ++x) {
      values.push_back(image.row(0)[3 * x + static_cast<int>(c)]);
      values.push_back(image.row(image.height - 1)[3 * x + static_cast<int>(c)]);
    }
    for (int y = 1; y + 1 < image.height; ++y) {
      values.push_back(image.row(y)[c]);
      values.push_back(image.row(y)[3 * (image.width - 1) + static_cast<int>(c)]);
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    colour[c] = *middle;
  }
  return colour;
}

AffineMap draw_affine(const RedrawRange& range, int width, int height, Random& random) {
  const double angle = radians(between(-range.rotate, range.rotate, random));
  const double shear = std::tan(radians(between(-range.shear, range.shear, random)));
  const double low = std::log(range.low), high = std::log(range.high);
  const double across = std::exp(between(low, high, random));
  const double down = std::exp(between(low, high, random));
  const double x = between(-range.shift, range.shift, random) * width;
  const double y = between(-range.shift, range.shift, random) * height;
  const double flip = random.uniform() < range.flip ? -1 : 1;

  // Forward: target = R S D source + (x, y), with D = diag(flip * across, down), S = [1 shear; 0
  // 1]. Backward: source = D^-1 S^-1 R^T (target - (x, y)).
  const double cosine = std::cos(angle), sine = std::sin(angle);
  AffineMap map;
  map.xx = (cosine + shear * sine) / (flip * across);
  map.xy = (sine - shear * cosine) / (flip * across);
  map.yx = -sine / down;
  map.yy = cosine / down;
  map.x = -(map.xx * x + map.xy * y);
  map.y = -(map.yx * x + map.yy * y);
  return map;
}

Bend draw_bend(const RedrawRange& range, int width, int height, Random& random) {
  Bend bend;
  if (range.bend == 0) return bend;
  for (double& x : bend.x) x = between(-range.bend, range.bend, random) * width;
  for (double& y : bend.y) y = between(-range.bend, range.bend, random) * height;
  return bend;
}

Warp draw_warp(const RedrawRange& range, int width, int height, Random& random) {
  Warp warp;
  if (range.warp == 0) return warp;
  for (double& x : warp.x) x = between(-range.warp, range.warp, random) * width;
  for (double& y : warp.y) y = between(-range.warp, range.warp, random) * height;
  return warp;
}

Rect draw_cover(const RedrawRange& range, int width, int height, Random& random) {
  if (random.uniform() >= range.cover) return {};
  const double area = between(0.1, 0.25, random);
  const double ratio = std::exp(between(std::log(0.5), std::log(2.0), random));
  Rect cover;
  cover.width = std::min<std::int64_t>(width, std::llround(width * std::sqrt(area * ratio)));
  cover.height = std::min<std::int64_t>(height, std::llround(height * std::sqrt(area / ratio)));
  cover.left = static_cast<std::int64_t>(random.below(width - cover.width + 1));
  cover.top = static_cast<std::int64_t>(random.below(height - cover.height + 1));
  return cover;
}

// A place on a side of the grid of a Bend: between two nodes.
struct BendPlace {
  std::size_t node = 0;
  double part = 0;

  // `at` in [0, 1] along the side.
  explicit BendPlace(double at) {
    const double place = at * (Bend::kNodes - 1);
    node = std::min(static_cast<std::size_t>(place), std::size_t{Bend::kNodes - 2});
    part = place - static_cast<double>(node);
  }
};

// Displacements along one row of the image, from those of two rows of nodes.
class BendRow {
 public:
  BendRow(const std::array<double, Bend::kNodes * Bend::kNodes>& nodes, const BendPlace& down) {
    for (std::size_t i = 0; i < Bend::kNodes; ++i) {
      row_[i] = nodes[down.node * Bend::kNodes + i] * (1 - down.part) +
                nodes[(down.node + 1) * Bend::kNodes + i] * down.part;
    }
  }

  double at(const BendPlace& across) const {
    return row_[across.node] * (1 - across.part) + row_[across.node + 1] * across.part;
  }

 private:
  std::array<double, Bend::kNodes> row_{};
};

bool is_warped(const Warp& warp) {
  const auto moves = [](double d) { return d != 0; };
  return std::any_of(warp.x.begin(), warp.x.end(), moves) ||
         std::any_of(warp.y.begin(), warp.y.end(), moves);
}

// A place on a side of the grid of a Warp: a cell, and the weights of the four control points from
// the cell's first on.
struct SplinePlace {
  std::size_t cell = 0;
  std::array<double, 4> weights{};

  // `at` in [0, 1] along the side.
  explicit SplinePlace(double at) {
    const double place = at * Warp::kCells;
    cell = std::min(static_cast<std::size_t>(place), std::size_t{Warp::kCells - 1});
    const double t = place - static_cast<double>(cell), s = 1 - t;
    weights = {s * s * s / 6, (3 * t * t * t - 6 * t * t + 4) / 6,
               (3 * s * s * s - 6 * s * s + 4) / 6, t * t * t / 6};
  }
};

// Displacements along one row of the image, from those of four rows of control points.
class WarpRow {
 public:
  WarpRow(const std::array<double, Warp::kPoints * Warp::kPoints>& points,
          const SplinePlace& down) {
    for (std::size_t i = 0; i < Warp::kPoints; ++i) {
      for (std::size_t k = 0; k < 4; ++k) {
        row_[i] += down.weights[k] * points[(down.cell + k) * Warp::kPoints + i];
      }
    }
  }

  double at(const SplinePlace& across) const {
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) sum += across.weights[k] * row_[across.cell + k];
    return sum;
  }

 private:
  std::array<double, Warp::kPoints> row_{};
};

// Where the pixels of a row come from.
class SourceRows {
 public:
  SourceRows(const Redrawing& redrawing, int width, int height)
      : redrawing_(redrawing), width_(width), height_(height), warps_(is_warped(redrawing.warp)) {
    for (int u = 0; u < width; ++u) {
      bends_.emplace_back(share(u, width));
      if (warps_) warp_places_.emplace_back(share(u, width));
    }
    x.resize(bends_.size());
    y.resize(bends_.size());
  }

  // Fills x and y for row v, clamped to two pixels beyond the border.
  void find(int v) {
    const AffineMap& map = redrawing_.map;
    const double middle_x = (width_ - 1) / 2.0, middle_y = (height_ - 1) / 2.0;
    const BendPlace down(share(v, height_));
    const BendRow bend_x(redrawing_.bend.x, down), bend_y(redrawing_.bend.y, down);
    for (std::size_t u = 0; u < x.size(); ++u) {
      const double dx = static_cast<double>(u) - middle_x, dy = v - middle_y;
      x[u] = map.xx * dx + map.xy * dy + map.x + bend_x.at(bends_[u]) + middle_x;
      y[u] = map.yx * dx + map.yy * dy + map.y + bend_y.at(bends_[u]) + middle_y;
    }
    if (warps_) warp(v);
    for (std::size_t u = 0; u < x.size(); ++u) {
      x[u] = std::clamp(x[u], -2.0, width_ + 1.0);
      y[u] = std::clamp(y[u], -2.0, height_ + 1.0);
    }
  }

  std::vector<double> x, y;

 private:
  // Where a pixel is along its side, from 0 to 1.
  static double share(int i, int side) {
    return side > 1 ? static_cast<double>(i) / (side - 1) : 0;
  }

  void warp(int v) {
    const SplinePlace down(share(v, height_));
    const WarpRow warp_x(redrawing_.warp.x, down), warp_y(redrawing_.warp.y, down);
    for (std::size_t u = 0; u < x.size(); ++u) {
      x[u] += warp_x.at(warp_places_[u]);
      y[u] += warp_y.at(warp_places_[u]);
    }
  }

  const Redrawing& redrawing_;
  int width_, height_;
  bool warps_;
  std::vector<BendPlace> bends_;  // by column
  std::vector<SplinePlace> warp_places_;
};

// std::floor calls a function where the processor is not known to have an instruction.
int floor_of(double x) {
  const int whole = static_cast<int>(x);
  return x < whole ? whole - 1 : whole;
}

}  // namespace

Redrawing draw_redrawing(const RedrawRange& range, int width, int height, Random& random) {
  Redrawing redrawing;
  redrawing.map = draw_affine(range, width, height, random);
  redrawing.bend = draw_bend(range, width, height, random);
  redrawing.cover = draw_cover(range, width, height, random);
  redrawing.warp = draw_warp(range, width, height, random);
  return redrawing;
}

Image redraw(const ImageView& image, const Redrawing& redrawing) {
  Image result = make_image(image.width, image.height);
  if (result.rgb.empty()) return result;
  const std::array<std::uint8_t, 3> outside = border_colour(image);
  const auto pixel = [&](int x, int y) {
    const bool inside = x >= 0 && x < image.width && y >= 0 && y < image.height;
    return inside ? image.row(y) + 3 * x : outside.data();
  };
  SourceRows source(redrawing, image.width, image.height);
  std::uint8_t* to = result.rgb.data();
  for (int v = 0; v < image.height; ++v) {
    source.find(v);
    for (std::size_t u = 0; u < source.x.size(); ++u, to += 3) {
      const double x = source.x[u], y = source.y[u];
      const int left = floor_of(x), top = floor_of(y);
      // 1/256 of a pixel is as fine as the values are.
      const int fx = static_cast<int>((x - left) * 256), fy = static_cast<int>((y - top) * 256);
      const std::uint8_t* const a = pixel(left, top);
      const std::uint8_t* const b = pixel(left + 1, top);
      const std::uint8_t* const c = pixel(left, top + 1);
      const std::uint8_t* const d = pixel(left + 1, top + 1);
      for (int k = 0; k < 3; ++k) {
        const int upper = a[k] * (256 - fx) + b[k] * fx;
        const int lower = c[k] * (256 - fx) + d[k] * fx;
        to[k] = static_cast<std::uint8_t>((upper * (256 - fy) + lower * fy + (1 << 15)) >> 16);
      }
    }
  }
  const Rect& cover = redrawing.cover;
  for (std::int64_t y = cover.top; y < cover.top + cover.height; ++y) {
    std::uint8_t* at = result.rgb.data() + 3 * (y * image.width + cover.left);
    for (std::int64_t x = 0; x < cover.width; ++x) at = std::copy_n(outside.data(), 3, at);
  }
  return result;
}

}  // namespace openworld
