#pragma once

// JsonItem: one object of a large array, whose fields are read by name and refused by name. Private
// to the readers of this layer.

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "openworld/detection/box.h"
#include "openworld/detection/mask.h"
#include "openworld/io/origin.h"

namespace openworld {

class JsonItem {
 public:
  using Element = simdjson::dom::element;

  // `name` and `index` are how messages call it: "annotation 17". Throws Error unless it is an
  // object.
  JsonItem(Element element, std::string_view name, std::size_t index, const Origin& origin);

  // The value of a key; nothing where it is absent or null. Throws Error where it is there twice.
  std::optional<Element> find(std::string_view key) const;
  Element at(std::string_view key) const;

  std::int64_t integer(std::string_view key) const;
  double number(std::string_view key) const;  // finite
  std::string_view text(std::string_view key) const;

  // [x, y, width, height], finite, of no negative size.
  Box box(std::string_view key) const;

  // Polygons, or RLE compressed or not, of an image of this size (0: not known, RLE only).
  Mask mask(std::string_view key, std::uint32_t height, std::uint32_t width,
            OutlineBudget& outlines) const;

  // Throws Error: "file: annotation 17: message".
  [[noreturn]] void fail(std::string_view message) const;

 private:
  std::uint32_t mask_side(Element size, std::size_t at) const;
  double coordinate(Element value, std::string_view key, std::size_t at) const;

  simdjson::dom::object object_;
  std::string_view name_;
  std::size_t index_;
  const Origin& origin_;
};

// A number as JSON shows it in messages, and what an element is: "a string", "17".
std::string describe(simdjson::dom::element element);

// Whole numbers, also those written as 3.0.
std::optional<std::int64_t> as_integer(simdjson::dom::element element);

}  // namespace openworld
