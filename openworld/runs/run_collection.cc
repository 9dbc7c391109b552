#include "openworld/runs/run_collection.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/runs/prediction_meta.h"

namespace openworld {
namespace {

// Where `name` is in `names`, added at the end if it is new.
std::size_t index_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

// The labels of zero-shot runs, which is what others are compared with unless said otherwise.
std::vector<std::string> zero_shot_first(const std::vector<RunSpec>& specs,
                                         const std::vector<std::string>& labels) {
  std::vector<std::string> first;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].method == "zero-shot") index_of(first, labels[i]);
  }
  return first;
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// What runs under one name differ in is told from all of them, then added to the name of each.
class Difference {
 public:
  void see(const std::string& name, const std::string& value) { values_[name].insert(value); }
  bool in(const std::string& name) const { return values_.at(name).size() > 1; }

 private:
  std::map<std::string, std::set<std::string>> values_;
};

// Labels by run, told from each other by shots and model where runs of one label differ in them.
std::vector<std::string> distinct_labels(const std::vector<RunSpec>& specs) {
  Difference shots, models;
  for (const RunSpec& spec : specs) {
    shots.see(spec.table_label(), std::to_string(spec.shots));
    models.see(spec.table_label(), spec.model.path);
  }
  std::vector<std::string> labels;
  for (const RunSpec& spec : specs) {
    const std::string label = spec.table_label();
    std::string& full = labels.emplace_back(label);
    if (shots.in(label)) full += fmt::format(" shots={}", spec.shots);
    if (models.in(label)) full += fmt::format(" model={}", spec.model.path);
  }
  return labels;
}

std::vector<std::string> dataset_names(const std::vector<RunSpec>& specs) {
  Difference splits;
  for (const RunSpec& spec : specs) splits.see(spec.data_name(), spec.data.test_split);
  std::vector<std::string> names;
  for (const RunSpec& spec : specs) {
    const std::string& name = spec.data_name();
    names.push_back(splits.in(name) ? fmt::format("{} ({})", name, spec.data.test_split) : name);
  }
  return names;
}

// Samples are paired by their place, which means the same image only if both runs have the same
// ones.
void expect_same_images(const RunCollection& collection, std::string_view function) {
  std::map<std::size_t, std::pair<const CollectedRun*, std::vector<std::size_t>>> first;
  for (const CollectedRun& run : collection.runs) {
    const Origin origin{std::string(function), run.predictions.path};
    std::vector<std::size_t> samples = tested_samples(run.predictions, origin);
    const auto [there, is_new] = first.try_emplace(run.dataset, &run, samples);
    if (is_new || there->second.second == samples) continue;
    fail(function, fmt::format("{} and {} were measured on different samples of {}; expected the "
                               "same, so that they can be paired",
                               there->second.first->folder.path(), run.folder.path(),
                               collection.datasets[run.dataset]));
  }
}

}  // namespace

const CollectedRun& RunCollection::find(std::size_t label, std::size_t dataset,
                                        std::uint64_t seed) const {
  return *std::find_if(runs.begin(), runs.end(), [&](const CollectedRun& run) {
    return run.label == label && run.dataset == dataset && run.spec.seed == seed;
  });
}

const char* RunCollection::metrics() const {
  const bool osr = std::ranges::all_of(
      runs, [](const CollectedRun& run) { return run.spec.network.has_value(); });
  return osr ? kOsrRunMetrics : kRunMetrics;
}

RunSet RunCollection::views() const {
  RunSet set{.datasets = datasets, .methods = {}};
  for (const std::string& label : labels) set.methods.push_back({.name = label});
  for (const CollectedRun& run : runs) {
    set.methods[run.label].runs.push_back(
        {.dataset = run.dataset, .seed = run.spec.seed, .outcomes = run.predictions.outcomes()});
  }
  return set;
}

std::size_t RunCollection::find_label(const std::string& label, std::string_view function) const {
  const auto found = std::find(labels.begin(), labels.end(), label);
  if (found != labels.end()) return static_cast<std::size_t>(found - labels.begin());
  fail(function, fmt::format("no run has the label '{}'; {}", label, known_names(label, labels)));
}

RunCollection open_runs(const std::vector<std::string>& paths, std::string_view function) {
  std::vector<RunSpec> specs;
  for (const std::string& path : paths) {
    const RunFolder folder(path);
    specs.push_back(folder.spec(function));
    if (specs.back().scenario) {
      fail(function, fmt::format("{}: a run of the scenario {}; expected runs without a scenario, "
                                 "or one run alone",
                                 path, specs.back().scenario->name));
    }
    folder.expect_finished(function);
    folder.expect_whole({RunFile::kSpec, RunFile::kPredictions}, function);
  }
  const std::vector<std::string> labels = distinct_labels(specs), names = dataset_names(specs);
  RunCollection collection{
      .labels = zero_shot_first(specs, labels), .datasets = sorted(names), .runs = {}};
  std::map<std::tuple<std::size_t, std::size_t, std::uint64_t>, std::string> seen;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    CollectedRun run{.folder = RunFolder(paths[i]), .spec = std::move(specs[i])};
    run.label = index_of(collection.labels, labels[i]);
    run.dataset = index_of(collection.datasets, names[i]);
    const auto [there, is_new] =
        seen.try_emplace({run.label, run.dataset, run.spec.seed}, run.folder.path());
    if (!is_new) {
      fail(function,
           fmt::format("{} and {} are both {} on {} with seed {}; expected one run of "
                       "each",
                       there->second, run.folder.path(), labels[i], names[i], run.spec.seed));
    }
    collection.runs.push_back(std::move(run));
  }
  for (CollectedRun& run : collection.runs) {
    run.predictions = load_predictions(run.folder.predictions_file());
  }
  expect_same_images(collection, function);
  return collection;
}

}  // namespace openworld
