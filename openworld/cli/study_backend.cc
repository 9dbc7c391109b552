#include "openworld/cli/study_backend.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "openworld/base/error.h"
#include "openworld/checkpoint/clip_checkpoint.h"
#include "openworld/cli/model_library.h"
#include "openworld/io/sha256.h"
#include "openworld/scenarios/scenario.h"
#include "openworld/worlds/dataset.h"
#include "openworld/worlds/osr_split.h"

namespace openworld {
namespace {

// Of the protocol of open-set training.
constexpr std::int64_t kOpenSetVersion = 1;

class ModelResolver : public PlanResolver {
 public:
  // A network has no weights before it is trained: its name is what a result depends on.
  std::string model_sha256(const CellModel& model) override {
    std::string& hash = hashes_[model.path];
    if (hash.empty() && model.path.starts_with(kNetworkPrefix)) {
      hash = hex_text(sha256(std::as_bytes(std::span(model.path))));
    }
    if (hash.empty()) {
      hash = hex_text(open_clip_checkpoint(model.path, {{}, "study"}).sha256());
    }
    return hash;
  }

  std::int64_t scenario_version(const CellScenario& scenario) override {
    if (scenario.name == kOpenSetScenario) return open_set_version(scenario);
    Scenario checked(scenario.name);
    for (const auto& [name, value] : scenario.options) {
      checked.options().set(name, option_text(value), std::string(checked.row().name));
    }
    const OtherDatasets others = checked.row().others;
    if (!scenario.looks.empty() && others != OtherDatasets::kLooks) {
      fail("study", fmt::format("scenario {} has no looks", checked.row().name));
    }
    if (!scenario.targets.empty() && others != OtherDatasets::kTargets) {
      fail("study", fmt::format("scenario {} has no targets", checked.row().name));
    }
    return checked.row().version;
  }

  void check_data(const CellData& data, const CellScenario& scenario) override {
    if (scenario.name == kOpenSetScenario) return check_open_set_data(data);
    expect_dataset(data.path, data.format);
    if (!data.test_data.empty()) expect_dataset(data.test_data, data.format);
  }

  void check_learner(const CellLearner& learner, const CellScenario& scenario) override {
    // Without libtorch a plan can be listed, not run.
    if (!runner_ && has_model_library()) runner_ = model_library().cell_runner();
    if (runner_) runner_->check_learner(learner, scenario);
  }

 private:
  static std::int64_t open_set_version(const CellScenario& scenario) {
    if (!scenario.options.empty() || !scenario.looks.empty() || !scenario.targets.empty()) {
      fail("study", fmt::format("scenario {} has no options, looks and targets", scenario.name));
    }
    return kOpenSetVersion;
  }

  // Without a list of known classes it is a published split. Arrays are opened by the training.
  static void check_open_set_data(const CellData& data) {
    if (data.known.empty()) {
      osr_split(data.path, "study");
    } else if (!is_bundled_world(data.path) && !std::filesystem::exists(data.path)) {
      fail("study", fmt::format("{}: no such file or folder", data.path));
    }
  }

  std::unique_ptr<CellRunner> runner_;         // knows the learners
  std::map<std::string, std::string> hashes_;  // by path
};

}  // namespace

StudyBackend model_backend() {
  return {[] { return model_library().cell_runner(); },
          [] { return std::make_unique<ModelResolver>(); }};
}

std::unique_ptr<Command> make_study() {
  return make_study_command(model_backend());
}

}  // namespace openworld
