#include "openworld/studies/cell_eval.h"

#include <gtest/gtest.h>

#include "openworld/metrics/evaluate.h"
#include "openworld/metrics/table.h"
#include "openworld/predictions/predictions.h"
#include "openworld/studies/test_studies.h"

namespace openworld {
namespace {

using testing::begin_study;
using testing::TempFolder;

constexpr auto kPlan = R"(
models = ["m"]
data = ["d"]
seeds = "1-3"
learners = ["coop"]
)";

// `right` of five base samples and all of five new ones are classified right, and base samples have
// the larger scores: base accuracy right / 5, new accuracy 1, AUROC 1.
void write_predictions(const std::string& path, int right) {
  std::string text = "side,score,correct\n";
  for (int i = 0; i < 5; ++i)
    text += "base," + std::to_string(10 + i) + (i < right ? ",1\n" : ",0\n");
  for (int i = 0; i < 5; ++i) text += "new," + std::to_string(i) + ",1\n";
  write_file_atomically(path + ".csv", text, "test");
  save_predictions(load_predictions(path + ".csv"), path);
}

CellValue value_of(const std::string& metric, double value, const std::string& world = "",
                   const std::string& level = "") {
  return {world, level, metric, value};
}

class CellEvalTest : public ::testing::Test {
 protected:
  const StudyCell& cell(std::size_t i) const { return store_.cells()[i]; }

  void finish(std::size_t i, int right, std::vector<CellValue> values) {
    store_.prepare(cell(i), false);
    write_predictions(store_.cell_folder(cell(i)) + "/predictions.npz", right);
    store_.finish(cell(i), {"predictions.npz"}, std::move(values), 1.5);
  }

  EvalSummary evaluate(const std::string& metrics = "") {
    return evaluate_study(store_, {}, metrics,
                          [&](const StudyCell& cell, const std::string& error) {
                            errors_.push_back(cell.name + " " + error);
                          });
  }

  TempFolder folder_;
  StudyStore store_{begin_study(folder_, kPlan), "study"};
  std::vector<std::string> errors_;
};

TEST_F(CellEvalTest, CorrectsValuesAndLeavesTheRest) {
  const std::vector<CellValue> right = {value_of("base_acc", 0.6), value_of("auroc", 1)};
  finish(0, 3, {value_of("base_acc", 0.1), value_of("auroc", 1)});  // a metric that was wrong
  finish(1, 3, right);
  const std::string before = testing::read_file(store_.cell_folder(cell(1)) + "/cell.json");
  const EvalSummary summary = evaluate();
  EXPECT_EQ(summary.evaluated, 2u);
  EXPECT_EQ(summary.changed, 1u);
  EXPECT_TRUE(errors_.empty());
  for (const std::size_t i : {0, 1}) {
    const CellStatus status = store_.status(cell(i), true);
    ASSERT_EQ(status.state, CellState::kDone);
    EXPECT_EQ(status.result->values, right);
    EXPECT_EQ(status.result->seconds, 1.5);
  }
  EXPECT_EQ(testing::read_file(store_.cell_folder(cell(1)) + "/cell.json"), before);
  EXPECT_EQ(evaluate().changed, 0u);
}

TEST_F(CellEvalTest, MeasuresOtherMetrics) {
  finish(0, 4, {value_of("base_acc", 0.8)});
  EXPECT_EQ(evaluate("new_acc,base_acc").changed, 1u);
  const std::vector<CellValue> expected = {value_of("new_acc", 1), value_of("base_acc", 0.8)};
  EXPECT_EQ(store_.status(cell(0)).result->values, expected);
  EXPECT_ERROR(evaluate("no_such_metric"), "no_such_metric");
}

TEST_F(CellEvalTest, ViewsAreFilesInTheirOrder) {
  store_.prepare(cell(0), false);
  const std::string folder = store_.cell_folder(cell(0));
  write_predictions(folder + "/view-000.npz", 1);
  write_predictions(folder + "/view-001.npz", 2);
  write_file_atomically(folder + "/prompts.safetensors", "", "test");
  store_.finish(cell(0), {"view-000.npz", "view-001.npz", "prompts.safetensors"},
                {value_of("base_acc", 0, "d", "0"), value_of("new_acc", 0, "d", "0"),
                 value_of("base_acc", 0, "d", "1")},
                1);
  EXPECT_EQ(evaluate().changed, 1u);
  const std::vector<CellValue> expected = {value_of("base_acc", 0.2, "d", "0"),
                                           value_of("new_acc", 1, "d", "0"),
                                           value_of("base_acc", 0.4, "d", "1")};
  EXPECT_EQ(store_.status(cell(0)).result->values, expected);
}

TEST_F(CellEvalTest, KeepsResultsThatItCannotMeasure) {
  finish(0, 3, {value_of("base_acc", 0.6)});
  store_.prepare(cell(1), false);
  const std::string folder = store_.cell_folder(cell(1));
  write_file_atomically(folder + "/predictions.npz", "not predictions", "test");
  store_.finish(cell(1), {"predictions.npz"}, {value_of("base_acc", 0.5)}, 1);
  finish(2, 3, {value_of("base_acc", 0, "", "0"), value_of("base_acc", 0, "", "1")});
  const EvalSummary summary = evaluate();
  EXPECT_EQ(summary.evaluated, 1u);
  EXPECT_EQ(summary.failed, 2u);
  ASSERT_EQ(errors_.size(), 2u);
  EXPECT_NE(errors_[0].find(folder + "/predictions.npz"), std::string::npos) << errors_[0];
  EXPECT_NE(errors_[1].find("1 .npz files for the values of 2 views"), std::string::npos);
  EXPECT_EQ(store_.status(cell(1)).result->values, (std::vector{value_of("base_acc", 0.5)}));
}

// Predictions that were changed are not measured: the cell is not done.
TEST_F(CellEvalTest, LeavesDamagedCells) {
  finish(0, 3, {value_of("base_acc", 0.6)});
  write_predictions(store_.cell_folder(cell(0)) + "/predictions.npz", 1);
  EXPECT_EQ(evaluate().evaluated, 0u);
}

}  // namespace
}  // namespace openworld
