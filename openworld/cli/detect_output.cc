#include "openworld/cli/detect_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "openworld/predictions/interval_json.h"
#include "openworld/predictions/measured_value_json.h"
#include "openworld/report/scatter_plot.h"
#include "openworld/report/svg_plot.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

std::string value_text(const MeasuredValue& metric) {
  return metric.value.defined() ? percent(metric.value.value) : "-";
}

std::string interval_text(const MeasuredValue& metric) {
  if (!metric.value.defined() || !metric.interval) return "";
  return fmt::format("[{}, {}]", percent(metric.interval->low), percent(metric.interval->high));
}

std::string interval_title(double level) {
  return fmt::format("{:g} % interval", level * 100);
}

TextTable category_table(const DetectionEvaluation& evaluation, double level) {
  TextTable table({"category", "AP", interval_title(level), "AP50", "objects", "detections"});
  for (const CategoryEvaluation& category : evaluation.categories) {
    table.add({category.name, value_text(category.ap), interval_text(category.ap),
               value_text(category.ap50), std::to_string(category.objects),
               std::to_string(category.detections)});
  }
  return table;
}

}  // namespace

TextDocument detection_text(const DetectionEvaluation& evaluation, const CocoParams& params,
                            double level, bool per_class) {
  std::string text;
  for (std::size_t s = 0; s < kCocoStats; ++s) {
    text += coco_summary_line(coco_stat_table()[s], params, evaluation.stats[s]);
    const MeasuredValue& metric = evaluation.metrics[s];
    if (metric.interval) {
      text += fmt::format("  [{:.3f}, {:.3f}]", metric.interval->low, metric.interval->high);
    }
    text += '\n';
  }
  text += fmt::format("\n{} images, {} objects ({} crowds), {} detections\n", evaluation.images,
                      evaluation.objects, evaluation.crowds, evaluation.detections);
  for (const std::string& note : evaluation.notes) text += fmt::format("- {}\n", note);
  TextDocument document;
  document.say(std::move(text));
  if (per_class) {
    document.say("\n");
    document.add(category_table(evaluation, level));
  }
  return document;
}

Json detection_json(const DetectionEvaluation& evaluation) {
  Json metrics = Json::object();
  for (std::size_t s = 0; s < kCocoStats; ++s) {
    metrics[std::string(coco_stat_table()[s].info.name)] =
        measured_value_json(evaluation.metrics[s]);
  }
  Json categories = Json::array();
  for (const CategoryEvaluation& category : evaluation.categories) {
    categories.push_back({{"id", category.id},
                          {"name", category.name},
                          {"objects", category.objects},
                          {"detections", category.detections},
                          {"ap", measured_value_json(category.ap)},
                          {"ap50", measured_value_json(category.ap50)}});
  }
  Json json = {{"stats", evaluation.stats},
               {"metrics", std::move(metrics)},
               {"counts",
                {{"images", evaluation.images},
                 {"objects", evaluation.objects},
                 {"crowds", evaluation.crowds},
                 {"detections", evaluation.detections}}},
               {"categories", std::move(categories)}};
  if (!evaluation.notes.empty()) json["notes"] = evaluation.notes;
  return json;
}

TextTable difference_table(const std::string& first, const std::string& second,
                           const std::vector<CocoDifference>& differences, double level) {
  TextTable table({fmt::format("{} against {}", second, first), first, second, "difference",
                   interval_title(level), "p"});
  for (std::size_t s = 0; s < kCocoStats; ++s) {
    const CocoDifference& d = differences[s];
    const std::string title(coco_stat_table()[s].info.title);
    if (std::isnan(d.difference)) {
      table.add({title, "-", "-", "", "", ""});
      continue;
    }
    const auto& interval = d.bootstrap.interval;
    table.add(
        {title, percent(d.first), percent(d.second), fmt::format("{:+.2f}", 100 * d.difference),
         interval ? fmt::format("[{:+.2f}, {:+.2f}]", 100 * interval->low, 100 * interval->high)
                  : std::string(),
         p_text(d.p_value)});
  }
  return table;
}

Json difference_json(const std::vector<CocoDifference>& differences) {
  Json json = Json::object();
  for (std::size_t s = 0; s < kCocoStats; ++s) {
    const CocoStatRow& row = coco_stat_table()[s];
    const CocoDifference& d = differences[s];
    Json entry;
    if (std::isnan(d.difference)) {
      entry = {{"difference", nullptr}, {"why", coco_why_undefined(row)}};
    } else {
      entry = {{"first", d.first},
               {"second", d.second},
               {"difference", d.difference},
               {"interval", interval_json(d.bootstrap.interval)},
               {"p_value", d.p_value}};
      if (!d.bootstrap.why.empty()) entry["why"] = d.bootstrap.why;
    }
    json[std::string(row.info.name)] = std::move(entry);
  }
  return json;
}

TextDocument openset_text(const std::vector<OpenSetEntry>& entries, OpenSetMatching matching) {
  TextTable table({"", "uncertainty", "AuROC", "AuPR", "P@95R", "R@95P", "TP", "OSE", "AP50"});
  TextTable closed(
      {"closed-set errors", "uncertainty", "AuROC", "AuPR", "P@95R", "R@95P", "TP", "errors"});
  std::vector<std::string> notes;
  for (const OpenSetEntry& entry : entries) {
    const OpenSetEvaluation& e = entry.evaluation;
    const std::string tp = std::to_string(e.tp);
    for (const OpenSetMeasure& measure : e.measures) {
      std::vector<std::string> open = {entry.name, measure.uncertainty.name};
      std::vector<std::string> wrong = open;
      for (std::size_t m = 0; m < kOpenSetMetrics; ++m) {
        const auto cell = [](const MeasuredValue& metric) {
          std::string text = value_text(metric);
          if (metric.value.defined() && metric.interval) text += ' ' + interval_text(metric);
          return text;
        };
        open.push_back(cell(measure.metrics[m]));
        wrong.push_back(cell(measure.closed_set[m]));
        const MetricValue& value = measure.metrics[m].value;
        if (!value.defined()) {
          notes.push_back(fmt::format("{}, {}, {}: {}", entry.name, measure.uncertainty.name,
                                      open_set_metric_table()[m].name, value.why));
        }
      }
      open.insert(open.end(), {tp, std::to_string(e.ose), value_text(e.ap[1])});
      wrong.insert(wrong.end(), {tp, std::to_string(e.closed_errors)});
      table.add(std::move(open));
      closed.add(std::move(wrong));
    }
    if (e.missing_images > 0) {
      notes.push_back(fmt::format("{}: {} images with objects have no detections in the file",
                                  entry.name, e.missing_images));
    }
    if (e.named_present > 0) {
      notes.push_back(fmt::format(
          "{}: {} open-set detections name a class that their image has; expected absent classes",
          entry.name, e.named_present));
    }
    if (e.crowd > 0) {
      notes.push_back(fmt::format("{}: {} detections are matched to crowds", entry.name, e.crowd));
    }
  }
  TextDocument document;
  document.add(std::move(table));
  document.say("\n");
  document.add(std::move(closed));
  document.say(fmt::format("\nmatching: {}\n", openset_matching_name(matching)));
  for (const std::string& note : notes) document.say(fmt::format("- {}\n", note));
  return document;
}

Json openset_json(const OpenSetEntry& entry) {
  const OpenSetEvaluation& e = entry.evaluation;
  Json json = {{"source", entry.path}};
  if (entry.negatives >= 0) json["negatives"] = entry.negatives;
  json["images"] = e.images;
  json["missing_images"] = e.missing_images;
  json["tp"] = e.tp;
  json["ose"] = e.ose;
  json["crowd_matches"] = e.crowd;
  json["closed_set_errors"] = e.closed_errors;
  json["named_present"] = e.named_present;
  json["ap"] = measured_value_json(e.ap[0]);
  json["ap50"] = measured_value_json(e.ap[1]);
  json["stats"] = e.stats;
  for (const bool open : {true, false}) {
    Json measures = Json::object();
    for (const OpenSetMeasure& measure : e.measures) {
      Json metrics = {{"uncertain", measure.uncertainty.low_is_uncertain ? "low" : "high"}};
      for (std::size_t m = 0; m < kOpenSetMetrics; ++m) {
        metrics[std::string(open_set_metric_table()[m].name)] =
            measured_value_json(open ? measure.metrics[m] : measure.closed_set[m]);
      }
      measures[measure.uncertainty.name] = std::move(metrics);
    }
    json[open ? "measures" : "closed_set_measures"] = std::move(measures);
  }
  return json;
}

std::string tradeoff_svg(const std::vector<OpenSetEntry>& entries) {
  std::vector<const OpenSetEntry*> order;
  for (const OpenSetEntry& entry : entries) {
    const bool defined = entry.evaluation.measures.front().metrics[1].value.defined() &&
                         entry.evaluation.ap[1].value.defined();
    if (defined) order.push_back(&entry);
  }
  if (order.empty()) return {};
  const auto aupr = [](const OpenSetEntry& entry) {
    return entry.evaluation.measures.front().metrics[1].value.value;
  };
  const auto ap50 = [](const OpenSetEntry& entry) { return entry.evaluation.ap[1].value.value; };
  const std::string title = "Open-set against closed-set performance";
  // With numbers of negative queries the files are one detector, a line; else each is a point.
  const bool one_detector = std::all_of(order.begin(), order.end(),
                                        [](const OpenSetEntry* e) { return e->negatives >= 0; });
  if (!one_detector || order.size() == 1) {
    Scatter scatter{.frame = {.title = title, .x_title = "AP50", .y_title = "AuPR"}, .series = {}};
    for (const OpenSetEntry* entry : order) {
      scatter.series.push_back({{}, {entry->name, ap50(*entry), aupr(*entry)}});
    }
    return svg(scatter);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->negatives < b->negatives; });
  PlotLine line{
      fmt::format("{} to {} negative queries", order.front()->negatives, order.back()->negatives),
      {},
      {}};
  for (const OpenSetEntry* entry : order) {
    line.x.push_back(ap50(*entry));
    line.y.push_back(aupr(*entry));
  }
  const auto [x_low, x_high] = std::minmax_element(line.x.begin(), line.x.end());
  const auto [y_low, y_high] = std::minmax_element(line.y.begin(), line.y.end());
  Plot plot{.title = title,
            .x_title = "AP50",
            .y_title = "AuPR",
            .lines = {},
            .x = round_range(*x_low, *x_high),
            .y = round_range(*y_low, *y_high)};
  plot.lines.push_back(std::move(line));
  return svg(plot);
}

}  // namespace openworld
