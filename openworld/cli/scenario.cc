// openworld scenario: shows what each level of a scenario holds, without a model.

#include "openworld/scenarios/scenario.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/model_flags.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/cli/scenario_flags.h"
#include "openworld/io/run_cost.h"
#include "openworld/report/text_table.h"
#include "openworld/scenarios/plan_json.h"
#include "openworld/scenarios/scenario_data.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kExamples =
    "Examples:\n"
    "  openworld scenario show emerging --data doodles:animals\n"
    "  openworld scenario show domain --data doodles:all --looks chalk,crayon\n"
    "  openworld scenario show cross-dataset --data doodles:all --targets food@chalk,home@chalk\n"
    "  openworld scenario show shift --data imagenet --looks imagenet-a,imagenet-r --set "
    "levels=0,1\n"
    "`openworld ls scenarios` lists the scenarios, `openworld ls scenarios NAME` their options.";

std::string split_text(const ScenarioDataset& dataset) {
  return dataset.data.split.empty() ? dataset.name
                                    : fmt::format("{}, split {}", dataset.name, dataset.data.split);
}

class ScenarioCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("show", show_, "`show` prints the levels of one scenario")
        ->check(CLI::IsMember({"show"}))
        ->required();
    app.add_option("NAME", name_, "a scenario: see `openworld ls scenarios`")->required();
    declare_data(app, data_);
    app.remove_option(app.get_option("--split"));
    app.get_option("--data")->required();
    TrainTestRequest& source = request_.source;
    app.add_option("--train-split", source.train_split, "split of the training images [train]");
    app.add_option("--test-split", source.test_split, "split to test on [test, else val]");
    app.add_option("--test-data", source.test_path,
                   "separate dataset of test images, with the same classes");
    declare_other_datasets(app, request_.looks, request_.targets);
    app.add_option("--set", settings_,
                   "option of the scenario, key=value; repeatable; see `openworld ls scenarios "
                   "NAME`");
    declare_seed(app, seed_, "seed of everything that is drawn");
    app.add_flag("--full", full_, "with --json: names, and every image with its side and label");
    declare_json(app, json_);
    app.footer(app.get_footer() + "\n" + kExamples);
  }

  void run() override {
    const RunClock clock;
    if (full_ && !json_) fail("scenario", "--full is for --json; expected both, or neither");
    Scenario scenario(name_);
    for (const std::string& setting : settings_) {
      scenario.options().set(setting, scenario.row().name);
    }
    request_.source.path = data_.path;
    request_.source.options = data_.options;
    const ScenarioData data = open_scenario_data(scenario.row(), request_);
    const ScenarioPlan plan = scenario.plan(data, seed_);
    if (!json_) return print_text(scenario.row(), data, plan);
    Json json = plan_json(scenario, data, plan, seed_, full_);
    json["cost"] = run_cost_json(clock.cost());
    print_json(json);
  }

 private:
  void print_text(const ScenarioRow& row, const ScenarioData& data,
                  const ScenarioPlan& plan) const {
    print_out("{}: {}\n{}\n\n", row.title, row.description, row.citation);
    print_out("tuned on {} of {} classes of {}\n", plan.train.base, plan.train.order.size(),
              split_text(data.train));
    print_out("test images of the source: {}\n\n", split_text(data.tests[0]));
    TextTable table({"world", "level", "base classes", "images", "new classes", "images",
                     "unknown images", "of the source", "removed classes"});
    for (const View& view : plan.views) {
      const ViewCounts counts = count_images(view);
      const auto text = [](std::size_t count) { return std::to_string(count); };
      table.add({view.world, view.level, text(view.base.size()), text(counts.base_images),
                 text(view.new_classes.size()), text(counts.new_images),
                 text(counts.unknown_images), text(samples_of(view, 0).size()),
                 text(view.removed.size())});
    }
    print_table(table);
    print_removed(data, plan);
    if (data.same_images) {
      print_out(
          "\nTraining and test images are the same split: a run leaves out the images that it was "
          "tuned on.\n");
    }
  }

  // Once for each world: the levels of one remove the same classes.
  static void print_removed(const ScenarioData& data, const ScenarioPlan& plan) {
    std::string last;
    for (const View& view : plan.views) {
      if (view.removed.empty() || view.world == last) continue;
      last = view.world;
      const ScenarioDataset& dataset = data.tests[view.removed[0].dataset];
      std::vector<std::string> names;
      for (const RemovedClass& c : view.removed) {
        const std::string& name = dataset.data.classes[static_cast<std::size_t>(c.label)];
        const bool same = c.shared_with.empty() || c.shared_with == name;
        names.push_back(same ? name : fmt::format("{} (shared with {})", name, c.shared_with));
      }
      const std::string other = view.world == dataset.name ? "" : ", for " + view.world;
      print_out("\nremoved from {}{}: {}\n", dataset.name, other, fmt::join(names, ", "));
    }
  }

  std::string show_, name_;
  DataSpec data_;
  ScenarioDataRequest request_;
  std::vector<std::string> settings_;
  std::uint64_t seed_ = 1;
  bool full_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_scenario() {
  return std::make_unique<ScenarioCommand>();
}

}  // namespace openworld
