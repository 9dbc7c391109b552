#include "openworld/runs/run_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "openworld/io/atomic_file.h"
#include "openworld/io/test_util.h"
#include "openworld/runs/run_collection.h"
#include "openworld/runs/seed_list.h"
#include "openworld/runs/test_util.h"
#include "openworld/runs/threshold_file.h"

namespace openworld {
namespace {

using testing::TempFolder;

TEST(RunFolder, IsARunFromItsSpecAndFinishedFromItsResult) {
  const TempFolder temporary;
  const RunFolder folder(temporary / "a/b");
  EXPECT_FALSE(folder.is_run());
  const std::string none = "[eval] " + folder.path() + ": not a run folder, it does not exist";
  EXPECT_ERROR(folder.spec("eval"), none);
  EXPECT_ERROR(folder.expect_finished("eval"), none);
  EXPECT_ERROR(RunFolder(temporary / "").expect_finished("eval"), "it has no run.json");
  folder.begin(full_spec(), "test");
  EXPECT_TRUE(folder.is_run());
  EXPECT_FALSE(folder.is_finished());
  EXPECT_ERROR(folder.result("eval"), "not finished, result.json is missing");
  temporary.write("a/b/state.safetensors", "state");
  folder.finish(full_result(), "test");
  EXPECT_TRUE(folder.is_finished());
  EXPECT_FALSE(std::filesystem::exists(folder.state_file()));
  EXPECT_EQ(folder.result("eval").parameters, 2048);
  folder.clear();
  EXPECT_FALSE(folder.is_run());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(RunFolder, BeginKeepsTheSpecThatIsThere) {
  const TempFolder temporary;
  const RunFolder folder(temporary / "run");
  RunSpec spec = full_spec();
  folder.begin(spec, "test");
  spec.seed = 8;
  folder.begin(spec, "test");
  EXPECT_EQ(folder.spec("test").seed, 7u);
  EXPECT_ERROR(RunFolder(folder.spec_file() + "/below").begin(spec, "tune"), "cannot be created");
}

TEST(RunFolder, BeginRemovesWhatAKilledWriterLeft) {
  const TempFolder temp;
  const RunFolder folder(temp / "run");
  folder.begin(full_spec(), "test");
  const auto path = [&](const char* name) { return folder.path() + "/" + name; };
  for (const char* name : {"state.safetensors.tmp.0123456789abcdef", "run.json.tmp.0", "mine.tmp.1",
                           "state.safetensors", "notes.txt"}) {
    write_file_atomically(path(name), "x");
  }
  folder.begin(full_spec(), "test");
  for (const char* name : {"state.safetensors.tmp.0123456789abcdef", "run.json.tmp.0"}) {
    EXPECT_FALSE(std::filesystem::exists(path(name))) << name;
  }
  for (const char* name : {"run.json", "state.safetensors", "mine.tmp.1", "notes.txt"}) {
    EXPECT_TRUE(std::filesystem::exists(path(name))) << name;
  }
}

TEST(RunFolder, KnowsTheFilesOfItsResult) {
  const TempFolder temporary;
  const RunFolder folder(temporary / "run");
  write_run(folder.path(), full_spec());
  temporary.write("run/prompts.safetensors", "prompts");
  const RunResult result = folder.finish(full_result(), "test");
  EXPECT_EQ(result.files.size(), 3u);
  EXPECT_EQ(folder.result("test").files, result.files);
  // Of an independent implementation: printf prompts | sha256sum.
  EXPECT_EQ(result.files.at("prompts.safetensors"),
            "eb7526362ee7678cb5650f67d90cfdb84485363ca148ff3993ded032560941fb");
  const auto check = [&] {
    folder.expect_whole({RunFile::kSpec, RunFile::kPrompts, RunFile::kPredictions}, "predict");
  };
  EXPECT_NO_THROW(check());
  temporary.write("run/prompts.safetensors", "Prompts");
  EXPECT_ERROR(check(), "[predict] " + folder.prompts_file() + ": its SHA-256 is not the one in");
  EXPECT_NO_THROW(folder.expect_whole({RunFile::kSpec, RunFile::kPredictions}, "eval"));
  std::filesystem::remove(folder.prompts_file());
  EXPECT_ERROR(check(), folder.prompts_file() + ": cannot open");
  temporary.write("run/prompts.safetensors", "prompts");
  RunSpec other = full_spec();
  other.seed = 8;
  temporary.write("run/run.json", run_spec_text(other));
  EXPECT_ERROR(check(), folder.spec_file() + ": its SHA-256 is not the one in result.json");
  EXPECT_ERROR(predictions_path(folder.path(), "eval"), "run.json: its SHA-256");
  EXPECT_ERROR(open_runs({folder.path()}, "eval"), "run.json: its SHA-256");
  // A result of an earlier version names no hashes.
  RunResult old = folder.result("test");
  old.files.clear();
  temporary.write("run/result.json", run_result_json(old).dump());
  EXPECT_NO_THROW(check());
}

TEST(RunFolder, FoldersOfSeedsStandForTheirRuns) {
  const TempFolder temporary;
  for (const std::uint64_t seed : {10, 2, 1}) {
    RunSpec spec = full_spec();
    spec.seed = seed;
    write_run(temporary / ("runs/seed-" + std::to_string(seed)), spec);
  }
  const std::string runs = temporary / "runs";
  EXPECT_EQ(
      expand_run_folders({runs, "x.npz"}),
      (std::vector<std::string>{runs + "/seed-1", runs + "/seed-2", runs + "/seed-10", "x.npz"}));
  EXPECT_ERROR(predictions_path(runs, "curve"), "holds 3 runs; expected one");
  EXPECT_EQ(predictions_path(runs + "/seed-2", "curve"), runs + "/seed-2/predictions.npz");
  EXPECT_EQ(predictions_path("x.npz", "curve"), "x.npz");
}

TEST(RunFolder, FoldersOfRunsStandForThem) {
  const TempFolder temporary;
  for (const char* name : {"gmop", "coop/seed-10", "coop/seed-9"}) {
    write_run(temporary / ("runs/" + std::string(name)), full_spec());
  }
  temporary.write("runs/notes/x.txt", "x");
  temporary.write("runs/report.html", "x");
  const std::string runs = temporary / "runs";
  EXPECT_EQ(
      expand_run_folders({runs}),
      (std::vector<std::string>{runs + "/coop/seed-9", runs + "/coop/seed-10", runs + "/gmop"}));
  const std::string notes = runs + "/notes";
  EXPECT_EQ(expand_run_folders({notes}), std::vector<std::string>{notes});
  EXPECT_ERROR(predictions_path(notes, "eval"),
               "not a run folder; expected one with a run.json, or predictions with a side.npy");
}

TEST(RunCollection, LabelsDatasetsAndSeeds) {
  const TempFolder temporary;
  std::vector<std::string> paths;
  const auto add = [&](const char* name, auto change) {
    RunSpec spec = full_spec();
    spec.label = "";
    change(spec);
    write_run(temporary / name, spec);
    paths.push_back(temporary / name);
  };
  add("a", [](RunSpec& spec) { spec.seed = 1; });
  add("b", [](RunSpec& spec) { spec.seed = 2; });
  add("c", [](RunSpec& spec) { spec.shots = 1; });
  add("d", [](RunSpec& spec) { spec.method = "gmop"; });
  add("e", [](RunSpec& spec) { spec.data.test_split = "val"; });
  const RunCollection runs = open_runs(paths, "eval");
  EXPECT_EQ(runs.labels, (std::vector<std::string>{"coop lr=0.002 shots=4", "coop lr=0.002 shots=1",
                                                   "gmop lr=0.002"}));
  EXPECT_EQ(runs.datasets, (std::vector<std::string>{"pets (test)", "pets (val)"}));
  EXPECT_EQ(runs.find(0, 0, 2).folder.path(), paths[1]);
  EXPECT_EQ(runs.find_label("gmop lr=0.002", "eval"), 2u);
  EXPECT_ERROR(runs.find_label("gmop", "eval"), "there are coop lr=0.002 shots=4, coop");
  EXPECT_ERROR(runs.find_label("gmop lr=0.02", "eval"), "did you mean gmop lr=0.002? There are");
  EXPECT_EQ(runs.views().methods.size(), 3u);
  EXPECT_ERROR(open_runs({paths[0], paths[0]}, "eval"), "expected one run of each");
}

TEST(SeedList, RangesAndNumbers) {
  EXPECT_EQ(parse_seed_list("1-3,7", "tune"), (std::vector<std::uint64_t>{1, 2, 3, 7}));
  EXPECT_EQ(parse_seed_list("18446744073709551615", "tune").size(), 1u);
  for (const char* text : {"", "a", "1-", "3-1", "1,,2", "1 2", "0-10000", "-1"}) {
    EXPECT_ERROR(parse_seed_list(text, "tune"), "expected seeds such as 1-3 or 1,2,5");
  }
  EXPECT_ERROR(parse_seed_list("1-3,2", "tune"), "2 is there twice");
  EXPECT_EQ(parse_seed_list("0-9998,10000", "tune").size(), 10'000u);
  EXPECT_ERROR(parse_seed_list("0-9999,10000", "tune"), "expected at most 10000");
}

TEST(ThresholdFile, ReadsWhatIsThere) {
  const TempFolder temporary;
  EXPECT_FALSE(read_threshold({"predict", temporary / "threshold.json"}));
  const std::string path = temporary.write(
      "threshold.json", R"({"threshold": 0.5, "max_miss": 0.3, "confidence": 0.95})");
  const auto threshold = read_threshold({"predict", path});
  ASSERT_TRUE(threshold);
  EXPECT_EQ(threshold->value, 0.5);
  EXPECT_EQ(threshold->max_miss, 0.3);
  EXPECT_FALSE(threshold->unknown);
  const std::string both =
      R"("threshold": 0.5, "max_miss": 0.3, "confidence": 0.95, "unknown": {"threshold": 0.25,)"
      R"( "max_unknown": 0.1, "confidence": 0.9, "fit": "max_logit"})";
  temporary.write("threshold.json", R"({"schema": "openworld.threshold/3", )" + both + "}");
  const auto three_way = read_threshold({"predict", path});
  ASSERT_TRUE(three_way && three_way->unknown);
  EXPECT_EQ(three_way->value, 0.5);
  EXPECT_EQ(three_way->unknown->value, 0.25);
  EXPECT_EQ(three_way->unknown->max_unknown, 0.1);
  temporary.write("threshold.json", R"({"schema": "openworld.threshold/4", )" + both + "}");
  EXPECT_ERROR(read_threshold({"predict", path}),
               "schema is \"openworld.threshold/4\"; expected openworld.threshold/3");
  std::string other = both;
  other.replace(other.find("max_logit"), 9, "entropy");
  temporary.write("threshold.json", "{" + other + "}");
  EXPECT_ERROR(read_threshold({"predict", path}), "unknown.fit is \"entropy\"; expected max_logit");
  for (const char* text : {"{}", "[]", "{", R"({"threshold": "x", "max_miss": 1})",
                           R"({"threshold": 1, "max_miss": 1, "confidence": 1, "unknown": []})",
                           R"({"threshold": 1, "max_miss": 1, "confidence": 1, "unknown": {}})"}) {
    temporary.write("threshold.json", text);
    EXPECT_ERROR(read_threshold({"predict", path}), "[predict] " + path + ": ");
  }
}

}  // namespace
}  // namespace openworld
