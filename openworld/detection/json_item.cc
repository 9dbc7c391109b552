#include "openworld/detection/json_item.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/detection/json_values.h"

namespace openworld {
namespace {

// The largest side of an image that has a mask.
constexpr std::uint32_t kMaxSide = 1u << 24;

using Type = simdjson::dom::element_type;

bool is_number(simdjson::dom::element element) {
  return element.is_double() || element.is_int64() || element.is_uint64();
}

}  // namespace

std::string describe(simdjson::dom::element element) {
  switch (element.type()) {
    case Type::ARRAY:
      return fmt::format("an array of {}", json_array(element).size());
    case Type::OBJECT:
      return "an object";
    case Type::STRING:
      return in_quotes(element.get_string().value());
    case Type::BOOL:
      return element.get_bool().value() ? "true" : "false";
    case Type::NULL_VALUE:
      return "null";
    case Type::INT64:
      return fmt::format("{}", element.get_int64().value());
    case Type::UINT64:
      return fmt::format("{}", element.get_uint64().value());
    default:
      return fmt::format("{}", element.get_double().value());
  }
}

std::optional<std::int64_t> as_integer(simdjson::dom::element element) {
  if (element.is_int64()) return element.get_int64().value();
  if (element.is_double()) {
    const double value = element.get_double().value();
    if (std::abs(value) <= 9007199254740992.0 && std::floor(value) == value) {
      return static_cast<std::int64_t>(value);
    }
  }
  return std::nullopt;
}

JsonItem::JsonItem(Element element, std::string_view name, std::size_t index, const Origin& origin)
    : name_(name), index_(index), origin_(origin) {
  if (!element.is_object()) {
    fail(fmt::format("is {}; expected an object", describe(element)));
  }
  object_ = json_object(element);
}

void JsonItem::fail(std::string_view message) const {
  origin_.fail(fmt::format("{} {}: {}", name_, index_, message));
}

std::optional<JsonItem::Element> JsonItem::find(std::string_view key) const {
  std::optional<Element> found;
  for (const auto field : object_) {
    if (field.key != key) continue;
    if (found) fail(fmt::format("has the key {} twice", key));
    found = field.value;
  }
  if (found && found->is_null()) found.reset();
  return found;
}

JsonItem::Element JsonItem::at(std::string_view key) const {
  const auto found = find(key);
  if (!found) fail(fmt::format("has no {}", key));
  return *found;
}

std::int64_t JsonItem::integer(std::string_view key) const {
  const Element value = at(key);
  const auto integer = as_integer(value);
  if (!integer) fail(fmt::format("{} is {}; expected an integer", key, describe(value)));
  return *integer;
}

double JsonItem::number(std::string_view key) const {
  const Element value = at(key);
  if (!is_number(value)) {
    fail(fmt::format("{} is {}; expected a finite number", key, describe(value)));
  }
  return value.get_double().value();
}

std::string_view JsonItem::text(std::string_view key) const {
  const Element value = at(key);
  if (!value.is_string()) fail(fmt::format("{} is {}; expected a string", key, describe(value)));
  return value.get_string().value();
}

double JsonItem::coordinate(Element value, std::string_view key, std::size_t at) const {
  if (!is_number(value)) {
    fail(fmt::format("{}[{}] is {}; expected a finite number", key, at, describe(value)));
  }
  return value.get_double().value();
}

Box JsonItem::box(std::string_view key) const {
  const Element value = at(key);
  if (!value.is_array() || json_array(value).size() != 4) {
    fail(fmt::format("{} is {}; expected [x, y, width, height]", key, describe(value)));
  }
  double of[4];
  std::size_t i = 0;
  for (const Element side : json_array(value)) {
    of[i] = coordinate(side, key, i);
    ++i;
  }
  if (of[2] < 0 || of[3] < 0) {
    fail(fmt::format("{} has the size {} x {}; expected 0 or more", key, of[2], of[3]));
  }
  return {of[0], of[1], of[2], of[3]};
}

std::uint32_t JsonItem::mask_side(Element size, std::size_t at) const {
  const auto side = as_integer(size);
  if (!side || *side < 1 || *side > kMaxSide) {
    fail(
        fmt::format("segmentation.size[{}] is {}; expected 1 to {}", at, describe(size), kMaxSide));
  }
  return static_cast<std::uint32_t>(*side);
}

Mask JsonItem::mask(std::string_view key, std::uint32_t height, std::uint32_t width,
                    OutlineBudget& outlines) const {
  const Element value = at(key);
  try {
    if (value.is_array()) {
      if (height == 0 || width == 0) {
        fail("has polygons, but its image has no height and width");
      }
      std::vector<Mask> parts;
      std::vector<double> corners;
      for (const Element polygon : json_array(value)) {
        if (!polygon.is_array()) {
          fail(fmt::format("{}[{}] is {}; expected an array of coordinates", key, parts.size(),
                           describe(polygon)));
        }
        corners.clear();
        for (const Element corner : json_array(polygon)) {
          corners.push_back(coordinate(corner, key, corners.size()));
        }
        parts.push_back(mask_from_polygon(corners, height, width, outlines));
      }
      if (parts.empty()) fail(fmt::format("{} is empty; expected polygons or RLE", key));
      return mask_union(parts);
    }
    if (!value.is_object()) {
      fail(fmt::format("{} is {}; expected polygons or RLE", key, describe(value)));
    }
    Element size, counts;
    if (value["size"].get(size) || value["counts"].get(counts) || !size.is_array() ||
        json_array(size).size() != 2) {
      fail(fmt::format("{} is no RLE; expected size [height, width] and counts", key));
    }
    const std::uint32_t rows = mask_side(size.at(0).value(), 0);
    const std::uint32_t columns = mask_side(size.at(1).value(), 1);
    if (height != 0 && width != 0 && (rows != height || columns != width)) {
      fail(fmt::format("{} is of {} x {} pixels; its image has {} x {}", key, rows, columns, height,
                       width));
    }
    if (std::uint64_t{rows} * columns > kMaxPixels) {
      fail(fmt::format("{} is of {} x {} pixels; expected {} at most", key, rows, columns,
                       kMaxPixels));
    }
    if (counts.is_string()) return mask_from_text(counts.get_string().value(), rows, columns);
    if (!counts.is_array()) {
      fail(fmt::format("{}.counts is {}; expected a string or an array", key, describe(counts)));
    }
    std::vector<std::uint32_t> runs;
    for (const Element count : json_array(counts)) {
      const auto run = as_integer(count);
      if (!run || *run < 0 || *run > static_cast<std::int64_t>(kMaxPixels)) {
        fail(fmt::format("{}.counts[{}] is {}; expected a number of pixels", key, runs.size(),
                         describe(count)));
      }
      runs.push_back(static_cast<std::uint32_t>(*run));
    }
    return mask_from_runs(std::move(runs), rows, columns);
  } catch (const Error& error) {
    if (error.function() != "mask") throw;
    fail(fmt::format("{}: {}", key, error.message()));
  }
}

}  // namespace openworld
