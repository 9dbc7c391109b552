#include "openworld/studies/worker.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "openworld/studies/study_progress.h"
#include "openworld/studies/test_studies.h"

namespace openworld {
namespace {

using testing::begin_study;
using testing::SmallRunner;
using testing::TempFolder;

constexpr auto kPlan = "models=['m']\ndata=['d']\nseeds='1-3'\nlearners=['coop','bad','clip']\n";

class WorkerTest : public ::testing::Test {
 protected:
  WorkerTest() : store(begin_study(folder, kPlan), "study") {}

  WorkSummary run(const WorkOptions& options = {}) {
    return work(store, runner, options, observer);
  }
  StudyProgress progress() { return study_progress(store.cells(), store.statuses()); }

  TempFolder folder;
  StudyStore store;
  SmallRunner runner;
  WorkObserver observer;
};

TEST_F(WorkerTest, ComputesEveryCellOnceAndKeepsGoing) {
  std::vector<std::string> failures;
  observer.failed = [&](const StudyCell& cell, const std::string& error) {
    failures.push_back(cell.cell.learner.name + ": " + error);
  };
  const WorkSummary summary = run();
  EXPECT_EQ(summary.computed, 6u);
  EXPECT_EQ(summary.failed, 3u);
  EXPECT_FALSE(summary.stopped);
  EXPECT_EQ(failures, std::vector<std::string>(3, "bad: [small] this learner is bad"));
  EXPECT_EQ(runner.runs, 9);
  const StudyProgress now = progress();
  EXPECT_EQ(now.done, 6u);
  EXPECT_EQ(now.failed, 3u);
  ASSERT_EQ(now.failures.size(), 1u);  // once, not three times
  EXPECT_EQ(now.failures[0].cells.size(), 3u);
  EXPECT_EQ(progress_exit_code(now), 1);
  EXPECT_EQ(run().computed, 0u);
  EXPECT_EQ(runner.runs, 9);
}

TEST_F(WorkerTest, RetriesFailedCellsOnRequestOnce) {
  run();
  EXPECT_EQ(run({.retry_failed = true}).failed, 3u);
  EXPECT_EQ(runner.runs, 12);
  EXPECT_EQ(progress().failures[0].attempts, 2);
}

// As those that a supervisor starts: one may begin when another has failed already.
TEST_F(WorkerTest, WorkersThatBeginLaterDoNotRepeatAgain) {
  run();
  const double moment = store.moment();
  EXPECT_EQ(run({.retry_failed = true, .failed_before = moment}).failed, 3u);
  EXPECT_EQ(run({.retry_failed = true, .failed_before = moment}).failed, 0u);
  EXPECT_EQ(progress().failures[0].attempts, 2);
}

TEST_F(WorkerTest, StopsAfterSoManyFailures) {
  EXPECT_EQ(run({.max_failures = 1}).failed, 1u);
  EXPECT_EQ(runner.runs, 4);
  EXPECT_EQ(progress_exit_code(progress()), 1);
}

TEST_F(WorkerTest, TakesCellsByTheirNames) {
  const std::set<std::string> names = {store.cells()[1].name, store.cells()[8].name,
                                       "no such cell"};
  EXPECT_EQ(run({.names = names}).computed, 2u);
  EXPECT_EQ(store.status(store.cells()[1]).state, CellState::kDone);
  EXPECT_EQ(store.status(store.cells()[8]).state, CellState::kDone);
  EXPECT_EQ(run({.names = std::set<std::string>()}).computed, 0u);
}

// Slurm starts a task again on another node; what it computed there when it was killed is still
// claimed.
TEST_F(WorkerTest, ARequeuedTaskWaitsForItsEarlierStart) {
  const std::string lease = folder / "study/leases/" + store.cells()[0].name;
  const auto claim = [&](const char* job) {
    std::ofstream(lease) << R"({"host":"far","pid":1,"boot":"b","processes":"p","started":5,)"
                         << R"("slurm_job":")" << job << "\"}";
  };
  std::vector<std::string> notes;
  observer.note = [&](const std::string& line) {
    notes.push_back(line);
    std::filesystem::remove(lease);  // as if it had expired
  };
  ::setenv("SLURM_JOB_ID", "17", 1);
  claim("16");  // nobody waits for the tasks of others
  EXPECT_EQ(run({.first_cell = 1, .last_cell = 2}).computed, 1u);
  EXPECT_TRUE(notes.empty());
  claim("17");
  EXPECT_EQ(run({.first_cell = 1, .last_cell = 2}).computed, 1u);
  ::unsetenv("SLURM_JOB_ID");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("process 1 on host far, Slurm job 17"), std::string::npos) << notes[0];
  EXPECT_EQ(store.status(store.cells()[0]).state, CellState::kDone);
}

TEST_F(WorkerTest, Limits) {
  EXPECT_EQ(run({.limit = 2}).computed, 2u);
  EXPECT_EQ(progress_exit_code(progress()), 3);
  EXPECT_EQ(run({.only = "clip"}).computed, 3u);
  const WorkSummary third = run({.only = "seed 3"});
  EXPECT_EQ(third.computed, 1u);
  EXPECT_EQ(third.failed, 1u);
  EXPECT_EQ(progress().done, 6u);
  EXPECT_EQ(run({.first_cell = 4, .last_cell = 4}).failed, 1u);
  EXPECT_EQ(progress().failed, 2u);
  EXPECT_EQ(progress().waiting, 1u);
}

TEST_F(WorkerTest, LeavesWhatOthersCompute) {
  {
    const std::optional<Lease> lease = store.claim(store.cells()[0]);
    EXPECT_EQ(run().computed, 5u);
    EXPECT_EQ(progress().running, 1u);
    EXPECT_EQ(progress_exit_code(progress()), 1);
  }
  EXPECT_EQ(run().computed, 1u);
}

TEST_F(WorkerTest, ComputesDamagedCellsAgain) {
  run();
  const std::string path = store.cell_folder(store.cells()[1]) + "/cell.json";
  const std::string whole = testing::read_file(path);
  std::ofstream(path) << whole.substr(0, whole.size() / 2);
  EXPECT_EQ(progress().damaged, 1u);
  EXPECT_EQ(run().computed, 1u);
  EXPECT_EQ(progress().done, 6u);
}

TEST_F(WorkerTest, StopsBetweenCells) {
  observer.stop = [this] { return runner.runs >= 2; };
  const WorkSummary summary = run();
  EXPECT_TRUE(summary.stopped);
  EXPECT_EQ(summary.computed, 2u);
  EXPECT_EQ(progress().running, 0u);  // no lease is left
}

// Stops in its third cell when it is asked to.
class StoppedRunner : public SmallRunner {
 public:
  std::optional<CellOutput> run(const StudyCell& cell, const CellContext& context) override {
    if (runs == 2) asked = true;
    if (context.stop()) return std::nullopt;
    return SmallRunner::run(cell, context);
  }
  bool asked = false;
};

TEST_F(WorkerTest, StopsWithinACell) {
  StoppedRunner stopped;
  observer.stop = [&] { return stopped.asked; };
  const WorkSummary summary = work(store, stopped, {}, observer);
  EXPECT_TRUE(summary.stopped);
  EXPECT_EQ(summary.computed, 2u);
  EXPECT_EQ(summary.failed, 0u);
  EXPECT_EQ(progress().running, 0u);
  EXPECT_EQ(progress().failed, 0u);
}

// Whose lease somebody takes while it computes.
class RobbedRunner : public SmallRunner {
 public:
  explicit RobbedRunner(std::string leases) : leases_(std::move(leases)) {}
  std::optional<CellOutput> run(const StudyCell& cell, const CellContext& context) override {
    std::ofstream(leases_ + "/" + cell.name) << "{}";
    return SmallRunner::run(cell, context);
  }

 private:
  std::string leases_;
};

TEST_F(WorkerTest, WritesNoResultWithoutItsLease) {
  RobbedRunner robbed(folder / "study/leases");
  std::vector<std::string> notes;
  observer.note = [&](const std::string& line) { notes.push_back(line); };
  const WorkSummary summary = work(store, robbed, {.limit = 1, .last_cell = 1}, observer);
  EXPECT_EQ(summary.computed, 0u);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("its lease expired"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(store.cell_folder(store.cells()[0]) + "/cell.json"));
}

TEST_F(WorkerTest, TwoWorkersGiveTheSameBits) {
  run();
  const TempFolder other;
  StudyStore second(begin_study(other, kPlan), "study");
  SmallRunner again;
  work(second, again, {.first_cell = 5}, {});
  work(second, again, {}, {});
  const auto facts = [](const std::string& text) { return text.substr(0, text.find("\"cost\"")); };
  for (std::size_t i = 0; i < store.cells().size(); ++i) {
    const std::string a = store.cell_folder(store.cells()[i]),
                      b = second.cell_folder(second.cells()[i]);
    EXPECT_EQ(facts(testing::read_file(a + "/cell.json")),
              facts(testing::read_file(b + "/cell.json")));
    EXPECT_EQ(testing::read_file(a + "/predictions.txt"),
              testing::read_file(b + "/predictions.txt"));
  }
}

TEST(Progress, EstimatesByLearnerAndData) {
  const std::vector<StudyCell> cells =
      testing::cells_of("models=['m']\ndata=['d','e']\nlearners=['fast','slow']\nseeds='1-2'");
  ASSERT_EQ(cells.size(), 8u);  // d: fast fast slow slow, e: the same
  std::vector<CellStatus> states(8);
  const auto finish = [&](std::size_t i, double seconds, double at) {
    states[i].state = CellState::kDone;
    states[i].result = CellResult{.id = "", .files = {}, .values = {}, .seconds = seconds};
    states[i].finished_at = at;
  };
  EXPECT_FALSE(study_progress(cells, states).seconds_of_work_left);
  finish(0, 1, 100);
  finish(2, 10, 136);
  finish(4, 3, 172);
  states[1].state = states[5].state = CellState::kRunning;
  const StudyProgress progress = study_progress(cells, states);
  // fast on d 1, slow on d 10, fast on e 3, and slow on e like slow elsewhere, twice.
  EXPECT_DOUBLE_EQ(*progress.seconds_of_work_left, 1 + 10 + 3 + 10 + 10);
  EXPECT_DOUBLE_EQ(*progress.seconds_left, 17);
  EXPECT_DOUBLE_EQ(*progress.cells_per_hour, 100);
  EXPECT_EQ(progress_exit_code(progress), 3);
}

}  // namespace
}  // namespace openworld
