#include "openworld/images/resample.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "openworld/base/error.h"
#include "openworld/base/simd.h"
#include "openworld/images/resample_weights.h"

namespace openworld {
namespace {

// Both passes are one kernel: weighted sums of rows of bytes. For that the horizontal pass turns
// kBand rows at a time on their side, so that the bytes of one column lie together; the three
// channels of a pixel are then a row of 3 * kBand = 48 bytes.
constexpr int kBand = 16;
constexpr std::size_t kLanes = 3 * kBand;

using Band = std::uint8_t __attribute__((vector_size(kBand)));

constexpr std::int32_t kHalf = 1 << (kWeightBits - 1);  // sums start here, so that they round

std::uint8_t to_byte(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
}

// out[i] = sum over t of weights[t] * in[t * stride + i], rounded, for kLanes values of i. Four
// taps at a time, so that the sums are loaded and stored a quarter as often.
[[gnu::always_inline]] inline void weigh_lanes(const std::uint8_t* in, std::size_t stride,
                                               const std::int32_t* weights, std::int64_t taps,
                                               std::uint8_t* out) {
  std::int32_t sums[kLanes];
  for (std::int32_t& sum : sums) sum = kHalf;
  std::int64_t t = 0;
  for (; t + 4 <= taps; t += 4, in += 4 * stride) {
    const std::int32_t w0 = weights[t], w1 = weights[t + 1], w2 = weights[t + 2],
                       w3 = weights[t + 3];
    const std::uint8_t *a = in, *b = a + stride, *c = b + stride, *d = c + stride;
    for (std::size_t i = 0; i < kLanes; ++i) {
      sums[i] += a[i] * w0 + b[i] * w1 + c[i] * w2 + d[i] * w3;
    }
  }
  for (; t < taps; ++t, in += stride) {
    for (std::size_t i = 0; i < kLanes; ++i) sums[i] += in[i] * weights[t];
  }
  for (std::size_t i = 0; i < kLanes; ++i) out[i] = to_byte(sums[i]);
}

// Rows become columns. Interleaving the upper with the lower half rotates the address (row, column)
// of every byte by one bit, and after four times row and column have changed places.
[[gnu::always_inline]] inline void transpose(Band (&block)[kBand]) {
  for (int step = 0; step < 4; ++step) {
    Band next[kBand];
    for (int i = 0; i < kBand / 2; ++i) {
      const Band a = block[i], b = block[i + kBand / 2];
      next[2 * i] =
          __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      next[2 * i + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29,
                                                14, 30, 15, 31);
    }
    std::copy(next, next + kBand, block);
  }
}

// The bytes of `rows`, each `size` long, by columns: out[kBand * column + row].
OPENWORLD_SIMD void to_columns(const std::array<const std::uint8_t*, kBand>& rows, std::size_t size,
                               std::uint8_t* out) {
  for (std::size_t x = 0; x < size; x += kBand, out += kBand * kBand) {
    const std::size_t count = std::min<std::size_t>(kBand, size - x);
    Band block[kBand] = {};
    for (int r = 0; r < kBand; ++r) {
      if (count == kBand) {
        std::memcpy(&block[r], rows[r] + x, kBand);
      } else {
        std::memcpy(&block[r], rows[r] + x, count);
      }
    }
    transpose(block);
    std::memcpy(out, block, sizeof block);
  }
}

// The inverse, for the first `count` rows, which lie `stride` apart. Both sides are padded to whole
// blocks.
OPENWORLD_SIMD void to_rows(const std::uint8_t* columns, std::size_t size, int count,
                            std::size_t stride, std::uint8_t* out) {
  for (std::size_t x = 0; x < size; x += kBand, columns += kBand * kBand) {
    Band block[kBand];
    std::memcpy(block, columns, sizeof block);
    transpose(block);
    for (int r = 0; r < count; ++r) std::memcpy(out + r * stride + x, &block[r], kBand);
  }
}

// `columns` are the pixels from number `origin` on.
OPENWORLD_SIMD void weigh_columns(const std::uint8_t* columns, std::int64_t origin,
                                  const PassWeights& weights, std::uint8_t* out) {
  for (std::size_t x = 0; x < weights.taps.size(); ++x, out += kLanes) {
    const auto [first, count] = weights.taps[x];
    weigh_lanes(columns + kLanes * (first - origin), kLanes, weights.of(x), count, out);
  }
}

OPENWORLD_SIMD void weigh_rows(const std::uint8_t* in, std::size_t stride,
                               const std::int32_t* weights, std::int64_t taps, std::size_t size,
                               std::uint8_t* out) {
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) weigh_lanes(in + i, stride, weights, taps, out + i);
  for (; i < size; ++i) {
    std::int32_t sum = kHalf;
    for (std::int64_t t = 0; t < taps; ++t) sum += weights[t] * in[t * stride + i];
    out[i] = to_byte(sum);
  }
}

// Rows between the passes.
struct Rows {
  const std::uint8_t* first = nullptr;
  std::size_t stride = 0;
  std::vector<std::uint8_t> owner;
};

// Rows [begin, end) of `image`, made narrower or wider. Of each row only the columns that count are
// turned: for a crop of a panorama that is a small part.
Rows resize_rows(const ImageView& image, std::int64_t begin, std::int64_t end,
                 const PassWeights& weights) {
  const auto padded = [](std::size_t bytes) { return (bytes + kBand - 1) / kBand * kBand; };
  const std::int64_t first = weights.taps.front().first;
  const std::int64_t last = weights.taps.back().first + weights.taps.back().count;
  const auto source = static_cast<std::size_t>(3 * (last - first));
  const std::size_t result = 3 * weights.taps.size();
  Rows rows;
  rows.stride = padded(result);
  rows.owner.resize(rows.stride * static_cast<std::size_t>(end - begin));
  rows.first = rows.owner.data();
  std::vector<std::uint8_t> columns(kBand * padded(source));
  std::vector<std::uint8_t> weighed(kBand * padded(result));
  for (std::int64_t y = begin; y < end; y += kBand) {
    std::array<const std::uint8_t*, kBand> band;
    for (int r = 0; r < kBand; ++r) band[r] = image.row(std::min(y + r, end - 1)) + 3 * first;
    to_columns(band, source, columns.data());
    weigh_columns(columns.data(), first, weights, weighed.data());
    to_rows(weighed.data(), result, static_cast<int>(std::min<std::int64_t>(kBand, end - y)),
            rows.stride, &rows.owner[static_cast<std::size_t>(y - begin) * rows.stride]);
  }
  return rows;
}

Box check_box(const ImageView& image, const ResizeOptions& options) {
  const auto width = static_cast<float>(image.width), height = static_cast<float>(image.height);
  const Box box = options.box.value_or(Box{0, 0, width, height});
  // Written so that NaN fails.
  if (!(box.left >= 0 && box.left < box.right && box.right <= width && box.top >= 0 &&
        box.top < box.bottom && box.bottom <= height)) {
    fail("resize",
         fmt::format("box is ({}, {}, {}, {}); expected a part of {} x {} pixels", box.left,
                     box.top, box.right, box.bottom, image.width, image.height));
  }
  return box;
}

Rect check_part(const ResizeOptions& options) {
  if (options.width < 1 || options.height < 1) {
    fail("resize", fmt::format("size is {} x {}; expected at least one pixel", options.width,
                               options.height));
  }
  const Rect part = options.part.value_or(Rect{0, 0, options.width, options.height});
  const auto within = [](std::int64_t begin, std::int64_t size, std::int64_t whole) {
    return begin >= 0 && size >= 1 && begin < whole && size <= whole - begin;
  };
  if (!within(part.left, part.width, options.width) ||
      !within(part.top, part.height, options.height)) {
    fail("resize",
         fmt::format("part is {} x {} pixels from ({}, {}) on; expected a part of {} x {}",
                     part.width, part.height, part.left, part.top, options.width, options.height));
  }
  return part;
}

}  // namespace

Image resize(const ImageView& image, const ResizeOptions& options) {
  const Rect part = check_part(options);
  const Box box = check_box(image, options);
  const Axis across{image.width, box.left, box.right, options.width, part.left, part.width};
  const Axis down{image.height, box.top, box.bottom, options.height, part.top, part.height};

  // Where one pass has nothing to do it is left out, not run with weights of one: then the view is
  // moved to the part instead.
  PassWeights vertical;
  std::int64_t begin = part.top, end = part.top + part.height;
  if (!down.is_identity()) {
    vertical = make_weights(down, options.filter);
    begin = vertical.taps.front().first;
    end = vertical.taps.back().first + vertical.taps.back().count;
  }
  Rows rows;
  if (across.is_identity()) {
    rows.first = image.row(begin) + 3 * part.left;
    rows.stride = image.stride;
  } else {
    rows = resize_rows(image, begin, end, make_weights(across, options.filter));
  }

  Image result = make_image(part.width, part.height);
  const std::size_t size = std::size_t{3} * static_cast<std::size_t>(part.width);
  for (std::int64_t y = 0; y < part.height; ++y) {
    std::uint8_t* out = &result.rgb[static_cast<std::size_t>(y) * size];
    if (down.is_identity()) {
      std::memcpy(out, rows.first + static_cast<std::size_t>(y) * rows.stride, size);
      continue;
    }
    const auto [first, count] = vertical.taps[static_cast<std::size_t>(y)];
    weigh_rows(rows.first + static_cast<std::size_t>(first - begin) * rows.stride, rows.stride,
               vertical.of(static_cast<std::size_t>(y)), count, size, out);
  }
  return result;
}

}  // namespace openworld
