#include "openworld/studies/study_bootstrap.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "openworld/predictions/predictions.h"
#include "openworld/studies/test_studies.h"

namespace openworld {
namespace {

constexpr auto kPlan = R"(models = ["m"]
data = ["d"]
scenarios = ["NAME"]
seeds = [1, 2]
learners = ["zero-shot", "coop"]
)";

// A study whose cells have predictions of two views with the same sides and labels in every seed.
class StudyBootstrap : public ::testing::Test {
 protected:
  MeasuredLevel measure(std::string scenario) {
    std::string toml = kPlan;
    toml.replace(toml.find("NAME"), 4, scenario);
    cells_ = testing::cells_of(toml);
    states_.clear();
    for (const StudyCell& cell : cells_) {
      const std::string of_cell = folder_ / ("cells/" + cell.name);
      std::filesystem::create_directories(of_cell);
      CellStatus& status = states_.emplace_back(CellStatus{.state = CellState::kDone});
      status.result.emplace();
      for (const char* level : {"a", "b"}) {
        const std::string name = std::string("view-") + level + ".npz";
        save_predictions(predictions(cell), of_cell + "/" + name);
        status.result->files.push_back({name, 1, ""});
        status.result->values.push_back({"w", level, "auroc", 0.5});
      }
    }
    grids_ = study_grids(cells_, states_, "test");
    MeasureOptions options;
    options.bootstrap.resamples = 50;
    return measure_level(grids_[0], folder_ / "", "b", {"auroc"}, 0, options, "test");
  }

  // Scores that depend on the cell.
  static Predictions predictions(const StudyCell& cell) {
    Predictions result;
    std::vector<std::int8_t> side;
    std::vector<double> score;
    std::vector<std::uint8_t> correct;
    for (std::size_t i = 0; i < 20; ++i) {
      side.push_back(i < 10 ? 0 : 1);
      score.push_back(static_cast<double>((i * 7 + static_cast<std::size_t>(cell.id[i])) % 11));
      correct.push_back(1);
    }
    result.side = make_column(std::move(side));
    result.score = make_column(std::move(score));
    result.correct = make_column(std::move(correct));
    return result;
  }

  testing::TempFolder folder_;
  std::vector<StudyCell> cells_;
  std::vector<CellStatus> states_;
  std::vector<StudyGrid> grids_;
};

TEST_F(StudyBootstrap, IsTakenWhereEverySeedHasTheSameImages) {
  const MeasuredLevel measured = measure("domain");
  EXPECT_EQ(measured.interval, "two_way_bootstrap") << measured.note;
  EXPECT_TRUE(measured.metrics[0][1].worlds[0].interval);
  EXPECT_TRUE(view_predictions("s", grids_[0].of(0, 0).at(1), "w", "b").ends_with("view-b.npz"));
  EXPECT_EQ(view_predictions("s", grids_[0].of(0, 0).at(1), "w", "c"), "");
}

TEST_F(StudyBootstrap, IsNotTakenWhereTheSeedDrawsImages) {
  const MeasuredLevel measured = measure("imbalance");
  EXPECT_EQ(measured.interval, "student_t");
  EXPECT_EQ(measured.note, "seeds may have different test samples");
}

}  // namespace
}  // namespace openworld
