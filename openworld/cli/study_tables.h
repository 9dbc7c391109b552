#pragma once

// `openworld study table` and `openworld study report`.

#include <string>
#include <vector>

#include "openworld/studies/study_table.h"

namespace CLI {
class App;
}

namespace openworld {

// The flags that choose tables, and what is done with them.
class StudyTablesCommand {
 public:
  void declare_table(CLI::App& app);
  void declare_report(CLI::App& app);

  void print_table(bool json);
  void write_report(bool json);

 private:
  void declare_choices(CLI::App& app);
  StudyTableOptions options() const;

  std::string study_, out_, title_;
  std::string by_ = "auto", ci_ = "auto", against_;
  std::vector<std::string> metrics_, levels_, scenarios_;
  MeasureOptions measure_;
};

}  // namespace openworld
