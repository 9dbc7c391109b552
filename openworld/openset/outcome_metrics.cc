#include "openworld/openset/outcome_metrics.h"

#include <fmt/format.h>

namespace openworld {

ImageRanking rank_test(const OpenSetTest& test, std::size_t measure, ErrorKind errors,
                       std::size_t images) {
  std::vector<std::uint8_t> positive;
  std::vector<double> score;
  std::vector<std::uint32_t> image;
  const auto add = [&](std::size_t i, bool is_positive, double value) {
    positive.push_back(is_positive);
    score.push_back(value);
    image.push_back(test.images[i]);
  };
  const auto& closed = test.closed_score[measure];
  const auto& open = test.open_score[measure];
  for (std::size_t i = 0; i < test.images.size(); ++i) {
    if (test.closed[i] == ClosedOutcome::kRight) add(i, true, closed[i]);
  }
  for (std::size_t i = 0; i < test.images.size(); ++i) {
    if (errors == ErrorKind::kOpenSet && test.open[i] == OpenOutcome::kError) {
      add(i, false, open[i]);
    }
    if (errors == ErrorKind::kClosedSet && test.closed[i] == ClosedOutcome::kWrong) {
      add(i, false, closed[i]);
    }
  }
  return ImageRanking(std::move(positive), std::move(score), std::move(image), images);
}

OutcomeCounts count_outcomes(const OpenSetTest& test, double level) {
  OutcomeCounts counts;
  counts.images = static_cast<std::int64_t>(test.images.size());
  counts.tp = test.count(ClosedOutcome::kRight);
  counts.wrong = test.count(ClosedOutcome::kWrong);
  counts.ose = test.count(OpenOutcome::kError);
  counts.rejected = test.count(OpenOutcome::kRejected);
  if (counts.images > 0) {
    counts.accuracy = wilson_proportion(counts.tp, counts.images, level);
    counts.ose_rate = wilson_proportion(counts.ose, counts.images, level);
  }
  return counts;
}

std::vector<MeasureResult> measure_test(const OpenSetTest& test, const OpenSetScores& scores,
                                        ErrorKind errors, const OpenSetCiOptions& options) {
  const auto& measures = scores.plan.measures;
  const std::int32_t left = test.classes + test.extra - (errors == ErrorKind::kOpenSet ? 1 : 0);
  std::vector<MeasureResult> results(measures.size());
  std::vector<ImageRanking> rankings;
  std::vector<std::size_t> ranked;  // the measures that they are of
  for (std::size_t m = 0; m < measures.size(); ++m) {
    results[m].measure = measures[m];
    if (left > 0 && left < measures[m]->queries) {
      for (MeasuredValue& value : results[m].metrics) {
        value.value =
            undefined(fmt::format("needs {} queries, and {} is left", measures[m]->queries, left));
      }
      continue;
    }
    rankings.push_back(rank_test(test, m, errors, scores.images));
    ranked.push_back(m);
  }
  std::vector<MeasuredValues> values = measure_rankings(rankings, errors, options);
  for (std::size_t i = 0; i < ranked.size(); ++i) results[ranked[i]].metrics = std::move(values[i]);
  return results;
}

}  // namespace openworld
