#include "openworld/cli/run_collection.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"

namespace openworld {
namespace {

using Json = nlohmann::json;

// Where `name` is in `names`, added at the end if it is new.
std::size_t index_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

// What runs under one name differ in is told from all of them, then added to the name of each.
class Difference {
 public:
  void see(const std::string& name, const std::string& value) { values_[name].insert(value); }
  bool in(const std::string& name) const { return values_.at(name).size() > 1; }

 private:
  std::map<std::string, std::set<std::string>> values_;
};

void tell_apart(std::vector<RunFolder>& folders) {
  Difference shots, models;
  for (const RunFolder& f : folders) {
    shots.see(f.label, std::to_string(f.shots));
    models.see(f.label, f.model);
  }
  for (RunFolder& f : folders) {
    std::string label = f.label;
    if (shots.in(f.label)) label += fmt::format(" shots={}", f.shots);
    if (models.in(f.label)) label += fmt::format(" model={}", f.model);
    f.label = std::move(label);
  }
}

std::vector<std::string> dataset_names(const std::vector<RunFolder>& folders) {
  Difference splits;
  for (const RunFolder& f : folders) splits.see(f.data.path, f.data.test_split);
  std::vector<std::string> names;
  for (const RunFolder& f : folders) {
    names.push_back(splits.in(f.data.path) ? fmt::format("{} ({})", f.data.path, f.data.test_split)
                                           : f.data.path);
  }
  return names;
}

// Which images of the test split a run was measured on, where it was not all: as its predictions
// say.
Json tested_images(const Predictions& predictions) {
  const Json meta = Json::parse(predictions.meta, nullptr, false);
  if (!meta.is_object() || !meta.contains("data") || !meta["data"].is_object()) return {};
  return meta["data"].value("samples", Json());
}

// Samples are paired by their place, which means the same image only if both runs have the same
// ones.
void expect_same_images(const RunCollection& collection, std::string_view function) {
  std::map<std::size_t, std::pair<const CollectedRun*, Json>> first;
  for (const CollectedRun& run : collection.runs) {
    const auto [there, is_new] =
        first.try_emplace(run.dataset, &run, tested_images(run.predictions));
    if (is_new || there->second.second == tested_images(run.predictions)) continue;
    fail(function, fmt::format("{} and {} were measured on different samples of {}; expected the "
                               "same, so that they can be paired",
                               there->second.first->folder.path, run.folder.path,
                               collection.datasets[run.dataset]));
  }
}

}  // namespace

const CollectedRun& RunCollection::find(std::size_t label, std::size_t dataset,
                                        std::uint64_t seed) const {
  return *std::find_if(runs.begin(), runs.end(), [&](const CollectedRun& run) {
    return run.label == label && run.dataset == dataset && run.folder.seed == seed;
  });
}

RunSet RunCollection::views() const {
  RunSet set{.datasets = datasets, .methods = {}};
  for (const std::string& label : labels) set.methods.push_back({.name = label});
  for (const CollectedRun& run : runs) {
    set.methods[run.label].runs.push_back(
        {.dataset = run.dataset, .seed = run.folder.seed, .outcomes = run.predictions.outcomes()});
  }
  return set;
}

std::size_t RunCollection::find_label(const std::string& label, std::string_view function) const {
  const auto found = std::find(labels.begin(), labels.end(), label);
  if (found != labels.end()) return static_cast<std::size_t>(found - labels.begin());
  fail(function, fmt::format("no run has the label '{}'; did you mean '{}'?", label,
                             nearest_name(label, labels)));
}

RunCollection open_runs(const std::vector<std::string>& paths, std::string_view function) {
  std::vector<RunFolder> folders;
  for (const std::string& path : paths) folders.push_back(read_run_folder(path, function));
  tell_apart(folders);
  const std::vector<std::string> names = dataset_names(folders);
  RunCollection collection;
  std::map<std::tuple<std::size_t, std::size_t, std::uint64_t>, std::string> seen;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    CollectedRun run{.folder = std::move(folders[i]), .predictions = {}};
    run.label = index_of(collection.labels, run.folder.label);
    run.dataset = index_of(collection.datasets, names[i]);
    const auto [there, is_new] =
        seen.try_emplace({run.label, run.dataset, run.folder.seed}, run.folder.path);
    if (!is_new) {
      fail(function, fmt::format("{} and {} are both {} on {} with seed {}; expected one run of "
                                 "each",
                                 there->second, run.folder.path, run.folder.label, names[i],
                                 run.folder.seed));
    }
    collection.runs.push_back(std::move(run));
  }
  for (CollectedRun& run : collection.runs) {
    run.predictions = load_predictions(run.folder.file("predictions.npz"));
  }
  expect_same_images(collection, function);
  return collection;
}

}  // namespace openworld
