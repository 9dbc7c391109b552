#include "openworld/scenarios/plan_json.h"

#include <nlohmann/json.hpp>

#include "openworld/io/option_json.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json dataset_json(const ScenarioDataset& dataset) {
  return {{"data", dataset.name},
          {"split", text_or_null(dataset.data.split)},
          {"classes", dataset.data.classes.size()},
          {"images", dataset.data.samples.size()}};
}

Json train_json(const ScenarioData& data, const TrainingClasses& train, bool full) {
  std::vector<bool> is_base(train.order.size());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < train.base; ++i) {
    const auto label = static_cast<std::size_t>(train.order[i]);
    is_base[label] = true;
    names.push_back(data.train.data.classes[label]);
  }
  std::size_t images = 0;
  for (const Sample& sample : data.train.data.samples) {
    if (sample.label >= 0 && is_base[static_cast<std::size_t>(sample.label)]) ++images;
  }
  Json json = {{"data", data.train.name},
               {"split", text_or_null(data.train.data.split)},
               {"classes", train.base},
               {"of_classes", train.order.size()},
               {"images", images}};
  if (full) json["names"] = names;
  return json;
}

Json side_json(const ScenarioData& data, const std::vector<ViewClass>& classes, std::size_t images,
               bool full) {
  Json json = {{"classes", classes.size()}, {"images", images}};
  if (!full) return json;
  json["names"] = class_names(data, classes);
  json["templates"] = Json::array();
  for (const ViewClass& name : classes) json["templates"].push_back(name.templates);
  return json;
}

Json view_json(const ScenarioData& data, const View& view, bool full) {
  const ViewCounts counts = count_images(view);
  Json removed = Json::array();
  for (const RemovedClass& c : view.removed) {
    const ScenarioDataset& dataset = data.tests[c.dataset];
    removed.push_back({{"name", dataset.data.classes[static_cast<std::size_t>(c.label)]},
                       {"data", dataset.name},
                       {"shared_with", text_or_null(c.shared_with)}});
  }
  Json json = {{"world", view.world},
               {"level", view.level},
               {"t", view.t ? Json(*view.t) : Json()},
               {"base", side_json(data, view.base, counts.base_images, full)},
               {"new", side_json(data, view.new_classes, counts.new_images, full)},
               {"unknown", {{"images", counts.unknown_images}}},
               {"source_images", samples_of(view, 0).size()},
               {"columns", view.train_columns ? "train" : "view"},
               {"removed", std::move(removed)}};
  if (!full) return json;
  json["samples"] = Json::array();
  for (const ViewImage& image : view.images) {
    json["samples"].push_back({image.dataset, image.sample,
                               data.tests[image.dataset].data.samples[image.sample].path,
                               static_cast<int>(image.side), image.label});
  }
  return json;
}

}  // namespace

Json plan_json(const Scenario& scenario, const ScenarioData& data, const ScenarioPlan& plan,
               std::uint64_t seed, bool full) {
  Json tests = Json::array(), views = Json::array();
  for (const ScenarioDataset& test : data.tests) tests.push_back(dataset_json(test));
  for (const View& view : plan.views) views.push_back(view_json(data, view, full));
  return {{"schema", kScenarioSchema},
          {"scenario", scenario.row().name},
          {"scenario_version", scenario.row().version},
          {"seed", seed},
          {"options", option_json(scenario.options().values())},
          {"train", train_json(data, plan.train, full)},
          {"tests", std::move(tests)},
          {"views", std::move(views)}};
}

Json scenario_json(const ScenarioRow& row) {
  const Scenario scenario(row.name);
  Json options = Json::array();
  for (const OptionRow& option : scenario.options().rows()) {
    options.push_back({{"name", option.name},
                       {"default", option_json(option.value())},
                       {"expected", option.expected},
                       {"help", option.help}});
  }
  return {{"name", row.name},
          {"version", row.version},
          {"title", row.title},
          {"description", row.description},
          {"citation", row.citation},
          {"levels", row.levels},
          {"trained", row.trained},
          {"others", row.others == OtherDatasets::kNone    ? Json()
                     : row.others == OtherDatasets::kLooks ? Json("looks")
                                                           : Json("targets")},
          {"options", std::move(options)}};
}

}  // namespace openworld
