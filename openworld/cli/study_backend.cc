#include "openworld/cli/study_backend.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "openworld/base/error.h"
#include "openworld/checkpoint/clip_checkpoint.h"
#include "openworld/cli/model_library.h"
#include "openworld/scenarios/scenario.h"

namespace openworld {
namespace {

class ModelResolver : public PlanResolver {
 public:
  std::string model_sha256(const CellModel& model) override {
    std::string& hash = hashes_[model.path];
    if (hash.empty()) {
      hash = hex_text(open_clip_checkpoint(model.path, {{}, "study"}).sha256());
    }
    return hash;
  }

  std::int64_t scenario_version(const CellScenario& scenario) override {
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

 private:
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
