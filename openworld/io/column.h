#pragma once

// Values together with the object that keeps them alive.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace openworld {

// A column of values with its owner: the mapped file, an inflated member, or a converted copy.
// Copying a Column shares the values.
template <class T>
struct Column {
  std::span<const T> values;
  std::shared_ptr<const void> owner;

  bool empty() const { return values.empty(); }
  std::size_t size() const { return values.size(); }
};

// Real numbers as the file has them: never narrowed, widened only where that is exact.
using FloatColumn = std::variant<Column<float>, Column<double>>;

inline std::size_t size_of(const FloatColumn& column) {
  return std::visit([](const auto& c) { return c.size(); }, column);
}

inline std::vector<double> to_doubles(const FloatColumn& column) {
  return std::visit(
      [](const auto& c) { return std::vector<double>(c.values.begin(), c.values.end()); }, column);
}

using Bytes = Column<std::byte>;

template <class T>
Column<T> make_column(std::vector<T> values) {
  auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  return {std::span<const T>(*owner), owner};
}

inline Bytes make_bytes(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  return {std::as_bytes(std::span<const char>(*owner)), owner};
}

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace openworld
