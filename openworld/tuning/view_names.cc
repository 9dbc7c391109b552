#include "openworld/tuning/view_names.h"

#include <map>
#include <numeric>
#include <utility>

namespace openworld {
namespace {

// Where the names of the lists stand.
class Columns {
 public:
  Columns(const TrainingClasses& train, const std::vector<TestNames>& tests)
      : train_(train), tests_(tests), place_(train.order.size()) {
    for (std::size_t i = 0; i < train.order.size(); ++i) {
      place_[static_cast<std::size_t>(train.order[i])] = static_cast<std::int64_t>(i);
    }
  }

  // Makes the lists of these names. Lists are ordered by dataset and template.
  void add_lists(const ScenarioPlan& plan, bool source_is_new) {
    if (source_is_new && train_.base < train_.order.size()) begin_[{1, 0, 0}] = 0;
    for (const View& view : plan.views) {
      for (const ViewClass& name : view.base) begin_[base_key(name)] = 0;
      for (const ViewClass& name : view.new_classes) begin_[new_key(name)] = 0;
    }
    begin_[{0, 0, 0}] = 0;  // the base names in their own sentences, first
    auto next = static_cast<std::int64_t>(train_.base);
    for (auto& [key, begin] : begin_) {
      if (key == Key{0, 0, 0}) continue;
      begin = next;
      lists_.push_back(list_of(key));
      next += static_cast<std::int64_t>(lists_.back().names.size());
    }
  }

  std::int64_t of_base(const ViewClass& name) const {
    return begin_.at(base_key(name)) + place_[static_cast<std::size_t>(name.label)];
  }

  std::int64_t of_new(const ViewClass& name) const {
    const std::int64_t among_names =
        name.dataset == 0
            ? place_[static_cast<std::size_t>(name.label)] - static_cast<std::int64_t>(train_.base)
            : name.label;
    return begin_.at(new_key(name)) + among_names;
  }

  std::vector<NameList> lists() && { return std::move(lists_); }

 private:
  struct Key {
    int is_new;
    std::size_t dataset, templates;

    auto operator<=>(const Key&) const = default;
  };

  // Templates with the same sentences are one.
  std::size_t template_key(std::size_t templates) const {
    std::size_t first = 0;
    while (tests_[first].sentences != tests_[templates].sentences) ++first;
    return first;
  }
  Key base_key(const ViewClass& name) const { return {0, 0, template_key(name.templates)}; }
  Key new_key(const ViewClass& name) const {
    return {1, name.dataset, template_key(name.templates)};
  }

  NameList list_of(const Key& key) const {
    NameList list{
        .names = {}, .sentences = tests_[key.templates].sentences, .base = key.is_new == 0};
    if (key.dataset > 0) {
      list.names = tests_[key.dataset].names;
      return list;
    }
    const std::size_t begin = list.base ? 0 : train_.base;
    const std::size_t end = list.base ? train_.base : train_.order.size();
    for (std::size_t i = begin; i < end; ++i) {
      list.names.push_back(tests_[0].names[static_cast<std::size_t>(train_.order[i])]);
    }
    return list;
  }

  const TrainingClasses& train_;
  const std::vector<TestNames>& tests_;
  std::vector<std::int64_t> place_;  // of a label in the order of training
  std::map<Key, std::int64_t> begin_;
  std::vector<NameList> lists_;
};

}  // namespace

ViewNames view_names(const ScenarioPlan& plan, const std::vector<TestNames>& tests,
                     bool source_is_new) {
  Columns columns(plan.train, tests);
  columns.add_lists(plan, source_is_new);
  ViewNames result;
  for (const View& view : plan.views) {
    NameColumns& names = result.columns.emplace_back();
    for (const ViewClass& name : view.base) names.base.push_back(columns.of_base(name));
    for (const ViewClass& name : view.new_classes) names.new_names.push_back(columns.of_new(name));
    names.detected = names.base;
    if (view.train_columns) {
      names.detected.resize(plan.train.base);
      std::iota(names.detected.begin(), names.detected.end(), 0);
    }
  }
  result.lists = std::move(columns).lists();
  return result;
}

}  // namespace openworld
