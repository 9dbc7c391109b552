#include "openworld/runs/measured_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "openworld/analysis/compare.h"
#include "openworld/base/progress.h"
#include "openworld/metrics/result_notes.h"

namespace openworld {
namespace {

// Over the labels other than the reference, metric by metric.
std::vector<std::vector<std::optional<double>>> adjust(const RunComparison& comparison) {
  std::vector<std::vector<std::optional<double>>> adjusted(comparison.differences.size());
  for (std::size_t k = 0; k < comparison.requests.size(); ++k) {
    std::vector<double> p_values;
    for (const auto& of_label : comparison.differences) {
      if (!of_label.empty() && of_label[k].mean.p_value) {
        p_values.push_back(*of_label[k].mean.p_value);
      }
    }
    const std::vector<double> holm = holm_adjust(p_values);
    std::size_t next = 0;
    for (std::size_t m = 0; m < adjusted.size(); ++m) {
      const auto& of_label = comparison.differences[m];
      if (of_label.empty()) continue;
      adjusted[m].push_back(of_label[k].mean.p_value ? std::optional(holm[next++]) : std::nullopt);
    }
  }
  return adjusted;
}

// Of the first dataset that has new and unknown samples; on a dataset all runs have the same.
std::string sides_of(const RunCollection& runs, const MeasuredRuns& measured) {
  std::string note;
  bool everywhere = true;
  for (std::size_t d = 0; d < runs.datasets.size(); ++d) {
    const auto run = std::ranges::find(runs.runs, d, &CollectedRun::dataset);
    const std::string mine =
        sides_note(measured.comparison.requests, run->predictions.side.values, measured.options);
    if (mine.empty()) everywhere = false;
    if (note.empty()) note = mine;
  }
  return note.empty() || everywhere ? note : note + ", on datasets that have them";
}

double comparisons(const MeasuredRuns& measured) {
  return static_cast<double>(measured.comparison.values.size()) - 1;
}

double least_p(const MeasuredRuns& measured) {
  return comparisons(measured) * 2 / (measured.options.bootstrap.resamples + 1.0);
}

}  // namespace

const RunMean& mean_of(const RunMetric& metric, std::optional<std::size_t> dataset) {
  return dataset ? metric.by_dataset[*dataset] : metric.mean;
}

bool MeasuredRuns::is_best(std::size_t label, std::size_t metric,
                           std::optional<std::size_t> dataset) const {
  const RunMean& mine = mean_of(comparison.values[label][metric], dataset);
  if (!mine.defined()) return false;
  for (const auto& other : comparison.values) {
    const RunMean& theirs = mean_of(other[metric], dataset);
    if (!theirs.defined()) continue;
    const double lead = mine.value - theirs.value;
    if (comparison.requests[metric].row->info.higher_is_better ? lead < 0 : lead > 0) return false;
  }
  return true;
}

MeasuredRuns measure_runs(const RunCollection& runs, std::span<const MetricRequest> requests,
                          std::size_t reference, EvalOptions options) {
  Progress progress("resampling runs", options.bootstrap.resamples);
  EvalOptions watched = options;
  watched.bootstrap.progress = [&](std::size_t done) { progress.update(done); };
  MeasuredRuns measured{.comparison = compare_runs(runs.views(), requests, reference, watched),
                        .adjusted = {},
                        .options = std::move(options)};
  measured.adjusted = adjust(measured.comparison);
  return measured;
}

bool has_too_few_resamples(const MeasuredRuns& measured) {
  const BootstrapOptions& bootstrap = measured.options.bootstrap;
  return measured.options.ci != Ci::kNone && measured.comparison.values.size() > 1 &&
         least_p(measured) >= 1 - bootstrap.level;
}

std::vector<std::string> runs_notes(const RunCollection& runs, const MeasuredRuns& measured) {
  std::vector<std::string> notes;
  if (std::string sides = sides_of(runs, measured); !sides.empty()) {
    notes.push_back(std::move(sides));
  }
  const RunComparison& comparison = measured.comparison;
  for (std::size_t k = 0; k < comparison.requests.size(); ++k) {
    if (comparison.requests[k].name != "auroc") continue;
    for (std::size_t m = 0; m < runs.labels.size(); ++m) {
      for (std::size_t d = 0; d < runs.datasets.size(); ++d) {
        const RunMean& mean = comparison.values[m][k].by_dataset[d];
        if (!mean.defined()) continue;
        const std::string note = reversed_note(mean.value, mean.interval);
        if (note.empty()) continue;
        notes.push_back(fmt::format("{} on {}: {}", runs.labels[m], runs.datasets[d], note));
      }
    }
  }
  if (has_too_few_resamples(measured)) {
    const BootstrapOptions& bootstrap = measured.options.bootstrap;
    const double alpha = 1 - bootstrap.level;
    notes.push_back(fmt::format(
        "{} resamples are too few for {} comparisons: no p (Holm) can be below {:.4f}; {:.0f} or "
        "more can show differences that are significant at {:g} %",
        bootstrap.resamples, comparisons(measured), std::min(1.0, least_p(measured)),
        std::ceil(2 * comparisons(measured) / alpha), 100 * alpha));
  }
  return notes;
}

std::vector<StageCosts> stage_costs(const RunCollection& runs, const RunComparison& comparison,
                                    std::optional<Ties> ties) {
  std::vector<StageCosts> costs(runs.labels.size());
  for (const CollectedRun& run : runs.runs) {
    StageCosts& mine = costs[run.label];
    const RankedScores ranked(run.predictions.outcomes());
    const Diagnosis diagnosis = diagnose(Ranking(ranked), {.ties = ties});
    if (!diagnosis.defined()) mine.why = diagnosis.openworld_auc.why;
    const double share = 1.0 / static_cast<double>(comparison.seeds[run.dataset].size()) /
                         static_cast<double>(runs.datasets.size());
    mine.openworld_auc += share * diagnosis.openworld_auc.value;
    for (int s = 0; s < kStages; ++s) {
      mine.cost[s] += share * diagnosis.cost[s];
      mine.if_perfect[s] += share * diagnosis.if_perfect[s];
    }
  }
  return costs;
}

}  // namespace openworld
