// Runs as JSON, schema "openworld.runs/2".

#include <cmath>
#include <nlohmann/json.hpp>

#include "openworld/base/version.h"
#include "openworld/predictions/interval_json.h"
#include "openworld/runs/measured_runs.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

// `key` is "value" or "difference".
Json mean_json(const RunMean& mean, const char* key, bool with_interval) {
  if (!mean.defined()) return {{key, nullptr}, {"why", mean.why}};
  Json json = {{key, mean.value}};
  if (!with_interval) return json;
  json["interval"] = interval_json(mean.interval);
  if (!mean.no_interval.empty()) json["no_interval"] = mean.no_interval;
  if (mean.p_value) json["p_value"] = *mean.p_value;
  return json;
}

Json by_seed_json(const std::vector<double>& values, const std::vector<std::uint64_t>& seeds) {
  Json json = Json::object();
  for (std::size_t s = 0; s < seeds.size(); ++s) {
    json[std::to_string(seeds[s])] = std::isfinite(values[s]) ? Json(values[s]) : Json();
  }
  return json;
}

Json metric_json(const RunCollection& runs, const MeasuredRuns& measured, const RunMetric& metric,
                 const char* key) {
  const bool with_interval = measured.options.ci != Ci::kNone;
  Json json = mean_json(metric.mean, key, with_interval);
  if (with_interval && runs.datasets.size() >= 3) {
    json["interval_over_datasets"] = interval_json(metric.over_datasets);
    if (metric.p_over_datasets) json["p_value_over_datasets"] = *metric.p_over_datasets;
  }
  Json datasets = Json::object();
  for (std::size_t d = 0; d < runs.datasets.size(); ++d) {
    Json one = mean_json(metric.by_dataset[d], key, with_interval);
    one["by_seed"] = by_seed_json(metric.by_run[d], measured.comparison.seeds[d]);
    datasets[runs.datasets[d]] = std::move(one);
  }
  json["by_dataset"] = std::move(datasets);
  return json;
}

Json differences_json(const RunCollection& runs, const MeasuredRuns& measured, std::size_t label) {
  Json metrics = Json::object();
  for (std::size_t k = 0; k < measured.comparison.requests.size(); ++k) {
    Json json =
        metric_json(runs, measured, measured.comparison.differences[label][k], "difference");
    if (measured.adjusted[label][k]) {
      json["p_value_holm"] = *measured.adjusted[label][k];
      json["significant"] = measured.significant(label, k);
    }
    metrics[measured.comparison.requests[k].name] = std::move(json);
  }
  return {{"label", runs.labels[label]},
          {"against", runs.labels[measured.comparison.reference]},
          {"metrics", std::move(metrics)}};
}

}  // namespace

Json runs_json(const RunCollection& runs, const MeasuredRuns& measured) {
  const RunComparison& comparison = measured.comparison;
  Json folders = Json::array(), methods = Json::array(), differences = Json::array();
  for (const CollectedRun& run : runs.runs) {
    folders.push_back({{"path", run.folder.path()},
                       {"label", runs.labels[run.label]},
                       {"dataset", runs.datasets[run.dataset]},
                       {"seed", run.spec.seed},
                       {"shots", run.spec.shots},
                       {"model", run.spec.model.path}});
  }
  for (std::size_t m = 0; m < runs.labels.size(); ++m) {
    Json metrics = Json::object();
    for (std::size_t k = 0; k < comparison.requests.size(); ++k) {
      Json json = metric_json(runs, measured, comparison.values[m][k], "value");
      json["higher_is_better"] = comparison.requests[k].row->info.higher_is_better;
      metrics[comparison.requests[k].name] = std::move(json);
    }
    methods.push_back({{"label", runs.labels[m]}, {"metrics", std::move(metrics)}});
    if (m != comparison.reference) differences.push_back(differences_json(runs, measured, m));
  }
  const BootstrapOptions& bootstrap = measured.options.bootstrap;
  Json options = {{"ci", measured.options.ci == Ci::kNone ? "none" : "two_way_bootstrap"},
                  {"level", bootstrap.level},
                  {"resamples", bootstrap.resamples},
                  {"seed", bootstrap.seed}};
  return {{"schema", "openworld.runs/2"},
          {"version", OPENWORLD_VERSION},
          {"runs", std::move(folders)},
          {"datasets", runs.datasets},
          {"reference", runs.labels[comparison.reference]},
          {"methods", std::move(methods)},
          {"differences", std::move(differences)},
          {"options", std::move(options)}};
}

Json stage_costs_json(const RunCollection& runs, const std::vector<StageCosts>& costs) {
  Json json = Json::object();
  for (std::size_t m = 0; m < costs.size(); ++m) {
    const StageCosts& c = costs[m];
    if (!c.why.empty()) {
      json[runs.labels[m]] = {{"openworld_auc", nullptr}, {"why", c.why}};
      continue;
    }
    json[runs.labels[m]] = {
        {"openworld_auc", c.openworld_auc},
        {"cost", {{"base", c.cost[0]}, {"new", c.cost[1]}, {"rank", c.cost[2]}}},
        {"if_perfect",
         {{"base", c.if_perfect[0]}, {"new", c.if_perfect[1]}, {"rank", c.if_perfect[2]}}}};
  }
  return json;
}

}  // namespace openworld
