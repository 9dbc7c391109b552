#include "openworld/io/class_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <numeric>
#include <set>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/base/quotes.h"
#include "openworld/base/split_list.h"
#include "openworld/base/text_map.h"
#include "openworld/base/trimmed.h"
#include "openworld/io/text_lines.h"

namespace openworld {
namespace {

std::string with_spaces(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', ' ');
  return text;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::size_t base_class_count(std::size_t classes) {
  return classes / 2 + classes % 2;
}

std::size_t base_classes(const std::string& base, std::size_t classes,
                         const std::string& function) {
  if (base == "all") return classes;
  if (base == "half") return base_class_count(classes);
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(base.data(), base.data() + base.size(), count);
  if (error != std::errc() || end != base.data() + base.size() || count < 1 || count > classes) {
    fail(function, fmt::format("base is '{}'; expected all, half, or 1 to {}", base, classes));
  }
  return count;
}

ClassFinder::ClassFinder(std::span<const std::string> names) : names_(names) {
  for (std::size_t c = 0; c < names.size(); ++c) {
    exact_.emplace(names[c], c);
    spaced_.emplace(with_spaces(names[c]), c);
  }
}

std::vector<std::size_t> ClassFinder::find(std::string_view name) const {
  auto [first, last] = exact_.equal_range(name);
  if (first == last) std::tie(first, last) = spaced_.equal_range(with_spaces(name));
  std::vector<std::size_t> classes;
  for (; first != last; ++first) classes.push_back(first->second);
  std::ranges::sort(classes);
  return classes;
}

std::string ClassFinder::suggestion(std::string_view name) const {
  return did_you_mean(name, names_);
}

std::vector<std::size_t> find_classes(const ClassSelection& list,
                                      std::span<const std::string> names, std::string_view what,
                                      const std::string& function) {
  const auto* text = std::get_if<std::string>(&list);
  if (names.empty()) {
    fail(function,
         fmt::format("{} is {}, but the classes have no names; expected a file of class names, "
                     "with --names, or names=",
                     what, text != nullptr ? in_quotes(*text) : "a list of names"));
  }
  std::error_code ignored;
  const bool file = text != nullptr && std::filesystem::is_regular_file(*text, ignored);
  const Origin origin{function, file ? *text : ""};
  const std::vector<std::string> wanted = file              ? read_text_lines(origin)
                                          : text != nullptr ? split_list(*text)
                                                            : std::get<1>(list);
  const ClassFinder finder(names);
  std::set<std::size_t> classes;
  TextSet seen;  // a name may be that of many classes
  for (const std::string& item : wanted) {
    const std::string name(trimmed(item));
    if (name.empty() || !seen.insert(name).second) continue;
    const std::vector<std::size_t> found = finder.find(name);
    if (found.empty()) {
      origin.fail(
          fmt::format("{} names {}, which is no class; {}expected names of the {} classes, "
                      "or a file of them",
                      what, in_quotes(name), finder.suggestion(name), names.size()));
    }
    classes.insert(found.begin(), found.end());
  }
  if (classes.empty()) origin.fail(fmt::format("{} names no class", what));
  return {classes.begin(), classes.end()};
}

std::vector<std::size_t> choose_base(const ClassSelection& base, std::size_t count,
                                     std::span<const std::string> names,
                                     const std::string& function) {
  const auto* text = std::get_if<std::string>(&base);
  if (text == nullptr || (*text != "all" && *text != "half" && !is_number(*text))) {
    return find_classes(base, names, "base", function);
  }
  std::vector<std::size_t> classes(base_classes(*text, count, function));
  std::iota(classes.begin(), classes.end(), std::size_t{0});
  return classes;
}

}  // namespace openworld
