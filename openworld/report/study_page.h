#pragma once

// A study as a page of HTML, or as sections of one: tables, curves over levels, missing and failed
// cells.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/report/html_page.h"
#include "openworld/studies/study_table.h"

namespace openworld {

struct StudyPageInput {
  std::string title;
  std::span<const StudyCell> cells;
  std::span<const CellStatus> states;
  std::span<const StudyGrid> grids;
  std::span<const StudyTable> tables;
};

// Everything that a page shows of a study, read once.
class StudyPageData {
 public:
  // Throws Error as [function].
  StudyPageData(const std::string& folder, const StudyTableOptions& options,
                std::string_view function);

  // The name of the plan, or "Study".
  const std::string& name() const { return name_; }
  std::size_t tables() const { return tables_.size(); }
  // A view that lives as long as this object.
  StudyPageInput input(std::string title) const;

 private:
  std::unique_ptr<StudyStore> store_;
  std::string name_;
  std::vector<CellStatus> states_;
  std::vector<StudyGrid> grids_;
  std::vector<StudyTable> tables_;
};

// "12 cells: 12 done".
std::string describe_study(const StudyPageInput& input);

std::vector<std::string> study_methods(const StudyPageInput& input);

void add_study(HtmlPage& page, const StudyPageInput& input);

std::string study_page(const StudyPageInput& input);

}  // namespace openworld
