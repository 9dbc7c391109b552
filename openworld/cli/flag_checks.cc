#include "openworld/cli/flag_checks.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "openworld/io/memory_limit.h"

namespace openworld {
namespace {

template <class T>
std::optional<T> parse(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

template <class Accept>
CLI::Validator check(const char* expected, const char* in_help, Accept&& accept) {
  const auto complaint = [=](std::string& text) {
    return accept(text) ? "" : fmt::format("got '{}'; expected {}", text, expected);
  };
  return CLI::Validator(complaint, in_help);
}

}  // namespace

CLI::Validator whole_number() {
  return check("a whole number, 0 to 2^64 - 1", "",
               [](const std::string& text) { return parse<std::uint64_t>(text).has_value(); });
}

CLI::Validator between_0_and_1() {
  return check("a number between 0 and 1", "in (0, 1)", [](const std::string& text) {
    const auto value = parse<double>(text);
    return value && *value > 0 && *value < 1;
  });
}

CLI::Validator ordered_number() {
  return check("a number", "", [](const std::string& text) {
    const auto value = parse<double>(text);
    return value && *value == *value;
  });
}

CLI::Validator positive_number() {
  return check("a positive number", "POSITIVE", [](const std::string& text) {
    const auto value = parse<double>(text);
    return value && *value > 0 && std::isfinite(*value);
  });
}

CLI::Validator finite_number() {
  return check("a finite number", "NUMBER", [](const std::string& text) {
    const auto value = parse<double>(text);
    return value && std::isfinite(*value);
  });
}

CLI::Validator byte_count() {
  return check("a size such as 512M or 8G", "",
               [](const std::string& text) { return parse_byte_count(text).has_value(); });
}

}  // namespace openworld
