#pragma once

// The names of a scorer by column: the base names of a task, then the names of lists.

#include <cstdint>
#include <string>
#include <vector>

#include "openworld/learners/learner.h"

namespace openworld {

class NameTable {
 public:
  NameTable(const TuningTask& task, const std::vector<NameList>& lists);

  // By column.
  const std::vector<std::string>& names() const { return names_; }
  // The base class that a column is a name of; -1 for a new name.
  const std::vector<std::int64_t>& classes() const { return classes_; }

  // Neighbouring columns whose names are put in the same sentences.
  struct Group {
    std::vector<std::string> names;
    Sentences sentences;
  };
  const std::vector<Group>& groups() const { return groups_; }

 private:
  void add(const std::vector<std::string>& names, const Sentences& sentences, bool base);

  std::vector<std::string> names_;
  std::vector<std::int64_t> classes_;
  std::vector<Group> groups_;
};

}  // namespace openworld
