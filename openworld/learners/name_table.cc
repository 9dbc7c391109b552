#include "openworld/learners/name_table.h"

namespace openworld {

NameTable::NameTable(const TuningTask& task, const std::vector<NameList>& lists) {
  add(task.base_names, task.sentences, true);
  for (const NameList& list : lists) {
    add(list.names, list.sentences.value_or(task.sentences), list.base);
  }
}

void NameTable::add(const std::vector<std::string>& names, const Sentences& sentences, bool base) {
  if (names.empty()) return;
  if (groups_.empty() || groups_.back().sentences != sentences) groups_.push_back({{}, sentences});
  std::vector<std::string>& group = groups_.back().names;
  group.insert(group.end(), names.begin(), names.end());
  names_.insert(names_.end(), names.begin(), names.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    classes_.push_back(base ? static_cast<std::int64_t>(i) : -1);
  }
}

}  // namespace openworld
