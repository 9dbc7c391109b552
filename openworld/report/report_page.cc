#include "openworld/report/report_page.h"

#include <fmt/format.h>

#include "openworld/report/page_views.h"
#include "openworld/report/run_sections.h"
#include "openworld/report/run_texts.h"
#include "openworld/report/study_page.h"

namespace openworld {
namespace {

void add_files(HtmlPage& page, const ReportInput& input) {
  std::vector<const ReportFile*> tests, others;
  for (const ReportFile& file : input.files) (file.open_set ? tests : others).push_back(&file);
  if (!tests.empty()) add_open_set_files(page, tests, input.file_metrics.options);
  if (!others.empty()) add_prediction_files(page, others, input.file_metrics);
}

}  // namespace

std::string describe_report(const ReportInput& input) {
  std::vector<std::string> parts;
  if (input.runs != nullptr) {
    parts.push_back(describe_runs(*input.runs, input.measured->comparison));
  }
  if (!input.files.empty()) parts.push_back(describe_files(input.files));
  for (const StudyPageInput* study : input.studies) {
    parts.push_back(fmt::format("study {}, {}", study->title, describe_study(*study)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

ReportPage report_page(const ReportInput& input, const ReportPageOptions& options) {
  HtmlPage page(options.title, describe_report(input));
  // Their numbers, in this order.
  if (input.runs != nullptr) {
    for (const std::string& label : input.runs->labels) page.method(label);
  }
  for (const ReportFile& file : input.files) page.method(file.label);
  for (const StudyPageInput* study : input.studies) {
    for (const std::string& method : study_methods(*study)) page.method(method);
  }
  const ViewOptions views{.samples = options.samples, .images = options.data};
  ShownSamples shown;
  if (input.runs == nullptr) {
    add_files(page, input);
    shown = add_views(page, nullptr, input.files, views);
    for (const StudyPageInput* study : input.studies) add_study(page, *study);
  } else {
    EvalOptions plain = input.measured->options;
    plain.ci = Ci::kNone;
    const RunComparison figures = compare_runs(input.runs->views(), find_metrics(kFigureMetrics),
                                               input.measured->comparison.reference, plain);
    const ReportContext context{*input.runs, *input.measured, figures};
    page.finding(runs_finding(context));
    add_results(page, context);
    shown = add_views(page, &context, input.files, views);
    add_curves(page, context);
    add_trade_off(page, context);
    add_stages(page, context);
    add_costs(page, context);
    add_files(page, input);
    for (const StudyPageInput* study : input.studies) add_study(page, *study);
    add_methods(page, context);
  }
  return {.html = page.html(), .pictures = shown.pictures, .missing = shown.missing};
}

}  // namespace openworld
