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
