#include "openworld/tuning/prompt_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "openworld/base/error.h"
#include "openworld/base/quotes.h"
#include "openworld/text/clean_text.h"
#include "openworld/worlds/templates.h"

namespace openworld {
namespace {

// "a photo of a" of "a photo of a {}, a type of pet.".
std::string words_before_name(const std::string& sentence) {
  std::string words = sentence.substr(0, sentence.find("{}"));
  while (words.ends_with(' ')) words.pop_back();
  return words;
}

}  // namespace

std::vector<std::string> prompt_names(const Dataset& dataset, const DataSpec& spec,
                                      bool keep_underscores, const std::string& function) {
  if (!dataset.named || dataset.classes.empty()) {
    fail(function, fmt::format("{}: the classes have no names; expected a file of class names, "
                               "with --names, or names=",
                               spec.path));
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

std::vector<std::string> choose_templates(const std::string& asked, const Dataset& dataset) {
  if (!asked.empty()) return resolve_templates(asked);
  return resolve_templates(dataset.templates.empty() ? "photo" : dataset.templates);
}

Sentences choose_sentences(const std::string& asked, const Dataset& dataset) {
  // A dataset that has a template of its own does not hold photos.
  const bool drawings = !dataset.templates.empty();
  return {.templates = choose_templates(asked, dataset),
          .template_set = asked,
          .ensemble = find_template_set(drawings ? "doodles7" : "select7").templates,
          .plain_words = drawings ? words_before_name(dataset.templates) : "a photo of a"};
}

}  // namespace openworld
