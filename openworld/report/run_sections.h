#pragma once

// The sections of the page that `openworld report` writes, each a function that adds one.

#include <cstddef>
#include <string>

#include "openworld/report/html_page.h"
#include "openworld/runs/measured_runs.h"

namespace openworld {

struct ReportContext {
  const RunCollection& runs;
  const MeasuredRuns& measured;
  // HM, AUROC and OpenworldAUC, in addition to the requested metrics: the figures need them.
  const RunComparison& figures;
};

inline constexpr const char* kFigureMetrics = "hm,auroc,openworld_auc";

// The sentence above everything; "" where the metric that it would be about is undefined.
std::string runs_finding(const ReportContext& context);

// Values, on average and by dataset, and differences from the reference.
void add_results(HtmlPage& page, const ReportContext& context);

// HitRate over MissRate, a figure for each dataset.
void add_curves(HtmlPage& page, const ReportContext& context);

// HM over AUROC.
void add_trade_off(HtmlPage& page, const ReportContext& context);

// What each stage costs of OpenworldAUC.
void add_stages(HtmlPage& page, const ReportContext& context);

// Parameters, time and memory, from result.json.
void add_costs(HtmlPage& page, const ReportContext& context);

// What was run, and how the numbers came about.
void add_methods(HtmlPage& page, const ReportContext& context);

}  // namespace openworld
