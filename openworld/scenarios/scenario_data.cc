#include "openworld/scenarios/scenario_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "openworld/base/error.h"
#include "openworld/base/quotes.h"
#include "openworld/worlds/doodle_spec.h"
#include "openworld/worlds/icon_spec.h"
#include "openworld/worlds/spec_text.h"
#include "openworld/worlds/world_list.h"

namespace openworld {
namespace {

std::optional<NamedDataset> bundled(const std::string& path) {
  if (!names_world(path, is_doodle_spec(path) || is_icon_spec(path))) return std::nullopt;
  return parse_world_dataset({"scenario", path});
}

// "doodles:animals@chalk#2", without what is the default.
std::string dataset_text(const NamedDataset& named, const std::string& dataset,
                         const std::string& variant) {
  std::string text = fmt::format("{}:{}", named.world.name, dataset);
  if (!variant.empty()) text += "@" + variant;
  if (named.seed) text += fmt::format("#{}", *named.seed);
  return parse_world_dataset({"scenario", text}).text;
}

template <class Row>
bool has_name(const std::vector<Row>& rows, std::string_view name) {
  return std::ranges::find(rows, name, &Row::name) != rows.end();
}

// A look as the user wrote it, as open_dataset() takes it.
std::string look_path(const std::optional<NamedDataset>& source, const std::string& look) {
  if (source && has_name(source->world.variants, look)) {
    return dataset_text(*source, source->dataset.name, look);
  }
  return look;
}

std::string target_path(const std::optional<NamedDataset>& source, const std::string& target) {
  if (!source) return target;
  const std::size_t at = std::min(target.find('@'), target.size());
  const std::string dataset = target.substr(0, at);
  if (!has_name(source->world.datasets, dataset)) return target;
  return dataset_text(*source, dataset, at < target.size() ? target.substr(at + 1) : "");
}

const char* others_text(OtherDatasets others) {
  return others == OtherDatasets::kLooks ? "looks" : "targets";
}

// Styles of icons have no pictures of some themes.
bool has_test_images(const std::string& world_dataset) {
  return !open_dataset(world_dataset).samples.empty();
}

// Refuses looks where targets are taken, and the reverse.
void expect_only(const ScenarioRow& row, OtherDatasets kind,
                 const std::vector<std::string>& given) {
  if (row.others == kind || given.empty()) return;
  fail(row.name, fmt::format("got {} {}; expected {}", given.size(), others_text(kind),
                             row.others == OtherDatasets::kNone ? "the source alone"
                                                                : others_text(row.others)));
}

std::string shown_name(const std::string& path) {
  const std::optional<NamedDataset> named = bundled(path);
  return named ? named->text : path;
}

// What to open beside the source.
std::vector<std::string> other_paths(const ScenarioRow& row, const ScenarioDataRequest& request) {
  expect_only(row, OtherDatasets::kLooks, request.looks);
  expect_only(row, OtherDatasets::kTargets, request.targets);
  const std::string& source = request.source.path;
  const std::optional<NamedDataset> named = bundled(source);
  std::vector<std::string> paths;
  for (const std::string& look : request.looks) paths.push_back(look_path(named, look));
  for (const std::string& target : request.targets) paths.push_back(target_path(named, target));
  if (!paths.empty() || row.others == OtherDatasets::kNone) return paths;
  paths = row.others == OtherDatasets::kLooks ? default_looks(source) : default_targets(source);
  if (paths.empty()) {
    fail(row.name, fmt::format("{} has no {} of its own; expected one or more", source,
                               others_text(row.others)));
  }
  return paths;
}

}  // namespace

std::vector<std::string> default_looks(const std::string& source) {
  const std::optional<NamedDataset> named = bundled(source);
  std::vector<std::string> looks;
  if (!named || !named->variant) return looks;
  for (const WorldVariant& variant : named->world.variants) {
    if (variant.name == named->variant->name) continue;
    looks.push_back(dataset_text(*named, named->dataset.name, variant.name));
    if (!has_test_images(looks.back())) looks.pop_back();
  }
  return looks;
}

std::vector<std::string> default_targets(const std::string& source) {
  const std::optional<NamedDataset> named = bundled(source);
  std::vector<std::string> targets;
  if (!named || !named->variant) return targets;
  const auto other = std::ranges::find_if(
      named->world.variants, [&](const auto& v) { return v.name != named->variant->name; });
  for (const WorldDataset& dataset : named->world.datasets) {
    if (dataset.name == named->dataset.name || dataset.name == "all") continue;
    targets.push_back(dataset_text(*named, dataset.name, other->name));
    if (!has_test_images(targets.back())) targets.pop_back();
  }
  return targets;
}

ScenarioData open_scenario_data(const ScenarioRow& row, const ScenarioDataRequest& request) {
  const std::vector<std::string> others = other_paths(row, request);
  const TrainTestRequest& source = request.source;
  TrainTest opened = open_train_test(source, std::string(row.name));
  ScenarioData data{.train = {shown_name(source.path), std::move(opened.train)},
                    .tests = {},
                    .same_images = opened.same_images};
  data.tests.push_back({shown_name(source.test_path.empty() ? source.path : source.test_path),
                        std::move(opened.test)});
  const bool looks = row.others == OtherDatasets::kLooks;
  std::vector<std::string> splits = {"test", "val"};
  if (looks && !source.test_split.empty()) splits.insert(splits.begin(), source.test_split);
  DatasetOptions options{.allow_duplicate_names = source.options.allow_duplicate_names};
  if (looks) options.names = source.options.names;
  std::set<std::string> seen;
  for (const std::string& path : others) {
    ScenarioDataset other{shown_name(path), {}};
    if (!seen.insert(other.name).second) {
      fail(row.name, fmt::format("{} is given twice; expected it once", other.name));
    }
    DatasetOptions its_options = options;
    if (bundled(path)) its_options.names.clear();
    other.data = open_first_split(path, its_options, splits);
    if (other.data.samples.empty()) {
      fail(row.name, fmt::format("{} has no test images; expected some", other.name));
    }
    data.tests.push_back(std::move(other));
  }
  return data;
}

}  // namespace openworld
