#include "openworld/runs/run_paths.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "openworld/io/test_util.h"
#include "openworld/runs/test_util.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;
using testing::TempFolder;
using Paths = std::vector<std::string>;

// A working folder for as long as it lives.
class In {
 public:
  explicit In(const std::string& folder) : before_(fs::current_path()) {
    fs::create_directories(folder);
    fs::current_path(folder);
  }
  In(const In&) = delete;
  In& operator=(const In&) = delete;
  ~In() { fs::current_path(before_); }

 private:
  fs::path before_;
};

Paths candidates(const RunFolder& run, const std::string& path) {
  return path_candidates(run, path, "predict");
}

// A run in work/runs/a that was started in work, with a model in work/models.
struct Work {
  Work() {
    temp.write("work/models/m", "weights");
    const In work(temp / "work");
    RunFolder("runs/a").begin(full_spec(), "test");
  }
  TempFolder temp{};
};

TEST(RunPaths, FromWhereTheRunWasStarted) {
  const Work work;
  {
    const In in(work.temp / "work");
    EXPECT_EQ(candidates(RunFolder("runs/a"), "models/m"), Paths{"models/m"});
    EXPECT_EQ(find_path(RunFolder("runs/a"), "models/m", "predict"), "models/m");
  }
  const In in(work.temp / "elsewhere");
  for (const std::string& run : {std::string("../work/runs/a"), work.temp / "work/runs/a/"}) {
    EXPECT_EQ(candidates(RunFolder(run), "models/m"),
              (Paths{"models/m", work.temp / "work/models/m"}));
    EXPECT_EQ(find_path(RunFolder(run), "models/m", "predict"), work.temp / "work/models/m");
  }
  EXPECT_EQ(candidates(RunFolder("../work/runs/a"), "pocket"), Paths{"pocket"});
}

TEST(RunPaths, OfARunThatWasMovedAlone) {
  const Work work;
  fs::create_directories(work.temp / "archive");
  fs::rename(work.temp / "work/runs/a", work.temp / "archive/a");
  const In in(work.temp / "archive");
  EXPECT_EQ(find_path(RunFolder("a"), "models/m", "predict"), work.temp / "work/models/m");
}

TEST(RunPaths, OfARunThatWasMovedWithEverything) {
  const Work work;
  fs::rename(work.temp / "work", work.temp / "other");
  const In in(work.temp / "elsewhere");
  const RunFolder run("../other/runs/a");
  EXPECT_EQ(find_path(run, "models/m", "predict"), work.temp / "other/models/m");
  // An absolute path of then is as far from the run as it was.
  EXPECT_EQ(find_path(run, work.temp / "work/models/m", "predict"), work.temp / "other/models/m");
}

TEST(RunPaths, OfARunOfEarlierVersions) {
  const Work work;
  fs::remove(work.temp / "work/runs/a/paths.json");
  const In in(work.temp / "elsewhere");
  EXPECT_EQ(find_path(RunFolder("../work/runs/a"), "models/m", "predict"),
            work.temp / "work/models/m");
  EXPECT_EQ(find_path(RunFolder("../work/runs/a"), "models/gone", "predict"), "models/gone");
}

TEST(RunPaths, SomethingElseOfThatNameIsACandidateToo) {
  const Work work;
  work.temp.write("elsewhere/models/m", "other weights");
  const In in(work.temp / "elsewhere");
  EXPECT_EQ(candidates(RunFolder("../work/runs/a"), "models/m"),
            (Paths{"models/m", work.temp / "work/models/m"}));
}

// The spec with which the run of `work` goes on if these are its paths now.
RunSpec resumed(const Work& work, const std::string& data, const std::string& vocabulary) {
  RunSpec was = full_spec(), now = full_spec();
  was.data.path = "data";
  was.model.vocabulary = "models/m";
  now.data.path = data;
  now.model.vocabulary = vocabulary;
  now.model.path = work.temp / "a copy of the weights";
  return resumed_spec(RunFolder(work.temp / "work/runs/a"), was, now, {"tune", "run.json"});
}

TEST(RunPaths, AreTheSameHoweverTheyAreSpelled) {
  const Work work;
  fs::create_directories(work.temp / "work/data");
  fs::create_directory_symlink("work", work.temp / "link");
  const auto expect_resumed = [&](const std::string& data, const std::string& vocabulary) {
    const RunSpec spec = resumed(work, data, vocabulary);
    EXPECT_EQ(spec.data.path, "data") << data;
    EXPECT_EQ(spec.model.vocabulary, "models/m") << vocabulary;
    EXPECT_EQ(spec.model.path, full_spec().model.path);
  };
  {
    const In in(work.temp / "work");
    expect_resumed("data", "models/m");
    expect_resumed("data/", "./models/m");
    expect_resumed("./data//", "runs/../models/m");
    expect_resumed(work.temp / "work/data", work.temp / "work/models/m");
    expect_resumed("../link/data", work.temp / "link/models/m");
  }
  const In in(work.temp / "elsewhere");
  expect_resumed("../work/data", "../work/models/m");
}

TEST(RunPaths, OtherPlacesAreOtherRuns) {
  const Work work;
  fs::create_directories(work.temp / "work/data");
  fs::create_directories(work.temp / "work/other");
  work.temp.write("work/models/n", "weights");
  const In in(work.temp / "work");
  EXPECT_ERROR(resumed(work, "other", "models/m"), R"(holds a run with path "data", not "other")");
  EXPECT_ERROR(resumed(work, "data", "models/n"), R"(vocabulary "models/m", not "models/n")");
  EXPECT_ERROR(resumed(work, "data", ""), R"(vocabulary "models/m", not "")");
  EXPECT_ERROR(resumed(work, "gone", "models/m"), R"(path "data", not "gone")");

  const RunFolder run(work.temp / "work/runs/a");
  RunSpec was = full_spec(), now = full_spec();
  now.model.path = "models/m";
  now.model.sha256 = "cd34";
  EXPECT_ERROR(resumed_spec(run, was, now, {"tune", "run.json"}), R"(path "pocket")");
  // What was not given is not the working folder.
  was.data.test_data = "";
  now = was;
  now.data.test_data = ".";
  EXPECT_ERROR(resumed_spec(run, was, now, {"tune", "run.json"}), R"(test_data "", not ".")");
}

TEST(RunPaths, OfScenariosAndNetworksAreKept) {
  const Work work;
  fs::create_directories(work.temp / "work/looks");
  const In in(work.temp / "work");
  const RunFolder run("runs/a");
  RunSpec was = full_spec();
  was.scenario = RunScenario{.name = "shift",
                             .options = {},
                             .looks = {{"looks", "test", "ab"}},
                             .targets = {{"looks", "test", "ab"}}};
  RunSpec now = was;
  now.scenario->looks[0].data = "./looks";
  now.scenario->targets[0].data = "looks/";
  EXPECT_EQ(resumed_spec(run, was, now, {"tune", "run.json"}).scenario, was.scenario);
  now.scenario->targets.clear();
  EXPECT_ERROR(resumed_spec(run, was, now, {"tune", "run.json"}), "targets");

  was = full_spec();
  was.network = RunNetwork{.name = "small", .known = {0, 1}, .input = 3, .unknown = "looks"};
  now = was;
  now.network->unknown = "./looks/";
  EXPECT_EQ(resumed_spec(run, was, now, {"osr train", "run.json"}).network, was.network);
}

TEST(RunPaths, RefusesAFileThatIsNone) {
  const Work work;
  const RunFolder run(work.temp / "work/runs/a");
  for (const char* text : {"{", "[]", "{}", R"({"schema": "openworld.paths/9"})",
                           R"({"schema": "openworld.paths/1", "working_folder": 3})"}) {
    work.temp.write("work/runs/a/paths.json", text);
    EXPECT_ERROR(candidates(run, "models/m"), "[predict] " + run.paths_file() + ": ");
  }
}

}  // namespace
}  // namespace openworld
