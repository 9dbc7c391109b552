#include "openworld/worlds/doodle_spec.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "openworld/base/nearest_name.h"

namespace openworld {
namespace {

constexpr std::string_view kWorld = "doodles";

template <class Rows>
[[noreturn]] void fail_unknown(const Origin& origin, const char* what, std::string_view name,
                               const Rows& rows) {
  std::vector<std::string> known;
  for (const auto& row : rows) known.emplace_back(row.name);
  origin.fail(fmt::format("no {} {}; did you mean {}? There are {}", what, in_quotes(name),
                          nearest_name(name, known), fmt::join(known, ", ")));
}

// Takes what follows `mark` off the end of `text`, or nothing.
bool take(std::string_view* text, char mark, std::string_view* part) {
  const std::size_t at = text->find(mark);
  if (at == std::string_view::npos) return false;
  *part = text->substr(at + 1);
  *text = text->substr(0, at);
  return true;
}

}  // namespace

std::string DoodleSpec::text() const {
  std::string text = fmt::format("{}:{}", kWorld, dataset->name);
  if (look->look != Look::kPlain) text += fmt::format("@{}", look->name);
  if (seed != DoodleSpec{}.seed) text += fmt::format("#{}", seed);
  return text;
}

bool is_doodle_spec(std::string_view text) {
  if (!text.starts_with(kWorld)) return false;
  text.remove_prefix(kWorld.size());
  return text.empty() || text[0] == ':' || text[0] == '@' || text[0] == '#';
}

DoodleSpec parse_doodle_spec(const Origin& origin) {
  std::string_view text = origin.file;
  if (!is_doodle_spec(text)) {
    origin.fail(
        "is not a dataset of Doodles; expected doodles:NAME, optionally with @LOOK and #SEED");
  }
  DoodleSpec spec{&doodle_datasets()[0], &looks()[0]};
  std::string_view part;
  if (take(&text, '#', &part)) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), spec.seed);
    if (error != std::errc() || end != part.data() + part.size()) {
      origin.fail(fmt::format("seed {}; expected a whole number below 2^64", in_quotes(part)));
    }
  }
  if (take(&text, '@', &part)) {
    spec.look = find_look(part);
    if (spec.look == nullptr) fail_unknown(origin, "look", part, looks());
  }
  if (take(&text, ':', &part)) {
    spec.dataset = find_doodle_dataset(part);
    if (spec.dataset == nullptr) fail_unknown(origin, "dataset", part, doodle_datasets());
  }
  return spec;
}

}  // namespace openworld
