#include "openworld/io/npy_values.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "openworld/io/half.h"
#include "openworld/io/memory_limit.h"
#include "openworld/io/utf8.h"

namespace openworld {
namespace {

static_assert(std::endian::native == std::endian::little, "conversions assume little-endian");

template <class T>
T load(const std::byte* items, std::size_t i) {
  T value;
  std::memcpy(&value, items + i * sizeof(T), sizeof(T));
  return value;
}

// The items in the byte order of this machine.
Bytes native_items(const NpyArray& array) {
  if (array.header.dtype.little_endian) return array.data;
  const std::size_t unit =
      array.header.dtype.kind == Dtype::Kind::kUnicode ? 4 : array.header.dtype.size;
  const std::span<const std::byte> from = array.data.values;
  auto to = std::make_shared_for_overwrite<std::byte[]>(from.size());
  for (std::size_t i = 0; i < from.size(); i += unit) {
    for (std::size_t k = 0; k < unit; ++k) to[i + k] = from[i + unit - 1 - k];
  }
  return {{to.get(), from.size()}, to};
}

// The items themselves if they can be read as T where they stand, or else a copy that can.
template <class T>
Column<T> same_items(const Bytes& items) {
  const std::size_t n = items.size() / sizeof(T);
  if (reinterpret_cast<std::uintptr_t>(items.values.data()) % alignof(T) == 0) {
    return {{reinterpret_cast<const T*>(items.values.data()), n}, items.owner};
  }
  auto copy = std::make_shared_for_overwrite<T[]>(n);
  std::memcpy(copy.get(), items.values.data(), n * sizeof(T));
  return {{copy.get(), n}, copy};
}

// One item per From; `convert` maps it to a To and reports in its second argument whether that
// went wrong. Returns the row of the first that did, or n.
template <class To, class From, class Convert>
std::pair<Column<To>, std::size_t> convert_items(const Bytes& items, Convert convert) {
  const std::size_t n = items.size() / sizeof(From);
  const std::byte* from = items.values.data();
  auto values = std::make_shared_for_overwrite<To[]>(n);
  To* to = values.get();
  bool bad = false;
  for (std::size_t i = 0; i < n; ++i) to[i] = convert(load<From>(from, i), bad);
  std::size_t row = bad ? 0 : n;
  for (bad = false; row < n; ++row) {
    convert(load<From>(from, row), bad);
    if (bad) break;
  }
  return {Column<To>{{to, n}, values}, row};
}

// Calls f with a value of the C++ type of an integer dtype. Bools are bytes, so that a 7 in a bool
// array is seen and not assumed away.
template <class F>
decltype(auto) visit_integer(const Dtype& dtype, F&& f) {
  const bool is_signed = dtype.kind == Dtype::Kind::kInt;
  switch (dtype.size) {
    case 1:
      return is_signed ? f(std::int8_t{}) : f(std::uint8_t{});
    case 2:
      return is_signed ? f(std::int16_t{}) : f(std::uint16_t{});
    case 4:
      return is_signed ? f(std::int32_t{}) : f(std::uint32_t{});
    default:
      return is_signed ? f(std::int64_t{}) : f(std::uint64_t{});
  }
}

template <class From>
[[noreturn]] void fail_at(const NpyArray& array, const Bytes& items, std::size_t row,
                          std::string_view expected, const Origin& origin) {
  origin.fail(fmt::format("{}[{}] is {}; expected {}", array.name, row,
                          load<From>(items.values.data(), row), expected));
}

}  // namespace

void require_dimensions(const NpyArray& array, std::size_t dimensions, const Origin& origin) {
  if (array.header.shape.size() == dimensions) return;
  origin.fail(fmt::format("{} has shape {}; expected {} dimension{}", array.name,
                          shape_text(array.header.shape), dimensions, dimensions == 1 ? "" : "s"));
}

template <class T>
Column<T> to_integers(const NpyArray& array, std::string_view expected, const Origin& origin) {
  const Dtype& dtype = array.header.dtype;
  if (!dtype.is_integer()) {
    origin.fail(fmt::format("{} has dtype {}; expected bool or an integer dtype", array.name,
                            dtype.name()));
  }
  const Bytes items = native_items(array);
  return visit_integer(dtype, [&]<class From>(From) {
    if constexpr (std::is_same_v<From, T>) return same_items<T>(items);
    const auto [column, row] = convert_items<T, From>(items, [](From value, bool& bad) {
      bad |= !std::in_range<T>(value);
      return static_cast<T>(value);
    });
    if (row < column.size()) fail_at<From>(array, items, row, expected, origin);
    return column;
  });
}

template Column<std::int8_t> to_integers(const NpyArray&, std::string_view, const Origin&);
template Column<std::uint8_t> to_integers(const NpyArray&, std::string_view, const Origin&);
template Column<std::int32_t> to_integers(const NpyArray&, std::string_view, const Origin&);

FloatColumn to_floats(const NpyArray& array, const Origin& origin) {
  const Dtype& dtype = array.header.dtype;
  const Bytes items = native_items(array);
  if (dtype.kind == Dtype::Kind::kFloat) {
    if (dtype.size == 8) return same_items<double>(items);
    if (dtype.size == 4) return same_items<float>(items);
    std::vector<float> values(items.size() / 2);
    widen_halves(items.values, values);
    return make_column(std::move(values));
  }
  if (!dtype.is_integer()) {
    origin.fail(fmt::format("{} has dtype {}; expected a float or integer dtype", array.name,
                            dtype.name()));
  }
  return visit_integer(dtype, [&]<class From>(From) -> FloatColumn {
    const auto [column, row] = convert_items<double, From>(items, [](From value, bool& bad) {
      if constexpr (sizeof(From) == 8) {
        constexpr std::int64_t kExact = std::int64_t{1} << 53;
        bad |= std::cmp_greater(value, kExact) || std::cmp_less(value, -kExact);
      }
      return static_cast<double>(value);
    });
    if (row < column.size()) {
      fail_at<From>(array, items, row, "at most 2^53 in magnitude, which a double holds exactly",
                    origin);
    }
    return column;
  });
}

std::vector<std::string> to_strings(const NpyArray& array, const Origin& origin) {
  const Dtype& dtype = array.header.dtype;
  if (!dtype.is_text()) {
    origin.fail(fmt::format("{} has dtype {}; expected text (U or S)", array.name, dtype.name()));
  }
  request_memory(array.header.count * kStringBytes, array.file_bytes,
                 fmt::format("{} of {} texts", array.name, array.header.count), origin);
  const Bytes items = native_items(array);
  std::vector<std::string> strings;
  strings.reserve(array.header.count);
  std::u32string points;
  for (std::size_t i = 0; i < array.header.count; ++i) {
    const auto item = items.values.subspan(i * dtype.size, dtype.size);
    std::optional<std::string> text;
    if (dtype.kind == Dtype::Kind::kUnicode) {
      points.resize(item.size() / 4);
      std::memcpy(points.data(), item.data(), item.size());
      const std::u32string_view padded = points;
      text = encode_utf8(padded.substr(0, padded.find_last_not_of(U'\0') + 1));
    } else {
      const std::string_view padded = as_text(item);
      text = padded.substr(0, padded.find_last_not_of('\0') + 1);
      if (!decode_utf8(*text)) text.reset();
    }
    if (!text) {
      origin.fail(fmt::format("{}[{}] is not valid Unicode; expected {}", array.name, i,
                              dtype.kind == Dtype::Kind::kUnicode ? "code points" : "UTF-8"));
    }
    strings.push_back(std::move(*text));
  }
  return strings;
}

Matrix to_matrix(const NpyArray& array, const Origin& origin) {
  require_dimensions(array, 2, origin);
  const auto& shape = array.header.shape;
  if (shape[1] == 0) {
    origin.fail(fmt::format("{} has shape {}; expected at least one column", array.name,
                            shape_text(shape)));
  }
  return {to_floats(array, origin), shape[0], shape[1], array.header.fortran_order};
}

}  // namespace openworld
