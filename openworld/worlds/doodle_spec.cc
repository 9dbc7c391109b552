#include "openworld/worlds/doodle_spec.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "openworld/worlds/spec_text.h"

namespace openworld {
namespace {

constexpr std::string_view kDoodleWorld = "doodles";

template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

}  // namespace

std::string DoodleSpec::text() const {
  std::string text = fmt::format("{}:{}", kDoodleWorld, dataset->name);
  if (look->look != Look::kPlain) text += fmt::format("@{}", look->name);
  if (seed != DoodleSpec{}.seed) text += fmt::format("#{}", seed);
  return text;
}

bool is_doodle_spec(std::string_view text) {
  return starts_as_world(text, kDoodleWorld, ":@#");
}

DoodleSpec parse_doodle_spec(const Origin& origin) {
  std::string_view text = origin.file;
  if (!is_doodle_spec(text)) {
    origin.fail(
        "is not a dataset of Doodles; expected doodles:NAME, optionally with @LOOK and #SEED");
  }
  DoodleSpec spec{&doodle_datasets()[0], &looks()[0]};
  std::string_view part;
  if (take_part(&text, '#', &part)) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), spec.seed);
    if (error != std::errc() || end != part.data() + part.size()) {
      origin.fail(fmt::format("seed {}; expected a whole number below 2^64", in_quotes(part)));
    }
  }
  if (take_part(&text, '@', &part)) {
    spec.look = find_look(part);
    if (spec.look == nullptr) fail_unknown(origin, "look", part, names_of(looks()));
  }
  if (take_part(&text, ':', &part)) {
    spec.dataset = find_doodle_dataset(part);
    if (spec.dataset == nullptr) fail_unknown(origin, "dataset", part, names_of(doodle_datasets()));
  }
  return spec;
}

}  // namespace openworld
