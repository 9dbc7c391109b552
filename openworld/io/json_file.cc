#include "openworld/io/json_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "openworld/io/column.h"
#include "openworld/io/mapped_file.h"

namespace openworld {

namespace {

template <class Json>
Json parse(std::span<const std::byte> bytes, const Origin& origin, const JsonLimits& limits) {
  if (bytes.size() > limits.bytes) {
    origin.fail(
        fmt::format("has {} bytes of JSON; expected at most {}", bytes.size(), limits.bytes));
  }
  // The keys of every object that is open.
  std::vector<std::set<std::string>> keys;
  using Event = typename Json::parse_event_t;
  const auto watch = [&](int depth, Event event, Json& value) {
    if (event == Event::object_start || event == Event::array_start) {
      if (depth >= limits.depth) {
        origin.fail(fmt::format("has JSON nested deeper than {}", limits.depth));
      }
      if (event == Event::object_start) keys.emplace_back();
    } else if (event == Event::object_end) {
      keys.pop_back();
    } else if (event == Event::key) {
      const auto& key = value.template get_ref<const std::string&>();
      if (!keys.back().insert(key).second) {
        origin.fail(fmt::format("has the key {} twice in one JSON object", in_quotes(key)));
      }
    }
    return true;
  };
  const std::string_view text = as_text(bytes);
  try {
    return Json::parse(text.begin(), text.end(), watch);
  } catch (const typename Json::parse_error& error) {
    origin.fail(fmt::format("is not valid JSON: error at byte {}", error.byte));
  } catch (const typename Json::exception&) {
    origin.fail("has a number that is out of range");
  }
}

}  // namespace

nlohmann::json parse_json(std::span<const std::byte> bytes, const Origin& origin,
                          const JsonLimits& limits) {
  return parse<nlohmann::json>(bytes, origin, limits);
}

nlohmann::ordered_json parse_ordered_json(std::span<const std::byte> bytes, const Origin& origin,
                                          const JsonLimits& limits) {
  return parse<nlohmann::ordered_json>(bytes, origin, limits);
}

nlohmann::json read_json_file(const Origin& origin, const JsonLimits& limits) {
  return parse_json(map_file(origin).values, origin, limits);
}

}  // namespace openworld
