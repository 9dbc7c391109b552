#include "openworld/report/run_report.h"

#include "openworld/report/run_sections.h"
#include "openworld/report/run_texts.h"

namespace openworld {

RunReport run_report(const RunCollection& runs, const MeasuredRuns& measured,
                     const RunReportOptions& options) {
  EvalOptions plain = measured.options;
  plain.ci = Ci::kNone;
  const RunComparison figures = compare_runs(runs.views(), find_metrics(kFigureMetrics),
                                             measured.comparison.reference, plain);
  const ReportContext context{runs, measured, figures};
  HtmlPage page(options.title, describe_runs(runs, measured.comparison));
  add_results(page, context);
  add_curves(page, context);
  add_trade_off(page, context);
  add_stages(page, context);
  add_costs(page, context);
  RunReport report;
  if (options.samples > 0) report.pictures = add_samples(page, context, options.samples);
  add_methods(page, context);
  report.html = page.html();
  return report;
}

}  // namespace openworld
