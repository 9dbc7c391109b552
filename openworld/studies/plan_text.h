#pragma once

// Where a plan comes from: a file, or one that is bundled with the program; and what its user
// changes in it.
//
// Bundled plans are data/studies/FAMILY-NAME.toml, called FAMILY:NAME: "openworld:table2". They and
// any other plan may have
//
//   description = "one line"          # for listings
//   source = "Table 2"                # of the paper
//   [quick]                           # with --quick: these keys instead of the plan's
//   data = ["doodles:shapes@cluttered"]
//   seeds = [1, 2]
//   epochs = 5                        # of every learner that has more
//   [published]                       # with --model: these keys instead of the plan's
//   learners = ["zero-shot", "coop"]

#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/origin.h"

namespace openworld {

// Empty lists: as the plan says.
struct PlanChanges {
  bool quick = false;
  std::vector<std::string> models = {}, data = {};
  std::vector<std::string> looks = {}, targets = {};  // of the scenarios that have them

  bool any() const {
    return quick || !models.empty() || !data.empty() || !looks.empty() || !targets.empty();
  }
};

struct PlanText {
  std::string text;    // what is computed: the file, or the file with the changes
  std::string folder;  // where relative paths begin: that of the file, or the current one
};

// Reads a plan by its path or bundled name. Names of existing files in `changes` become absolute.
// Throws Error as [function].
PlanText read_plan_text(const std::string& plan, PlanChanges changes, std::string_view function);

// The text of a plan with the changes; as it is, comments included, where there are none. Throws
// Error for --quick where the plan has no [quick], and for looks or targets that no scenario has.
std::string changed_plan(std::string_view text, const PlanChanges& changes, const Origin& origin);

struct BundledPlan {
  std::string name;  // "openworld:table2"
  std::string path;
  std::string description, source;
};

// In the order of their names, numbers by value. Throws Error as [function].
std::vector<BundledPlan> bundled_plans(std::string_view function);

}  // namespace openworld
