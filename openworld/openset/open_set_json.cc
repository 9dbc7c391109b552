// The writer of open_set_json.h; its reader is open_set_json_reader.cc.

#include "openworld/openset/open_set_json.h"

#include <nlohmann/json.hpp>

#include "openworld/base/version.h"
#include "openworld/predictions/interval_json.h"
#include "openworld/predictions/measured_value_json.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

Json interval_json(const std::optional<Proportion>& proportion, double level) {
  if (!proportion) return nullptr;
  return interval_json(Interval{proportion->low, proportion->high, level, "wilson"});
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json value_json(const MetricValue& value) {
  return value.defined() ? Json(value.value) : Json(nullptr);
}

Json value_or_null(const std::optional<Proportion>& proportion) {
  return proportion ? Json(proportion->value) : Json(nullptr);
}

Json metrics_json(const MeasuredValues& metrics) {
  Json json = Json::object();
  for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
    json[open_set_metric_table()[k].name] = measured_value_json(metrics[k]);
  }
  return json;
}

Json measures_json(const std::vector<MeasureResult>& measures) {
  Json json = Json::object();
  for (const MeasureResult& result : measures) {
    json[std::string(result.measure->name)] = metrics_json(result.metrics);
  }
  return json;
}

// The counts of a test, as the first fields of `json`.
void add_counts(Json& json, const OutcomeCounts& counts, double level) {
  json["images"] = counts.images;
  json["tp"] = counts.tp;
  json["ose"] = counts.ose;
  json["accuracy"] = value_or_null(counts.accuracy);
  json["accuracy_interval"] = interval_json(counts.accuracy, level);
  json["ose_rate"] = value_or_null(counts.ose_rate);
  json["ose_rate_interval"] = interval_json(counts.ose_rate, level);
  json["closed_set_errors"] = counts.wrong;
  json["closed_set_rejected"] = counts.images - counts.tp - counts.wrong;
  json["open_set_rejected"] = counts.rejected;
}

Json summary_json(const SeedSummary& summary) {
  Json json = {{"seeds", summary.seeds}, {"mean", summary.mean}};
  json["sd"] = summary.sd ? Json(*summary.sd) : Json(nullptr);
  json["interval"] = nullptr;
  if (summary.interval) {
    json["interval"] =
        interval_json(Interval{summary.interval->low, summary.interval->high, summary.level, "t"});
  }
  return json;
}

Json growth_json(const OpenSetReport& report) {
  Json list = Json::array();
  for (const GrowthPoint& point : report.growth) {
    Json entry = {{"size", point.size}};
    entry["accuracy"] = point.accuracy.seeds > 0 ? summary_json(point.accuracy) : Json(nullptr);
    Json measures = Json::object();
    for (std::size_t m = 0; m < point.metrics.size(); ++m) {
      Json& metrics = measures[std::string(report.all.open_set[m].measure->name)];
      for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
        const auto& summary = point.metrics[m][k];
        metrics[open_set_metric_table()[k].name] = summary ? summary_json(*summary) : Json(nullptr);
      }
    }
    entry["measures"] = std::move(measures);
    Json tp = Json::array(), ose = Json::array(), images = Json::array();
    for (const TestSummary& test : point.by_seed) {
      images.push_back(test.counts.images);
      tp.push_back(test.counts.tp);
      ose.push_back(test.counts.ose);
    }
    entry["images_by_seed"] = std::move(images);
    entry["tp_by_seed"] = std::move(tp);
    entry["ose_by_seed"] = std::move(ose);
    list.push_back(std::move(entry));
  }
  return list;
}

Json extras_json(const OpenSetReport& report) {
  Json list = Json::array();
  for (const TestSummary& test : report.by_extra) {
    Json entry = {{"count", test.extra}};
    add_counts(entry, test.counts, report.level);
    entry["measures"] = measures_json(test.open_set);
    list.push_back(std::move(entry));
  }
  return list;
}

Json efficacy_json(const OpenSetReport& report, const OpenSetContext& context) {
  Json list = Json::array();
  for (std::size_t m = 0; m < report.efficacies.size(); ++m) {
    const Efficacy& efficacy = report.efficacies[m];
    Json entry = Json::object();
    entry["query"] = m;
    if (m < context.extra_names.size()) entry["name"] = context.extra_names[m];
    entry["n_open"] = efficacy.open;
    entry["n_closed"] = efficacy.closed;
    entry["n_tp_lost"] = efficacy.tp_lost;
    list.push_back(std::move(entry));
  }
  return list;
}

Json pairs_json(const OpenSetReport& report) {
  Json list = Json::array();
  for (const PairedResult& pair : report.pairs) {
    Json metrics = Json::object();
    for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
      const PairedDifference& d = pair.metrics[k];
      const bool both = d.a.defined() && d.b.defined();
      metrics[open_set_metric_table()[k].name] = {
          {"first", value_json(d.a)},
          {"second", value_json(d.b)},
          {"difference", both ? Json(d.difference) : Json(nullptr)},
          {"interval", interval_json(d.interval)},
          {"p_value", d.p_value ? Json(*d.p_value) : Json(nullptr)},
          {"p_value_holm", pair.p_holm[k] ? Json(*pair.p_holm[k]) : Json(nullptr)},
          {"test", text_or_null(d.test)},
          {"why", text_or_null(d.why)}};
    }
    list.push_back({{"first", pair.first}, {"second", pair.second}, {"metrics", metrics}});
  }
  return list;
}

}  // namespace

Json open_set_json(const OpenSetReport& report, const OpenSetContext& context) {
  Json json = {{"schema", kOpenSetSchema}, {"version", OPENWORLD_VERSION}};
  if (!context.sources.empty()) {
    Json sources = Json::object();
    for (const auto& [what, path] : context.sources) sources[what] = path;
    json["source"] = std::move(sources);
  }
  if (!context.assumptions.empty()) json["assumptions"] = context.assumptions;
  json["classes"] = report.all.classes;
  json[report.role == ExtraRole::kNegative ? "negatives" : "extra_classes"] = report.all.extra;
  add_counts(json, report.all.counts, report.level);
  json["measures"] = measures_json(report.all.open_set);
  for (const MeasureResult& result : report.closed_set) {
    json["measures"][std::string(result.measure->name)]["closed_set"] =
        metrics_json(result.metrics);
  }
  if (!report.by_extra.empty()) {
    json["by_extra"] = extras_json(report);
    json["efficacy"] = efficacy_json(report, context);
  }
  if (!report.growth.empty()) json["growth"] = growth_json(report);
  if (!report.pairs.empty()) json["pairs"] = pairs_json(report);
  json["options"] = {{"activation", activation_name(report.form.activation)},
                     {"logit_scale", report.form.scale},
                     {"logit_bias", report.form.bias},
                     {"mcm_temperature", report.form.mcm_temperature},
                     {"level", report.level}};
  if (context.bootstrap) {
    json["options"]["resamples"] = context.bootstrap->resamples;
    json["options"]["seed"] = context.bootstrap->seed;
  }
  return json;
}

}  // namespace openworld
