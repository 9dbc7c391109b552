#include "openworld/scenarios/same_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/base/quotes.h"

namespace openworld {

std::string comparable_name(std::string_view name) {
  std::string text;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool blank = c == '_' || c == '-' || c == ' ' || c == '\t';
    if (!blank) text += c;
    if (blank && !text.empty() && text.back() != ' ') text += ' ';
  }
  if (text.ends_with(' ')) text.pop_back();
  for (const std::string_view article : {"a ", "an ", "the "}) {
    if (text.starts_with(article)) return text.substr(article.size());
  }
  return text;
}

LabelIndex::LabelIndex(const std::vector<std::string>& classes) {
  for (std::size_t label = 0; label < classes.size(); ++label) {
    labels_[comparable_name(classes[label])].push_back(static_cast<std::int32_t>(label));
  }
}

const std::vector<std::int32_t>& LabelIndex::labels_of(std::string_view name) const {
  static const std::vector<std::int32_t> none;
  const auto found = labels_.find(comparable_name(name));
  return found == labels_.end() ? none : found->second;
}

std::vector<std::size_t> images_per_class(const Dataset& dataset) {
  std::vector<std::size_t> counts(dataset.classes.size());
  for (const Sample& sample : dataset.samples) {
    if (sample.label >= 0) ++counts[static_cast<std::size_t>(sample.label)];
  }
  return counts;
}

std::vector<std::int32_t> source_labels(const ScenarioDataset& source, const ScenarioDataset& look,
                                        std::size_t base, std::string_view function) {
  const std::vector<std::string>&classes = look.data.classes, &known = source.data.classes;
  const std::vector<std::size_t> counts = images_per_class(look.data);
  const bool same_list = classes == known;
  if (!same_list) {
    expect_names(source, function);
    expect_names(look, function);
  }
  const LabelIndex index(known);
  std::vector<std::int32_t> labels(classes.size(), -1);
  for (std::size_t label = 0; label < classes.size(); ++label) {
    if (counts[label] == 0) continue;
    if (same_list) {
      labels[label] = static_cast<std::int32_t>(label);
      continue;
    }
    const std::vector<std::int32_t>& found = index.labels_of(classes[label]);
    if (found.empty()) {
      const std::string near = nearest_name(classes[label], known);
      fail(function, fmt::format("{}: class {} is not in {}; expected classes of the source{}",
                                 look.name, in_quotes(classes[label]), source.name,
                                 near.empty() ? "" : ", did you mean " + in_quotes(near) + "?"));
    }
    const auto is_base = [&](std::int32_t l) { return static_cast<std::size_t>(l) < base; };
    if (is_base(found.front()) != is_base(found.back())) {
      fail(function, fmt::format("{}: class {} is class {} of {}, which is base, and class {}, "
                                 "which is new; expected different names",
                                 look.name, in_quotes(classes[label]), found.front(), source.name,
                                 found.back()));
    }
    labels[label] = found.front();
  }
  return labels;
}

void expect_names(const ScenarioDataset& dataset, std::string_view function) {
  if (dataset.data.named && !dataset.data.classes.empty()) return;
  fail(function, fmt::format("{}: the classes have no names, by which they are compared; expected "
                             "a file of class names",
                             dataset.name));
}

}  // namespace openworld
