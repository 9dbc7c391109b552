#include "openworld/runs/run_threshold.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/io/atomic_file.h"
#include "openworld/runs/run_folder.h"
#include "openworld/runs/threshold_file.h"

namespace openworld {
namespace {

// Predictions with further unknown samples behind them.
struct Samples {
  std::vector<std::int8_t> side;
  std::vector<double> score, fit;
  std::vector<std::uint8_t> correct;

  Outcomes outcomes() const {
    Outcomes o;
    o.side = side;
    o.score = BaseScores::larger_is_base(std::span<const double>(score));
    o.correct = correct;
    return o;
  }
};

Samples with_unknown(const Outcomes& outcomes, std::span<const double> fit,
                     const SampleScores& unknown) {
  Samples all{.side = {outcomes.side.begin(), outcomes.side.end()},
              .score = {},
              .fit = {fit.begin(), fit.end()},
              .correct = {outcomes.correct.begin(), outcomes.correct.end()}};
  for (std::size_t i = 0; i < outcomes.size(); ++i) all.score.push_back(outcomes.score[i]);
  for (std::size_t i = 0; i < unknown.r.size(); ++i) {
    all.side.push_back(static_cast<std::int8_t>(Side::kUnknown));
    all.score.push_back(unknown.r[i]);
    all.fit.push_back(unknown.fit[i]);
    all.correct.push_back(0);
  }
  return all;
}

}  // namespace

ChosenThresholds choose_thresholds(const Predictions& predictions, std::span<const double> fit,
                                   const ThresholdRequest& request, const std::string& source,
                                   std::string_view function) {
  const Samples samples = with_unknown(predictions.outcomes(), fit, request.unknown);
  const Outcomes outcomes = samples.outcomes();
  const RankedScores ranked(outcomes);
  if (ranked.totals().base() == 0) {
    fail(function, fmt::format("{}: no base samples; the guarantee is about them", source));
  }
  ChosenThresholds chosen{guarantee_threshold(Ranking(ranked), request.limit, request.next)};
  if (request.max_unknown && chosen.base.granted()) {
    chosen.unknown = guarantee_unknown(outcomes, samples.fit, chosen.base.threshold,
                                       request.unknown_limit(), request.next);
  }
  return chosen;
}

ChosenThresholds require_thresholds(const std::string& path, const ThresholdRequest& request,
                                    const std::string& source, std::string_view function) {
  const Predictions predictions = load_predictions(path);
  const std::vector<double> fit = request.max_unknown ? load_fit(path) : std::vector<double>();
  ChosenThresholds chosen = choose_thresholds(predictions, fit, request, source, function);
  if (!chosen.base.granted()) fail(function, fmt::format("{}: {}", source, chosen.base.refusal));
  if (chosen.unknown && !chosen.unknown->granted()) {
    fail(function, fmt::format("{}: {}", source, chosen.unknown->refusal));
  }
  return chosen;
}

ChosenThresholds set_run_threshold(const std::string& folder, const ThresholdRequest& request,
                                   std::string_view function) {
  const RunFolder run(folder);
  run.spec(function);
  run.expect_finished(function);
  ChosenThresholds chosen =
      require_thresholds(predictions_path(folder, function), request, folder, function);
  write_file_atomically(run.threshold_file(), threshold_json(chosen, folder).dump(2) + '\n',
                        function);
  return chosen;
}

}  // namespace openworld
