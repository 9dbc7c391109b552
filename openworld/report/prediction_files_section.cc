#include <fmt/format.h>

#include "openworld/metrics/result_notes.h"
#include "openworld/report/curve_line.h"
#include "openworld/report/file_differences.h"
#include "openworld/report/file_sections.h"
#include "openworld/report/finding.h"
#include "openworld/report/metric_texts.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

using Cell = HtmlTable::Cell;

std::string title_of(const MetricResult& metric) {
  return metric_result_title(metric) +
         (metric.request.row->info.higher_is_better ? "" : " (lower is better)");
}

std::string hint_of(const MetricResult& metric) {
  if (!metric.value.defined()) return metric.value.why;
  if (!metric.interval) return metric.no_interval;
  return fmt::format("{:g} % interval {}, {}", metric.interval->level * 100,
                     metric_interval_text(metric), metric.interval->method);
}

// Metrics as rows.
HtmlTable metrics_table(const Evaluation& evaluation, const EvalOptions& options) {
  std::vector<std::string> header = {"metric", "%"};
  if (options.ci != Ci::kNone) {
    header.push_back(fmt::format("{:g} % interval", options.bootstrap.level * 100));
    header.emplace_back("method");
  }
  HtmlTable table(header);
  for (const MetricResult& metric : evaluation.metrics) {
    std::vector<Cell> cells = {{.text = title_of(metric)},
                               {.text = metric_value_text(metric), .hint = metric.value.why}};
    if (options.ci != Ci::kNone) {
      cells.push_back({.text = metric_interval_text(metric), .hint = metric.no_interval});
      cells.push_back({.text = metric.interval ? std::string(metric.interval->method) : ""});
    }
    table.add(std::move(cells));
  }
  return table;
}

// Files as rows, metrics as columns.
HtmlTable files_table(HtmlPage& page, std::span<const ReportFile* const> files,
                      std::span<const Evaluation* const> evaluations) {
  std::vector<std::string> header = {"file"};
  for (const MetricResult& metric : evaluations[0]->metrics) header.push_back(title_of(metric));
  HtmlTable table(header);
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::vector<Cell> cells = {{.text = files[i]->label}};
    for (std::size_t m = 0; m < evaluations[i]->metrics.size(); ++m) {
      const MetricResult& metric = evaluations[i]->metrics[m];
      cells.push_back({.text = metric_value_text(metric) + metric_reach_text(metric),
                       .best = is_best(evaluations, i, m),
                       .hint = hint_of(metric)});
    }
    table.add(std::move(cells), page.method(files[i]->label), HtmlTable::Kind::kMethod);
  }
  return table;
}

std::string counts_text(const ReportFile& file, const Evaluation& evaluation) {
  const KindCounts& n = evaluation.counts;
  return fmt::format("{}: {} base, {} new, {} unknown samples", file.label, n.base(),
                     n.new_samples(), n.unknown());
}

void add_curves(HtmlPage& page, std::span<const ReportFile* const> files,
                const std::vector<RankedScores>& ranked) {
  const CurveRow& row = find_curve("miss-hit");
  std::vector<PlotLine> lines;
  std::vector<HtmlPage::Key> keys;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Curve curve = make_curve(Ranking(ranked[i]), row.kind, {}, 1000);
    if (!curve.area.defined()) {
      page.paragraph(fmt::format("{}: no curve, {}.", files[i]->label, curve.area.why));
      continue;
    }
    const std::string name = fmt::format("{}: area {}", files[i]->label, percent(curve.area.value));
    lines.push_back(curve_line(name, curve.points));
    lines.back().method = static_cast<int>(page.method(files[i]->label));
    keys.push_back({name, page.method(files[i]->label)});
  }
  if (keys.empty()) return;
  Plot plot{.title = "HitRate over MissRate",
            .x_title = std::string(row.x_title),
            .y_title = std::string(row.y_title),
            .lines = std::move(lines),
            .x = {.percent = true},
            .y = {.percent = true},
            .look = SvgLook::kPage};
  page.begin_figures();
  page.figure(fmt::format("HitRate over MissRate for every threshold; the area below is {} with "
                          "half ties.",
                          row.metric->info.title),
              svg(plot), keys);
  page.end_figures();
}

std::string files_finding(std::span<const ReportFile* const> files,
                          std::span<const Evaluation* const> evaluations,
                          const std::optional<FileDifferences>& differences,
                          const EvalOptions& options) {
  const auto& metrics = evaluations[0]->metrics;
  std::size_t k = 0;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (metrics[i].request.row->info.name == "openworld_auc" && metrics[i].value.defined()) k = i;
  }
  const MetricInfo& info = metrics[k].request.row->info;
  FindingInput input{.metric = metric_result_title(metrics[k]),
                     .higher_is_better = info.higher_is_better,
                     .scale = info.is_count ? 1.0 : 100.0,
                     .where = {},
                     .level = options.bootstrap.level,
                     .entries = {}};
  const auto compared = [&]() -> std::optional<std::size_t> {
    if (!differences) return std::nullopt;
    for (std::size_t c = 0; c < differences->requests.size(); ++c) {
      if (differences->requests[c].row == metrics[k].request.row) return c;
    }
    return std::nullopt;
  }();
  for (std::size_t i = 0; i < files.size(); ++i) {
    const MetricResult& metric = evaluations[i]->metrics[k];
    if (!metric.value.defined()) return "";
    FindingEntry& entry = input.entries.emplace_back(FindingEntry{
        .name = files[i]->label, .value = metric.value.value, .interval = metric.interval});
    if (i == 0 || !compared) continue;
    entry.difference = differences->metrics[i - 1][*compared].difference;
    entry.difference_interval = differences->metrics[i - 1][*compared].interval;
    entry.p = differences->p[i - 1][*compared];
  }
  if (compared) input.reference = 0;
  input.same_samples = are_same_samples(files);
  return finding_text(input);
}

// The sides are those of the first file that has both.
void add_notes(HtmlPage& page, std::span<const ReportFile* const> files,
               std::span<const Evaluation> evaluations) {
  std::string sides;
  for (const Evaluation& evaluation : evaluations) {
    if (sides.empty()) sides = sides_note(evaluation);
  }
  if (!sides.empty()) page.note(sides + ".");
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (const std::string& note :
         {reversed_note(evaluations[i]), ties_note(files[i]->predictions.tied_answers)}) {
      if (!note.empty()) page.note(fmt::format("{}: {}.", files[i]->label, note));
    }
  }
}

}  // namespace

void add_prediction_files(HtmlPage& page, std::span<const ReportFile* const> files,
                          const FileMetrics& metrics) {
  std::vector<RankedScores> ranked;
  std::vector<Evaluation> all;
  std::vector<const Evaluation*> evaluations;
  for (const ReportFile* file : files) {
    ranked.emplace_back(file->predictions.outcomes(), keep_for(metrics.requests));
    all.push_back(evaluate(ranked.back(), metrics.requests, metrics.options));
  }
  for (const Evaluation& evaluation : all) evaluations.push_back(&evaluation);
  std::optional<FileDifferences> differences;
  if (files.size() > 1) differences = compare_files(files, metrics.requests, metrics.options);
  if (!page.has_finding()) {
    page.finding(files_finding(files, evaluations, differences, metrics.options));
  }
  page.section("Prediction files");
  if (files.size() > 1) {
    page.table(files_table(page, files, evaluations));
    page.note(metrics.options.ci == Ci::kNone
                  ? "In percent. Bold: best of the column."
                  : fmt::format("In percent. Bold: best of the column. ±: half the width of the "
                                "{:g} % interval over samples.",
                                metrics.options.bootstrap.level * 100));
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const HtmlTable table = metrics_table(all[i], metrics.options);
    if (files.size() > 1) {
      page.folded_table(counts_text(*files[i], all[i]), table);
    } else {
      page.paragraph(counts_text(*files[i], all[i]) + ".");
      page.table(table);
    }
  }
  add_notes(page, files, all);
  if (differences) add_file_differences(page, files, *differences, metrics.options);
  add_curves(page, files, ranked);
}

}  // namespace openworld
