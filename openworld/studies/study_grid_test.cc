#include "openworld/studies/study_grid.h"

#include <gtest/gtest.h>

#include "openworld/io/test_util.h"
#include "openworld/studies/test_studies.h"

namespace openworld {
namespace {

std::vector<StudyGrid> grids_of(const std::vector<StudyCell>& cells) {
  const std::vector<CellStatus> states(cells.size());
  return study_grids(cells, states, "test");
}

TEST(StudyGrid, HasEveryMethodOnEveryDataset) {
  const auto cells = testing::cells_of(
      "models=['m']\ndata=['d','e']\nlearners=['a','b','c']\nseeds=[1,2]\nshots=[4,16]");
  const StudyGrid grid = grids_of(cells).at(0);
  EXPECT_EQ(grid.methods.size(), 6u);
  EXPECT_EQ(grid.data, (std::vector<std::string>{"d", "e"}));
  EXPECT_EQ(grid.cells, cells.size());
  for (std::size_t m = 0; m < grid.methods.size(); ++m) {
    for (std::size_t d = 0; d < grid.data.size(); ++d) EXPECT_EQ(grid.of(m, d).size(), 2u);
  }
}

// 8,000 cells took 12 GiB.
TEST(StudyGrid, RefusesAGridThatIsNearlyEmpty) {
  const StudyCell first = testing::cells_of("models=['m']\ndata=['d']\nlearners=['a']").at(0);
  std::vector<StudyCell> cells;
  for (int i = 0; i < 2000; ++i) {
    cells.push_back(first);
    cells.back().cell.learner.name = std::to_string(i);
    cells.back().cell.data.path = std::to_string(i);
  }
  EXPECT_ERROR(grids_of(cells), "expected a cell for each");
}

}  // namespace
}  // namespace openworld
