#include "openworld/cli/models/class_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "openworld/base/error.h"
#include "openworld/io/origin.h"
#include "openworld/text/clean_text.h"
#include "openworld/worlds/few_shot.h"
#include "openworld/worlds/templates.h"

namespace openworld {

std::vector<std::string> prompt_names(const Dataset& dataset, const DataFlags& flags,
                                      bool keep_underscores, const std::string& function) {
  if (!dataset.named || dataset.classes.empty()) {
    fail(function, fmt::format("{}: the classes have no names; give them by --names", flags.data));
  }
  std::vector<std::string> names = dataset.classes;
  if (!keep_underscores) std::transform(names.begin(), names.end(), names.begin(), spaced);
  if (flags.allow_duplicate_names) return names;
  // Two classes whose prompts are the same are one to the model.
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [found, is_new] = first.try_emplace(clean_text(names[i]), i);
    if (is_new) continue;
    fail(function,
         fmt::format("{}: classes {} and {} are {} and {}, which no prompt tells apart; rename one "
                     "by --names, or give --allow-duplicate-names",
                     flags.data, found->second, i, in_quotes(names[found->second]),
                     in_quotes(names[i])));
  }
  return names;
}

std::int64_t base_classes(const std::string& base, std::size_t classes,
                          const std::string& function) {
  const auto all = static_cast<std::int64_t>(classes);
  if (base == "all") return all;
  if (base == "half") return static_cast<std::int64_t>(base_class_count(classes));
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(base.data(), base.data() + base.size(), count);
  if (error != std::errc() || end != base.data() + base.size() || count < 1 || count > all) {
    fail(function, fmt::format("--base is '{}'; expected all, half, or 1 to {}", base, all));
  }
  return count;
}

std::vector<std::string> choose_templates(const std::string& asked, const Dataset& dataset) {
  if (!asked.empty()) return resolve_templates(asked);
  return resolve_templates(dataset.templates.empty() ? "photo" : dataset.templates);
}

std::span<const float> floats_of(const at::Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

}  // namespace openworld
