#include "openworld/studies/study_store.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "openworld/studies/test_studies.h"

namespace openworld {
namespace {

using testing::begin_study;
using testing::cells_of;
using testing::read_file;
using testing::TempFolder;

constexpr auto kPlan = "models=['m']\ndata=['d']\nseeds='1-2'\nlearners=['coop']\n";

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() : store(begin_study(folder, kPlan), "study"), cell(store.cells()[0]) {}

  std::string file(const std::string& name) const { return store.cell_folder(cell) + "/" + name; }

  void finish() {
    store.prepare(cell, false);
    write_file_atomically(file("predictions.txt"), "predictions", "test");
    store.finish(cell, {"predictions.txt"},
                 {{"", "", "auroc", 0.1}, {"d", "0.2", "hm", std::nullopt}}, 1.5);
  }

  CellState state() { return store.status(cell).state; }

  TempFolder folder;
  StudyStore store;
  const StudyCell& cell;
};

TEST_F(StoreTest, StatesFollowFromFiles) {
  EXPECT_EQ(state(), CellState::kWaiting);
  {
    const std::optional<Lease> lease = store.claim(cell);
    EXPECT_EQ(state(), CellState::kRunning);
    EXPECT_EQ(store.statuses()[0].state, CellState::kRunning);
    EXPECT_EQ(store.status(cell).owner, this_owner());
    store.fail_cell(cell, "first\nline");
    EXPECT_EQ(state(), CellState::kRunning);  // an old failure does not outrank a running job
  }
  EXPECT_EQ(state(), CellState::kFailed);
  EXPECT_EQ(store.status(cell).failure->error, "first");
  store.fail_cell(cell, "second");
  EXPECT_EQ(store.status(cell).failure, (CellFailure{cell.id, 2, "second"}));
  finish();
  EXPECT_EQ(state(), CellState::kDone);
  EXPECT_FALSE(std::filesystem::exists(file("failed.json")));
  const CellResult result = *store.status(cell).result;
  EXPECT_EQ(result.id, cell.id);
  EXPECT_EQ(result.files,
            (std::vector<CellFile>{{"predictions.txt", 11, testing::hash_text("predictions")}}));
  EXPECT_EQ(result.values[0], (CellValue{"", "", "auroc", 0.1}));
  EXPECT_EQ(result.values[1].value, std::nullopt);
  EXPECT_EQ(result.seconds, 1.5);
  EXPECT_GT(store.status(cell).finished_at, 1e9);
  EXPECT_EQ(store.statuses()[1].state, CellState::kWaiting);
}

TEST_F(StoreTest, AResultCutAnywhereIsFound) {
  finish();
  const std::string whole = read_file(file("cell.json"));
  ASSERT_GT(whole.size(), 100u);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    folder.write("study/cells/" + cell.name + "/cell.json", whole.substr(0, size));
    EXPECT_EQ(state(), CellState::kDamaged) << size;
    EXPECT_FALSE(store.status(cell).result);
  }
  folder.write("study/cells/" + cell.name + "/cell.json", whole);
  EXPECT_EQ(state(), CellState::kDone);
}

TEST_F(StoreTest, AChangedByteIsFound) {
  finish();
  const std::string whole = read_file(file("cell.json"));
  const std::size_t cost = whole.find("\"seconds\""), after = whole.find('}', cost);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (i >= cost && i < after) continue;  // may be of any value
    for (const char byte : {'0', '7', ' ', '"', 'x'}) {
      if (whole[i] == byte) continue;
      std::string changed = whole;
      changed[i] = byte;
      folder.write("study/cells/" + cell.name + "/cell.json", changed);
      EXPECT_EQ(state(), CellState::kDamaged) << i << " " << byte;
    }
  }
}

TEST_F(StoreTest, DamagedPredictionsAreFound) {
  finish();
  const std::string path = "study/cells/" + cell.name + "/predictions.txt";
  folder.write(path, "prediction");
  EXPECT_EQ(state(), CellState::kDamaged);
  folder.write(path, "predictionz");
  EXPECT_EQ(state(), CellState::kDone);  // the same size
  EXPECT_EQ(store.status(cell, /*verify=*/true).state, CellState::kDamaged);
  std::filesystem::remove(folder / path);
  EXPECT_EQ(state(), CellState::kDamaged);
  store.prepare(cell, /*damaged=*/true);
  EXPECT_EQ(state(), CellState::kWaiting);
}

TEST_F(StoreTest, AResultOfAnotherCellIsNotThisOnes) {
  finish();
  const StudyCell& other = store.cells()[1];
  std::filesystem::copy(store.cell_folder(cell), store.cell_folder(other));
  EXPECT_EQ(store.status(other).state, CellState::kDamaged);
}

TEST_F(StoreTest, AResultCannotNameFilesElsewhere) {
  folder.write("secret", "secret");
  for (const std::string& name : {std::string("../../../secret"), folder / "secret"}) {
    store.prepare(cell, true);
    const CellResult result{
        .id = cell.id, .files = {{name, 6, testing::hash_text("secret")}}, .values = {}};
    write_file_atomically(file("cell.json"), cell_result_text(result), "test");
    EXPECT_EQ(state(), CellState::kDamaged);
  }
}

TEST_F(StoreTest, PrepareRemovesWhatIsHalfWritten) {
  folder.write("study/cells/" + cell.name + "/deep/x.npz.tmp.0123456789abcdef", "half");
  folder.write("study/cells/" + cell.name + "/state.safetensors", "to resume from");
  store.prepare(cell, false);
  EXPECT_FALSE(std::filesystem::exists(file("deep/x.npz.tmp.0123456789abcdef")));
  EXPECT_TRUE(std::filesystem::exists(file("state.safetensors")));
}

TEST_F(StoreTest, TheSamePlanChangesNothing) {
  const std::string before = read_file(folder / "study/study.json");
  const PlanChange change =
      StudyStore::begin(folder / "study", {{"test", "/", cells_of(kPlan)}, kPlan, false}, "study");
  EXPECT_EQ(change.added, 0u);
  EXPECT_EQ(change.removed, 0u);
  EXPECT_EQ(read_file(folder / "study/study.json"), before);
  EXPECT_EQ(read_file(folder / "study/plan.toml"), kPlan);
}

TEST_F(StoreTest, APlanMayBeExtended) {
  finish();
  begin_study(folder, "models=['m']\ndata=['d']\nseeds='1-3'\nlearners=['kgcoop','coop']\n");
  StudyStore again(folder / "study", "study");
  EXPECT_EQ(again.cells().size(), 6u);
  const std::vector<CellStatus> states = again.statuses();
  EXPECT_EQ(std::count_if(states.begin(), states.end(),
                          [](const CellStatus& s) { return s.state == CellState::kDone; }),
            1);
}

TEST_F(StoreTest, AChangedPlanIsRefusedWithTheDifference) {
  const std::string changed =
      "models=['m']\ndata=['d']\nseeds='1-2'\nlearners=[{name='coop',options={lr=0.1}}]\n";
  EXPECT_ERROR(begin_study(folder, changed),
               "2 of the 2 cells of this study are not in the plan any more; the first is coop on "
               "d, recognition, 16 shots, seed 1: learner.options was not given and is "
               "{\"lr\":0.1}; choose");
  EXPECT_ERROR(begin_study(folder, "models=['m']\ndata=['d']\nseeds=2\nlearners=['coop']\n"),
               "1 of the 2 cells of this study are not in the plan any more; the first is coop on "
               "d, recognition, 16 shots, seed 1: no cell has seed 1 any more; choose");
  EXPECT_EQ(StudyStore(folder / "study", "study").cells()[0].id, cell.id);  // nothing was changed
  begin_study(folder, changed, /*force=*/true);
  EXPECT_NE(StudyStore(folder / "study", "study").cells()[0].id, cell.id);
}

// Whatever is near among the cells that stay.
TEST(Store, TheDifferenceIsWhatWasChanged) {
  const TempFolder folder;
  const auto plan = [](const std::string& data, const std::string& lr, const std::string& seeds) {
    return "models=['m']\ndata=['d'," + data + "]\nseeds='" + seeds +
           "'\nlearners=['zero-shot',{name='coop',options={lr=[" + lr + "]}}]\n";
  };
  begin_study(folder, plan("'e'", "0.1,0.2", "1-3"));
  EXPECT_ERROR(begin_study(folder, plan("'e'", "0.1,0.3", "1-3")),
               "coop lr=0.2 on d, recognition, 16 shots, seed 1: learner.options.lr was 0.2 and is "
               "0.3; choose");
  EXPECT_ERROR(begin_study(folder, plan("'e'", "0.1", "1-3")),
               "seed 1: no cell has learner.options.lr 0.2 any more; choose");
  EXPECT_ERROR(begin_study(folder, plan("{path='e',base='all'}", "0.1,0.2", "1-3")),
               "zero-shot on e, recognition, 16 shots, seed 1: data.base was not given and is "
               "\"all\"; choose");
  EXPECT_ERROR(
      begin_study(folder, plan("'e'", "0.1,0.2", "1-2")),
      "zero-shot on d, recognition, 16 shots, seed 3: no cell has seed 3 any more; choose");
}

TEST(Store, DoesNotWriteIntoAFolderThatIsNotAStudy) {
  const TempFolder folder;
  folder.write("study/photo.png", "x");
  EXPECT_ERROR(begin_study(folder, kPlan), "is neither empty nor a study");
}

TEST(Store, RefusesADamagedStudyFile) {
  const TempFolder folder;
  const std::string path = begin_study(folder, kPlan) + "/study.json";
  const std::string whole = read_file(path);
  for (std::size_t size = 0; size + 1 < whole.size(); size += 7) {
    folder.write("study/study.json", whole.substr(0, size));
    EXPECT_ERROR(StudyStore(folder / "study", "study"), "[study] " + path);
  }
  std::string other = whole;
  other.replace(other.find("\"protocol\":1"), 12, "\"protocol\":9");
  folder.write("study/study.json", other);
  EXPECT_ERROR(StudyStore(folder / "study", "study"),
               "protocol is 9; expected 1, the version of this program");
}

}  // namespace
}  // namespace openworld
