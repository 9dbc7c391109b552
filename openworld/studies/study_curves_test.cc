#include "openworld/studies/study_curves.h"

#include <gtest/gtest.h>

#include <cmath>

#include "openworld/studies/test_studies.h"

namespace openworld {
namespace {

constexpr auto kPlan = R"(models = ["m"]
data = ["d"]
scenarios = ["emerging"]
seeds = [1, 2, 3]
learners = ["zero-shot", "coop"]
)";

// Zero-shot has 0.5 and 0.4 in two worlds. AUC of coop is 0.55 + 0.01 s and 0.7 + 0.03 s with seed
// s, on average 0.625 + 0.02 s.
std::vector<CellValue> values_of(const Cell& cell) {
  const auto s = static_cast<double>(cell.seed);
  if (cell.learner.name == "zero-shot") {
    return {{"w", "0", "overall_acc", 0.5},
            {"w", "1", "overall_acc", 0.5},
            {"x", "0", "overall_acc", 0.4},
            {"x", "1", "overall_acc", 0.4}};
  }
  return {{"w", "0", "overall_acc", 0.6 + 0.01 * s},
          {"w", "1", "overall_acc", 0.5 + 0.01 * s},
          {"x", "0", "overall_acc", 0.7 + 0.03 * s},
          {"x", "1", "overall_acc", 0.7 + 0.03 * s}};
}

class StudyCurvesTest : public ::testing::Test {
 protected:
  std::vector<StudyTable> tables(StudyCi ci) {
    cells_ = testing::cells_of(kPlan);
    states_.clear();
    for (const StudyCell& cell : cells_) {
      CellStatus& status = states_.emplace_back(CellStatus{.state = CellState::kDone});
      status.result.emplace();
      status.result->values = values_of(cell.cell);
    }
    grids_ = study_grids(cells_, states_, "test");
    StudyTableOptions options;
    options.measure.ci = ci;
    return study_tables(grids_, "", options, "test");
  }

  // By the name of its column, of coop.
  static const StudyValue& value(const StudyTable& table, const std::string& name) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].name == name) return table.cells[1][c].measured;
    }
    throw std::out_of_range(name);
  }

  std::vector<StudyCell> cells_;
  std::vector<CellStatus> states_;
  std::vector<StudyGrid> grids_;
};

void expect_interval(const StudyValue& value, double mean, double deviation) {
  constexpr double kT = 4.302653;  // Student's t of two degrees of freedom, 97.5 %
  ASSERT_TRUE(value.interval);
  EXPECT_NEAR(*value.value, mean, 1e-12);
  EXPECT_NEAR(value.interval->low, mean - kT * deviation / std::sqrt(3), 1e-6);
  EXPECT_NEAR(value.interval->high, mean + kT * deviation / std::sqrt(3), 1e-6);
}

TEST_F(StudyCurvesTest, WhatIsLinearHasIntervalsOverSeeds) {
  const std::vector<StudyTable> found = tables(StudyCi::kAuto);
  ASSERT_EQ(found.size(), 3u);  // the average and two worlds
  EXPECT_EQ(found[0].interval, "student_t");
  expect_interval(value(found[0], "auc"), 0.665, 0.02);
  expect_interval(value(found[0], "acc0"), 0.69, 0.02);
  expect_interval(value(found[0], "delta_auc"), 0.215, 0.02);
  expect_interval(value(found[1], "auc"), 0.57, 0.01);
  expect_interval(value(found[2], "delta_auc"), 0.36, 0.03);
  EXPECT_FALSE(value(found[0], "evm").interval);
  EXPECT_FALSE(found[0].cells[0].back().measured.interval);
}

// P of |t| with two degrees of freedom is 1 - t / sqrt(t^2 + 2).
TEST_F(StudyCurvesTest, DifferencesAreTestedOverSeeds) {
  const std::vector<StudyTable> found = tables(StudyCi::kSeeds);
  const double t = 0.215 / (0.02 / std::sqrt(3));
  for (const char* name : {"auc", "delta_auc"}) {
    const StudyValue& mine = value(found[0], name);
    EXPECT_NEAR(*mine.difference, 0.215, 1e-12) << name;
    ASSERT_TRUE(mine.p) << name;
    EXPECT_NEAR(*mine.p, 1 - t / std::sqrt(t * t + 2), 1e-9) << name;
  }
}

TEST_F(StudyCurvesTest, IntervalsAreLeftOutOrRefused) {
  for (const StudyTable& table : tables(StudyCi::kNone)) {
    EXPECT_EQ(table.interval, "");
    EXPECT_FALSE(value(table, "auc").interval);
  }
  EXPECT_THROW(tables(StudyCi::kBootstrap), Error);
}

}  // namespace
}  // namespace openworld
