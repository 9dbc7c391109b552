#include "openworld/tuning/prompt_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "openworld/base/error.h"
#include "openworld/base/quotes.h"
#include "openworld/text/clean_text.h"
#include "openworld/worlds/few_shot.h"
#include "openworld/worlds/templates.h"

namespace openworld {

std::vector<std::string> prompt_names(const Dataset& dataset, const DataSpec& spec,
                                      bool keep_underscores, const std::string& function) {
  if (!dataset.named || dataset.classes.empty()) {
    fail(function,
         fmt::format("{}: the classes have no names; expected a file of class names", spec.path));
  }
  std::vector<std::string> names = dataset.classes;
  if (!keep_underscores) std::transform(names.begin(), names.end(), names.begin(), spaced);
  if (spec.options.allow_duplicate_names) return names;
  // Two classes whose prompts are the same are one to the model.
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [found, is_new] = first.try_emplace(clean_text(names[i]), i);
    if (is_new) continue;
    fail(function,
         fmt::format("{}: classes {} and {} are {} and {}, which have the same prompt; rename one "
                     "in a file of class names, or allow duplicate names",
                     spec.path, found->second, i, in_quotes(names[found->second]),
                     in_quotes(names[i])));
  }
  return names;
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

std::vector<std::string> choose_templates(const std::string& asked, const Dataset& dataset) {
  if (!asked.empty()) return resolve_templates(asked);
  return resolve_templates(dataset.templates.empty() ? "photo" : dataset.templates);
}

}  // namespace openworld
