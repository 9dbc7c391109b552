#include "openworld/report/report_page.h"

#include "openworld/report/run_sections.h"
#include "openworld/report/run_texts.h"

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
  std::string text;
  if (input.runs != nullptr) text = describe_runs(*input.runs, input.measured->comparison);
  const std::string files = describe_files(input.files);
  return text.empty() || files.empty() ? text + files : text + "; " + files;
}

ReportPage report_page(const ReportInput& input, const ReportPageOptions& options) {
  HtmlPage page(options.title, describe_report(input));
  ReportPage report;
  if (input.runs == nullptr) {
    add_files(page, input);
    report.html = page.html();
    return report;
  }
  EvalOptions plain = input.measured->options;
  plain.ci = Ci::kNone;
  const RunComparison figures = compare_runs(input.runs->views(), find_metrics(kFigureMetrics),
                                             input.measured->comparison.reference, plain);
  const ReportContext context{*input.runs, *input.measured, figures};
  add_results(page, context);
  add_curves(page, context);
  add_trade_off(page, context);
  add_stages(page, context);
  add_costs(page, context);
  if (options.samples > 0) {
    const ShownSamples shown = add_samples(page, context, options.samples, options.data);
    report.pictures = shown.pictures;
    report.missing = shown.missing;
  }
  add_files(page, input);
  add_methods(page, context);
  report.html = page.html();
  return report;
}

}  // namespace openworld
