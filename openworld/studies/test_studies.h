#pragma once

// What the tests of studies share: a plan, a resolver and cells without models.

#include <filesystem>
#include <string>
#include <vector>

#include "openworld/io/atomic_file.h"
#include "openworld/io/sha256.h"
#include "openworld/io/test_util.h"
#include "openworld/studies/cell_runner.h"
#include "openworld/studies/expand.h"
#include "openworld/studies/study_store.h"

namespace openworld::testing {

inline std::string hash_text(std::string_view text) {
  return hex_text(sha256(std::as_bytes(std::span(text))));
}

// The hash of a model is the hash of its path; every scenario has version 1.
class PathResolver : public PlanResolver {
 public:
  std::string model_sha256(const CellModel& model) override { return hash_text(model.path); }
  std::int64_t scenario_version(const CellScenario&) override { return 1; }
  void check_data(const CellData&, const CellScenario&) override {}
  void check_learner(const CellLearner&, const CellScenario&) override {}
};

inline std::vector<StudyCell> cells_of(const std::string& toml) {
  PathResolver resolver;
  const Origin origin{"study", "plan.toml"};
  return expand_plan(parse_plan(toml, origin), resolver, origin);
}

inline std::string begin_study(const TempFolder& folder, const std::string& toml,
                               bool force = false) {
  const std::string path = folder / "study";
  StudyStore::begin(path, {{"test", "/", cells_of(toml)}, toml, force}, "study");
  return path;
}

// Writes predictions that follow from the cell's id. Throws for learners that begin with "bad".
class SmallRunner : public CellRunner {
 public:
  void check(std::span<const StudyCell>) override {}
  void check_learner(const CellLearner&, const CellScenario&) override {}
  std::optional<CellOutput> run(const StudyCell& cell, const CellContext& context) override {
    ++runs;
    if (cell.cell.learner.name.starts_with("bad")) fail("small", "this learner is bad");
    write_file_atomically(context.folder + "/predictions.txt", "predictions of " + cell.id, "test");
    return CellOutput{{"predictions.txt"},
                      {{"", "", "auroc", 0.5}, {"d", "1", "hm", std::nullopt}}};
  }

  int runs = 0;
};

}  // namespace openworld::testing
