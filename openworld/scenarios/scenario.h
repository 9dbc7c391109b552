#pragma once

// Scenarios: recipes that turn datasets into one training episode and a series of test views.
//
//   Scenario scenario("emerging");
//   const ScenarioData data = open_scenario_data(scenario.row(), {.source = {"doodles:animals"}});
//   const ScenarioPlan plan = scenario.plan(data, /*seed=*/1);
//   for (const View& view : plan.views) ...  // t = 0, 0.2 ... 1
//
// A learner is trained once, on plan.train, and scored on every view. A view says which images are
// shown, which names they are classified among, and the side and the class of each image. It is a
// function of the datasets, the options and the seed alone: no learner or model has a part in it.
// Views at growing levels are nested by construction: one permutation per pool and seed, and
// prefixes of it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/base/option_list.h"
#include "openworld/metrics/outcomes.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

struct ScenarioDataset {
  std::string name;  // as the user calls it: "doodles:animals@chalk"
  Dataset data;
};

// What a scenario is made from; scenario_data.h opens it.
struct ScenarioData {
  ScenarioDataset train;               // of the source
  std::vector<ScenarioDataset> tests;  // first that of the source, then the looks or the targets
  bool same_images = false;            // the source is trained and tested on the same split
};

// What is tuned on. Few-shot sampling and learners take the first `base` classes of a dataset for
// base classes; training_dataset() puts them there.
struct TrainingClasses {
  std::vector<std::int32_t> order;  // every label of the training dataset: base classes first
  std::size_t base = 0;             // how many of them are tuned on

  bool operator==(const TrainingClasses&) const = default;
};

// A name that images of a view may get.
struct ViewClass {
  std::size_t dataset = 0;    // the one of ScenarioData::tests whose class it is
  std::int32_t label = 0;     // there
  std::size_t templates = 0;  // the one of ScenarioData::tests whose template the name is put in

  bool operator==(const ViewClass&) const = default;
};

struct ViewImage {
  std::uint32_t dataset = 0;  // of ScenarioData::tests
  std::uint32_t sample = 0;   // its index there
  Side side = Side::kUnknown;
  std::int32_t label = -1;  // index into View::base or View::new_classes, by its side; -1: unknown

  bool operator==(const ViewImage&) const = default;
};

// A class that the protocol leaves out, because the two datasets share it or the user asked.
struct RemovedClass {
  std::size_t dataset = 0;  // of ScenarioData::tests
  std::int32_t label = 0;
  std::string shared_with = "";  // the name in the other dataset; "": removed by the user

  bool operator==(const RemovedClass&) const = default;
};

// World and level together are unique in a plan.
struct View {
  std::string world;                   // name of the dataset that this view is about
  std::string level;                   // "0.2", "forward", "test"
  std::optional<double> t;             // the level where it is a number
  std::vector<ViewClass> base;         // names of g: classes that were tuned on
  std::vector<ViewClass> new_classes;  // names of h
  std::vector<ViewImage> images;       // by dataset, then by sample
  std::vector<RemovedClass> removed = {};
  // r is computed over the training names that the view lacks, too.
  bool train_columns = false;
};

struct ScenarioPlan {
  TrainingClasses train;
  std::vector<View> views;
};

// Options of a scenario, and the scenario itself.
class ScenarioOptions {
 public:
  virtual ~ScenarioOptions() = default;

  virtual void declare(OptionList& list) = 0;

  // Throws Error, as the scenario's name, for datasets and options that do not fit.
  // REQUIRES: as many tests as the row says.
  virtual ScenarioPlan plan(const ScenarioData& data, std::uint64_t seed) const = 0;
};

// Which datasets beside the source a scenario tests on.
enum class OtherDatasets {
  kNone,
  kLooks,    // the classes of the source, or some of them, in other pictures
  kTargets,  // other classes
};

struct ScenarioRow {
  std::string_view name;  // "cross-dataset"
  int version;            // grows when a view of the same options and seed changes
  std::string_view title;
  std::string_view description;  // one line, no full stop
  std::string_view citation;
  std::string_view levels;   // "one per look"
  std::string_view trained;  // what is tuned on
  OtherDatasets others = OtherDatasets::kNone;
  std::unique_ptr<ScenarioOptions> (*options)() = nullptr;
};

// A scenario of the table with its options as a user sets them.
class Scenario {
 public:
  // Throws Error for a name that is not in the table.
  explicit Scenario(std::string_view name);

  const ScenarioRow& row() const { return *row_; }
  OptionList& options() { return list_; }
  const OptionList& options() const { return list_; }

  // Throws Error, as the scenario's name, for datasets and options that do not fit.
  ScenarioPlan plan(const ScenarioData& data, std::uint64_t seed) const;

 private:
  const ScenarioRow* row_;
  std::unique_ptr<ScenarioOptions> options_;
  OptionList list_;  // views of *options_
};

// The training dataset with its labels in the order of the plan: the first `base` classes are tuned
// on. The same dataset where the order is that of the labels. Samples keep their places.
Dataset training_dataset(const ScenarioData& data, const TrainingClasses& train);

// As the datasets have them, in the order of the classes.
std::vector<std::string> class_names(const ScenarioData& data, std::span<const ViewClass> classes);

// Where the base names of a view stand among those that were tuned on: the columns of g's logits.
std::vector<std::size_t> base_columns(const TrainingClasses& train, const View& view);

// The samples of one of ScenarioData::tests that the view shows, in order.
std::vector<std::size_t> samples_of(const View& view, std::size_t dataset);

struct ViewCounts {
  std::size_t base_images = 0, new_images = 0, unknown_images = 0;
};
ViewCounts count_images(const View& view);

}  // namespace openworld
