// The reader of open_set_json.h.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "openworld/io/json_fields.h"
#include "openworld/openset/open_set_json.h"
#include "openworld/predictions/interval_json.h"

namespace openworld {
namespace {

using MeasureRows = std::vector<const UncertaintyRow*>;

std::int64_t read_count(const JsonFields& fields, std::string_view key, std::int64_t least = 0,
                        std::int64_t most = std::numeric_limits<std::int32_t>::max()) {
  const std::string expected = fmt::format("a whole number from {} to {}", least, most);
  if (!fields.has(key)) fields.fail(key, expected);
  const std::int64_t count = fields.integer(key, 0);
  if (count < least || count > most) fields.fail(key, expected);
  return count;
}

double read_number(const JsonFields& fields, std::string_view key, double low, double high) {
  const std::string expected = fmt::format("a number from {:g} to {:g}", low, high);
  if (!fields.has(key)) fields.fail(key, expected);
  const double value = fields.number(key, 0);
  if (!(value >= low && value <= high)) fields.fail(key, expected);
  return value;
}

double read_rate(const JsonFields& fields, std::string_view key) {
  return read_number(fields, key, 0, 1);
}

std::optional<double> read_optional_rate(const JsonFields& fields, std::string_view key) {
  if (!fields.has(key)) return std::nullopt;
  return read_rate(fields, key);
}

MeasuredValue read_metric(const JsonFields& fields) {
  MeasuredValue metric;
  if (!fields.has("value")) {
    std::string why = fields.text("why", "");
    if (why.empty()) fields.fail("why", "why value is null");
    metric.value = undefined(std::move(why));
    return metric;
  }
  metric.value.value = read_rate(fields, "value");
  metric.interval = read_interval(fields, "interval");
  metric.no_interval = fields.text("no_interval", "");
  return metric;
}

MeasuredValues read_metrics(const JsonFields& fields) {
  MeasuredValues metrics;
  for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
    metrics[k] = read_metric(fields.object(open_set_metric_table()[k].name));
  }
  return metrics;
}

// The measures under "measures", in the order of `rows`; `inner` is an object of each, or empty.
std::vector<MeasureResult> read_measures(const JsonFields& test, const MeasureRows& rows,
                                         std::string_view inner = "") {
  const JsonFields measures = test.object("measures");
  if (test["measures"].size() != rows.size()) {
    test.fail("measures", fmt::format("the same {} as in the whole test", rows.size()));
  }
  std::vector<MeasureResult> results;
  for (const UncertaintyRow* row : rows) {
    const JsonFields of_measure = measures.object(row->name);
    results.push_back({row, read_metrics(inner.empty() ? of_measure : of_measure.object(inner))});
  }
  return results;
}

Proportion read_proportion(const JsonFields& fields, const std::string& key) {
  const double value = read_rate(fields, key);
  const auto interval = read_interval(fields, key + "_interval");
  if (!interval) fields.fail(key + "_interval", "an interval");
  return {value, interval->low, interval->high};
}

OutcomeCounts read_counts(const JsonFields& fields) {
  OutcomeCounts counts;
  counts.images = read_count(fields, "images", 1);
  counts.tp = read_count(fields, "tp", 0, counts.images);
  counts.wrong = read_count(fields, "closed_set_errors", 0, counts.images - counts.tp);
  const std::int64_t others = counts.images - counts.tp - counts.wrong;
  read_count(fields, "closed_set_rejected", others, others);
  counts.ose = read_count(fields, "ose", 0, counts.images);
  counts.rejected = read_count(fields, "open_set_rejected", 0, counts.images - counts.ose);
  counts.accuracy = read_proportion(fields, "accuracy");
  counts.ose_rate = read_proportion(fields, "ose_rate");
  return counts;
}

SeedSummary read_summary(const JsonFields& fields, double level) {
  SeedSummary summary{.seeds = static_cast<std::size_t>(read_count(fields, "seeds", 1)),
                      .mean = read_rate(fields, "mean"),
                      .level = level};
  summary.sd = read_optional_rate(fields, "sd");
  const auto interval = read_interval(fields, "interval");
  if (summary.sd.has_value() != (summary.seeds > 1)) {
    fields.fail("sd", "a number where there are several seeds, else null");
  }
  if (interval.has_value() != (summary.seeds > 1)) {
    fields.fail("interval", "an interval where there are several seeds, else null");
  }
  if (summary.seeds == 1) {
    summary.undefined = "one seed";
    return summary;
  }
  summary.standard_error = *summary.sd / std::sqrt(static_cast<double>(summary.seeds));
  summary.interval = Bounds{interval->low, interval->high};
  summary.level = interval->level;
  return summary;
}

// Images, TP and OSE of the seeds, which are lists of the same length.
std::vector<TestSummary> read_seeds(const JsonFields& fields, std::int32_t size) {
  std::vector<TestSummary> tests;
  const auto read = [&](const char* key, std::int64_t OutcomeCounts::*member) {
    const nlohmann::json& list = fields[key];
    if (!list.is_array() || list.empty()) fields.fail(key, "a list of a number for each seed");
    if (tests.empty()) tests.resize(list.size());
    if (list.size() != tests.size()) fields.fail(key, fmt::format("{} numbers", tests.size()));
    for (std::size_t s = 0; s < list.size(); ++s) {
      // Beyond 2^63 the number turns negative.
      const std::int64_t count = list[s].is_number_integer() ? list[s].get<std::int64_t>() : -1;
      if (count < 0) fields.fail(key, "a list of whole numbers");
      tests[s].counts.*member = count;
    }
  };
  read("images_by_seed", &OutcomeCounts::images);
  read("tp_by_seed", &OutcomeCounts::tp);
  read("ose_by_seed", &OutcomeCounts::ose);
  for (TestSummary& test : tests) test.classes = size;
  return tests;
}

GrowthPoint read_growth(const JsonFields& fields, const MeasureRows& rows, std::int32_t classes,
                        double level) {
  GrowthPoint point;
  point.size = static_cast<std::int32_t>(read_count(fields, "size", 1, classes));
  if (fields.has("accuracy")) point.accuracy = read_summary(fields.object("accuracy"), level);
  const JsonFields measures = fields.object("measures");
  if (fields["measures"].size() != rows.size()) {
    fields.fail("measures", fmt::format("the same {} as in the whole test", rows.size()));
  }
  for (const UncertaintyRow* row : rows) {
    const JsonFields metrics = measures.object(row->name);
    auto& of_measure = point.metrics.emplace_back();
    for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
      const char* name = open_set_metric_table()[k].name;
      if (metrics.has(name)) of_measure[k] = read_summary(metrics.object(name), level);
    }
  }
  point.by_seed = read_seeds(fields, point.size);
  return point;
}

PairedResult read_pair(const JsonFields& fields) {
  PairedResult pair{fields.text("first", ""), fields.text("second", ""), {}, {}};
  const JsonFields metrics = fields.object("metrics");
  for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
    const JsonFields stored = metrics.object(open_set_metric_table()[k].name);
    PairedDifference& d = pair.metrics[k];
    d.why = stored.text("why", "");
    d.test = stored.text("test", "");
    const auto value = [&](const char* key) {
      if (stored.has(key)) return MetricValue{.value = read_rate(stored, key)};
      if (d.why.empty()) stored.fail("why", fmt::format("why {} is null", key));
      return undefined(d.why);
    };
    d.a = value("first");
    d.b = value("second");
    if (d.a.defined() && d.b.defined()) d.difference = read_number(stored, "difference", -1, 1);
    d.interval = read_interval(stored, "interval");
    d.p_value = read_optional_rate(stored, "p_value");
    pair.p_holm[k] = read_optional_rate(stored, "p_value_holm");
  }
  return pair;
}

// The rows that "measures" names, in the order of the file.
MeasureRows read_rows(const nlohmann::ordered_json& json, const JsonFields& fields,
                      OutputActivation activation) {
  if (!fields["measures"].is_object() || fields["measures"].empty()) {
    fields.fail("measures", "an object with a measure or more");
  }
  MeasureRows rows;
  for (const auto& [name, unused] : json["measures"].items()) {
    const auto row =
        std::ranges::find_if(uncertainty_table(), [&name = name, activation](const auto& r) {
          return r.name == name && r.defined_for(activation);
        });
    if (row == uncertainty_table().end()) {
      fields.object("measures")
          .fail(name, fmt::format("a known measure of {} models", activation_name(activation)));
    }
    rows.push_back(&*row);
  }
  return rows;
}

LogitForm read_form(const JsonFields& options) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  constexpr double kSmallest = std::numeric_limits<double>::min();
  LogitForm form;
  const std::string activation = options.text("activation", "");
  form.activation =
      activation == "sigmoid" ? OutputActivation::kSigmoid : OutputActivation::kSoftmax;
  if (activation != activation_name(form.activation)) {
    options.fail("activation", "softmax or sigmoid");
  }
  form.scale = read_number(options, "logit_scale", kSmallest, kLargest);
  form.bias = read_number(options, "logit_bias", -kLargest, kLargest);
  form.mcm_temperature = read_number(options, "mcm_temperature", kSmallest, kLargest);
  return form;
}

OpenSetContext read_context(const nlohmann::ordered_json& json, const JsonFields& fields) {
  OpenSetContext context;
  if (fields.has("source")) {
    const JsonFields sources = fields.object("source");
    for (const auto& [what, unused] : json["source"].items()) {
      context.sources.emplace_back(what, sources.text(what, ""));
    }
  }
  const JsonFields options = fields.object("options");
  if (options.has("resamples")) {
    context.bootstrap.emplace();
    context.bootstrap->resamples = static_cast<int>(read_count(options, "resamples", 1));
    if (!options["seed"].is_number_unsigned()) options.fail("seed", "a whole number");
    context.bootstrap->seed = options["seed"].get<std::uint64_t>();
  }
  return context;
}

void read_further(const JsonFields& fields, const MeasureRows& rows, StoredOpenSet& stored) {
  OpenSetReport& report = stored.report;
  for (const JsonFields& entry : fields.objects("by_extra")) {
    const std::int64_t least = report.by_extra.empty() ? 0 : report.by_extra.back().extra + 1;
    report.by_extra.push_back(
        {report.all.classes,
         static_cast<std::int32_t>(read_count(entry, "count", least, report.all.extra)),
         read_counts(entry), read_measures(entry, rows)});
  }
  for (const JsonFields& entry : fields.objects("efficacy")) {
    const auto query = static_cast<std::int64_t>(report.efficacies.size());
    read_count(entry, "query", query, query);
    const std::int64_t images = report.all.counts.images;
    report.efficacies.push_back({.closed = read_count(entry, "n_closed", 0, images),
                                 .open = read_count(entry, "n_open", 0, images),
                                 .tp_lost = read_count(entry, "n_tp_lost", 0, images)});
    if (entry.has("name")) {
      stored.context.extra_names.resize(static_cast<std::size_t>(query));
      stored.context.extra_names.push_back(entry.text("name", ""));
    }
  }
}

}  // namespace

StoredOpenSet read_open_set_json(const nlohmann::ordered_json& json, const std::string& name,
                                 const Origin& origin) {
  const nlohmann::json sorted = json;
  const JsonFields fields(sorted, name, origin);
  if (fields.text("schema", "") != kOpenSetSchema) fields.fail("schema", kOpenSetSchema);
  const JsonFields options = fields.object("options");
  StoredOpenSet stored{.report = {}, .context = read_context(json, fields)};
  OpenSetReport& report = stored.report;
  report.form = read_form(options);
  report.level = read_number(options, "level", 0, 1);
  report.role = fields.has("extra_classes") ? ExtraRole::kClass : ExtraRole::kNegative;
  const MeasureRows rows = read_rows(json, fields, report.form.activation);
  report.all.classes = static_cast<std::int32_t>(read_count(fields, "classes", 1));
  report.all.extra = static_cast<std::int32_t>(
      read_count(fields, report.role == ExtraRole::kNegative ? "negatives" : "extra_classes"));
  report.all.counts = read_counts(fields);
  report.images = report.all.counts.images;
  report.all.open_set = read_measures(fields, rows);
  report.closed_set = read_measures(fields, rows, "closed_set");
  read_further(fields, rows, stored);
  for (const JsonFields& entry : fields.objects("growth")) {
    report.growth.push_back(read_growth(entry, rows, report.all.classes, report.level));
  }
  for (const JsonFields& entry : fields.objects("pairs")) {
    report.pairs.push_back(read_pair(entry));
  }
  return stored;
}

}  // namespace openworld
