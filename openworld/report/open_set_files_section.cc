#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "openworld/report/file_sections.h"
#include "openworld/report/finding.h"
#include "openworld/report/open_set_result_figures.h"
#include "openworld/report/open_set_score_figures.h"
#include "openworld/report/open_set_section.h"
#include "openworld/report/open_set_tables.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

// A file with what is shown of it, whether or not it has the result of its test.
struct Shown {
  const ReportFile* file;
  std::string measure;  // its title
  std::unique_ptr<RankedScores> ranked{};
  std::int64_t right = 0, errors = 0;
  MeasuredValues metrics{};  // of the measure that the scores are

  const StoredOpenSet* result() const {
    return file->open_set->result ? &*file->open_set->result : nullptr;
  }
};

// The title of an uncertainty; detectors have uncertainties that no table lists.
std::string title_of(const std::string& measure) {
  const auto row = std::ranges::find(uncertainty_table(), measure, &UncertaintyRow::name);
  return row == uncertainty_table().end() ? measure : std::string(row->title);
}

// What scores alone give, with intervals over samples.
MeasuredValues measure_scores(const RankedScores& ranked, EvalOptions options) {
  options.open = Side::kUnknown;
  std::vector<MetricRequest> requests;
  for (const OpenSetMetricRow& row : open_set_metric_table()) {
    requests.push_back({row.metric, open_set_metric_options(row).params, row.name});
  }
  const Evaluation evaluation = evaluate(ranked, requests, options);
  MeasuredValues values;
  for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
    const MetricResult& metric = evaluation.metrics[k];
    values[k] = {metric.value, metric.interval, metric.no_interval};
  }
  return values;
}

Shown show(const ReportFile& file, const EvalOptions& options) {
  Shown shown{.file = &file, .measure = title_of(file.open_set->measure)};
  shown.ranked = std::make_unique<RankedScores>(file.predictions.outcomes());
  const auto side = file.predictions.side.values;
  shown.right = std::ranges::count(side, static_cast<std::int8_t>(Side::kBase));
  shown.errors = std::ranges::count(side, static_cast<std::int8_t>(Side::kUnknown));
  if (const StoredOpenSet* result = shown.result()) {
    shown.metrics = result->report.all.open_set[file.open_set->measure_at].metrics;
  } else {
    shown.metrics = measure_scores(*shown.ranked, options);
  }
  return shown;
}

RankedLine line_of(const Shown& shown, std::string name) {
  return {std::move(name), shown.metrics[kAuprAt].value, shown.ranked.get()};
}

std::vector<OpenSetFigure> score_figures(const Shown& shown) {
  std::vector<OpenSetFigure> figures;
  const RankedLine line = line_of(shown, shown.measure);
  if (auto figure = precision_recall_figure({&line, 1}, "uncertainty", SvgLook::kPage)) {
    figures.push_back(std::move(*figure));
  }
  std::vector<double> right, errors;
  const Outcomes outcomes = shown.file->predictions.outcomes();
  for (std::size_t i = 0; i < outcomes.side.size(); ++i) {
    const auto side = static_cast<Side>(outcomes.side[i]);
    if (side == Side::kBase) right.push_back(outcomes.score[i]);
    if (side == Side::kUnknown) errors.push_back(outcomes.score[i]);
  }
  figures.push_back(uncertainty_histogram(shown.measure, right, errors, SvgLook::kPage));
  return figures;
}

void add_result(HtmlPage& page, const Shown& shown) {
  const StoredOpenSet& stored = *shown.result();
  const std::size_t measure = shown.file->open_set->measure_at;
  std::vector<OpenSetFigure> figures = score_figures(shown);
  for (OpenSetFigure& figure : open_set_result_figures(
           stored.report, measure, stored.context.extra_names, SvgLook::kPage)) {
    figures.push_back(std::move(figure));
  }
  add_open_set_result(page, stored.report, measure, figures);
}

void add_scores(HtmlPage& page, const Shown& shown) {
  page.paragraph(fmt::format("{} true positives and {} open-set errors, scored by {}.", shown.right,
                             shown.errors, shown.measure));
  std::vector<std::string> header = {"against open-set errors"};
  std::vector<HtmlTable::Cell> cells = {{.text = shown.measure}};
  for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
    header.emplace_back(open_set_metric_table()[k].title);
    cells.push_back(metric_cell(shown.metrics[k]));
  }
  HtmlTable table(header);
  table.add(std::move(cells));
  page.table(table);
  page.note(
      "The file has scores, but not the result of its test: intervals take the samples as "
      "independent, though one image can give several, and are too narrow then.");
  add_open_set_figures(page, score_figures(shown));
}

void add_comparison(HtmlPage& page, std::span<const Shown> files) {
  std::vector<std::string> header = {"file", "uncertainty", "TP", "OSE", "accuracy"};
  for (const OpenSetMetricRow& row : open_set_metric_table()) header.emplace_back(row.title);
  HtmlTable table(header);
  std::vector<RankedLine> lines;
  for (const Shown& shown : files) {
    std::vector<HtmlTable::Cell> cells = {{.text = shown.file->label},
                                          {.text = shown.measure},
                                          {.text = std::to_string(shown.right)},
                                          {.text = std::to_string(shown.errors)},
                                          {.text = "-", .hint = "the file does not have it"}};
    if (const StoredOpenSet* result = shown.result()) {
      cells.back() = {.text = percent(result->report.all.counts.accuracy->value)};
    }
    for (const MeasuredValue& metric : shown.metrics) cells.push_back(metric_cell(metric));
    const std::size_t method = page.method(shown.file->label);
    table.add(std::move(cells), method, HtmlTable::Kind::kMethod);
    if (!shown.metrics[kAuprAt].value.defined()) continue;
    lines.push_back(line_of(shown, shown.file->label));
    lines.back().method = static_cast<int>(method);
  }
  page.table(table);
  page.note(
      "Each file by the uncertainty that it is scored by. Files of different images cannot be "
      "compared by their intervals.");
  if (auto figure = precision_recall_figure(lines, "file", SvgLook::kPage)) {
    figure->series.clear();  // the table has the colours
    add_open_set_figures(page, {*figure});
  }
}

// How well the uncertainties find open-set errors, by the first metric.
std::string open_set_finding(std::span<const Shown> files, double level) {
  const std::string metric(open_set_metric_table()[0].title);
  FindingInput input{
      .metric = metric + " against open-set errors",
      .where = {},
      .level = files[0].result() != nullptr ? files[0].result()->report.level : level,
      .entries = {}};
  for (const Shown& shown : files) {
    const MeasuredValue& value = shown.metrics[0];
    if (!value.value.defined()) continue;
    input.entries.push_back({.name = fmt::format("{} by {}", shown.file->label, shown.measure),
                             .value = value.value.value,
                             .interval = value.interval});
  }
  return finding_text(input);
}

}  // namespace

void add_open_set_files(HtmlPage& page, std::span<const ReportFile* const> files,
                        const EvalOptions& options) {
  page.section("Open set");
  std::vector<Shown> shown;
  for (const ReportFile* file : files) shown.push_back(show(*file, options));
  if (!page.has_finding()) page.finding(open_set_finding(shown, options.bootstrap.level));
  if (shown.size() > 1) add_comparison(page, shown);
  for (const Shown& one : shown) {
    page.heading(one.file->label);
    one.result() != nullptr ? add_result(page, one) : add_scores(page, one);
  }
}

}  // namespace openworld
