#include "openworld/openset/outcome_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "openworld/metrics/auroc.h"
#include "openworld/metrics/delong.h"
#include "openworld/openset/open_set_report.h"
#include "openworld/openset/test_open_set.h"

namespace openworld {
namespace {

const Origin kOrigin{"openset", "x.npz"};

OpenSetScores scores_of(std::vector<float> logits, const std::vector<std::int32_t>& label,
                        std::int32_t classes, const char* measures = "all") {
  const std::size_t columns = logits.size() / label.size();
  OpenSetPlan plan;
  plan.measures = find_uncertainties(measures, OutputActivation::kSoftmax);
  plan.classes = classes;
  const auto source = stored_logits(matrix_of(std::move(logits), columns), "logits", kOrigin);
  return run_open_set(*source, label, plan, kOrigin);
}

// Logits in which the true class is a little larger.
OpenSetScores random_scores(std::size_t images, std::int32_t classes, std::uint64_t seed,
                            const char* measures = "all") {
  const auto columns = static_cast<std::size_t>(classes);
  auto logits = random_logits<float>(images, columns, 2, seed);
  const auto label = random_labels(images, classes, seed);
  for (std::size_t i = 0; i < images; ++i) logits[i * columns + label[i]] += 4;
  return scores_of(std::move(logits), label, classes, measures);
}

double auroc_of(const ImageRanking& ranking) {
  return auroc(Ranking(ranking.ranked()), {.ties = {}, .open = Side::kUnknown}).value;
}

TEST(OutcomeMetrics, CountsOfASmallTest) {
  // Three images of classes 0, 1, 2; the last is wrong.
  const auto scores = scores_of({3, 1, 0, 1, 2, 0, 5, 1, 2}, {0, 1, 2}, 3);
  const OutcomeCounts counts = count_outcomes(scores.all(), 0.95);
  EXPECT_EQ(counts.images, 3);
  EXPECT_EQ(counts.tp, 2);
  EXPECT_EQ(counts.wrong, 1);
  EXPECT_EQ(counts.ose, 3);
  EXPECT_EQ(counts.rejected, 0);
  EXPECT_DOUBLE_EQ(counts.accuracy->value, 2.0 / 3);
  // Max logit: TPs 3 and 2, OSEs 1, 1, 5: of six pairs four are in order.
  const auto results =
      measure_test(scores.all(), scores, ErrorKind::kOpenSet, {OpenSetCi::kNone, {}});
  const auto at = std::find_if(results.begin(), results.end(),
                               [](const auto& r) { return r.measure->name == "max_logit"; });
  ASSERT_NE(at, results.end());
  EXPECT_DOUBLE_EQ(at->metrics[0].value.value, 4.0 / 6);
}

TEST(OutcomeMetrics, ClusteredVarianceIsThatOfAJackknifeOverImages) {
  const OpenSetScores scores = random_scores(300, 6, 3, "softmax");
  const ImageRanking whole = rank_test(scores.all(), 0, ErrorKind::kOpenSet, scores.images);
  double variance = 0;
  for (const double v : whole.auroc_influence()) variance += v * v;
  double mean = 0;
  std::vector<double> without;
  for (std::size_t left_out = 0; left_out < scores.images; ++left_out) {
    std::vector<std::uint8_t> weights(scores.images, 1), by_rank;
    weights[left_out] = 0;
    whole.weights_by_rank(weights, by_rank);
    without.push_back(
        auroc(Ranking(whole.ranked(), by_rank), {.ties = {}, .open = Side::kUnknown}).value);
    mean += without.back() / static_cast<double>(scores.images);
  }
  double jackknife = 0;
  for (const double value : without) jackknife += (value - mean) * (value - mean);
  const auto n = static_cast<double>(scores.images);
  EXPECT_NEAR(variance * n / (n - 1), jackknife * (n - 1) / n, 0.02 * variance);
}

TEST(OutcomeMetrics, ClusteredVarianceIsDeLongsWhereImagesGiveOneSample) {
  Random random(1);
  std::vector<std::uint8_t> positive;
  std::vector<double> score;
  std::vector<std::uint32_t> image;
  for (std::uint32_t i = 0; i < 400; ++i) {
    positive.push_back(i % 2);
    score.push_back(random.normal() + (i % 2));
    image.push_back(i);
  }
  const ImageRanking ranking(positive, score, image, 400);
  double variance = 0;
  for (const double v : ranking.auroc_influence()) variance += v * v;
  const UStatistic statistic{kAuroc.kernel(Side::kUnknown), *kAuroc.ties};
  const Ranking whole(ranking.ranked());
  const double delong = delong_variances(whole, std::span(&statistic, 1))[0];
  EXPECT_NEAR(variance, delong * 199 / 200, 1e-12);  // DeLong divides by n - 1
}

TEST(OutcomeMetrics, BootstrapIntervalsHoldTheValueAndDependOnTheSeedAlone) {
  const OpenSetScores scores = random_scores(400, 8, 5, "softmax,entropy");
  OpenSetCiOptions options{OpenSetCi::kBootstrap, {}};
  options.bootstrap.resamples = 200;
  options.bootstrap.threads = 1;
  const auto one = measure_test(scores.all(), scores, ErrorKind::kOpenSet, options);
  options.bootstrap.threads = 2;
  const auto two = measure_test(scores.all(), scores, ErrorKind::kOpenSet, options);
  for (std::size_t m = 0; m < one.size(); ++m) {
    for (std::size_t k = 0; k < 3; ++k) {
      const MeasuredValue& metric = one[m].metrics[k];
      ASSERT_TRUE(metric.interval) << k << metric.no_interval;
      EXPECT_LT(metric.interval->low, metric.value.value);
      EXPECT_GT(metric.interval->high, metric.value.value);
      EXPECT_EQ(metric.interval->low, two[m].metrics[k].interval->low);
    }
  }
  // The closed form agrees with it.
  const auto closed = measure_test(scores.all(), scores, ErrorKind::kOpenSet,
                                   {OpenSetCi::kAuto, options.bootstrap});
  const Interval a = *one[0].metrics[0].interval, b = *closed[0].metrics[0].interval;
  EXPECT_EQ(b.method, "delong_clustered");
  EXPECT_NEAR(a.high - a.low, b.high - b.low, 0.25 * (b.high - b.low));
}

TEST(OutcomeMetrics, UndefinedSaysWhy) {
  const auto reason = [](const OpenSetScores& scores, ErrorKind errors, std::size_t measure = 0) {
    return measure_test(scores.all(), scores, errors, {})[measure].metrics[0].value.why;
  };
  // One class: nothing is left to choose.
  EXPECT_EQ(reason(scores_of({1, 2}, {0, 0}, 1), ErrorKind::kOpenSet), "no open-set error is left");
  // A negative query wins everywhere.
  const auto rejected = scores_of({1, 2, 9, 2, 1, 9}, {0, 1}, 2);
  EXPECT_EQ(reason(rejected, ErrorKind::kOpenSet), "no true positive is left");
  // Every answer right, and open-set errors caught.
  const auto caught = scores_of({9, 1, 5, 1, 9, 5}, {0, 1}, 2);
  EXPECT_EQ(reason(caught, ErrorKind::kOpenSet), "no open-set error is left");
  EXPECT_EQ(reason(caught, ErrorKind::kClosedSet), "no closed-set error is left");
  // A margin of logits needs two of them.
  const auto two = scores_of({2, 1, 1, 2}, {0, 1}, 2, "logit_margin");
  EXPECT_EQ(reason(two, ErrorKind::kOpenSet), "needs 2 queries, and 1 is left");
}

TEST(OutcomeMetrics, PairedTests) {
  const OpenSetScores scores = random_scores(500, 8, 9, "softmax,cosine,max_logit,entropy");
  OpenSetCiOptions options;
  options.bootstrap.resamples = 100;
  const auto ranking = [&](std::size_t m) {
    return rank_test(scores.all(), m, ErrorKind::kOpenSet, scores.images);
  };
  const auto same = compare_rankings(ranking(1), ranking(2), options);
  EXPECT_EQ(same[0].difference, 0);
  EXPECT_EQ(same[0].p_value, 1);
  EXPECT_EQ(same[0].why, "both rank alike");
  const auto forth = compare_rankings(ranking(0), ranking(1), options);
  const auto back = compare_rankings(ranking(1), ranking(0), options);
  EXPECT_DOUBLE_EQ(forth[0].difference, auroc_of(ranking(1)) - auroc_of(ranking(0)));
  EXPECT_DOUBLE_EQ(forth[0].difference, -back[0].difference);
  ASSERT_TRUE(forth[0].p_value && back[0].p_value);
  EXPECT_DOUBLE_EQ(*forth[0].p_value, *back[0].p_value);
  ASSERT_TRUE(forth[1].interval);
  EXPECT_EQ(forth[1].test, "bootstrap");
  auto pairs = compare_measures(scores, 0, options);
  adjust_pairs(pairs);
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[0].second, "cosine");
  EXPECT_GE(*pairs[0].p_holm[0], *pairs[0].metrics[0].p_value);
}

TEST(OutcomeMetrics, TwoModelsMayDifferInWhichImagesAreRight) {
  // The same model with noise; the first is better, so the difference is negative.
  auto logits = random_logits<float>(600, 6, 2, 1);
  const auto label = random_labels(600, 6, 1);
  for (std::size_t i = 0; i < 600; ++i) logits[i * 6 + label[i]] += 5;
  auto noisy = logits;
  Random random(2);
  for (float& z : noisy) z += static_cast<float>(4 * random.normal());
  const auto a = scores_of(logits, label, 6, "softmax"), b = scores_of(noisy, label, 6, "softmax");
  EXPECT_NE(a.all().count(ClosedOutcome::kRight), b.all().count(ClosedOutcome::kRight));
  const auto result = compare_rankings(rank_test(a.all(), 0, ErrorKind::kOpenSet, 600),
                                       rank_test(b.all(), 0, ErrorKind::kOpenSet, 600), {});
  EXPECT_LT(result[0].difference, 0);
  EXPECT_LT(*result[0].p_value, 0.01);
}

TEST(Uncertainty, NamesAreChecked) {
  EXPECT_EQ(find_uncertainties("published", OutputActivation::kSoftmax).size(), 3u);
  EXPECT_EQ(find_uncertainties("published", OutputActivation::kSigmoid).size(), 2u);
  EXPECT_EQ(find_uncertainties("softmax, softmax", OutputActivation::kSoftmax).size(), 1u);
  const auto refused = [](const char* names, OutputActivation activation, const char* says) {
    try {
      find_uncertainties(names, activation);
      FAIL() << names;
    } catch (const std::exception& e) {
      EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
    }
  };
  refused("entropi", OutputActivation::kSoftmax, "did you mean entropy?");
  refused("entropy", OutputActivation::kSigmoid, "not defined for sigmoid models");
  refused("", OutputActivation::kSoftmax, "no measure named");
}

}  // namespace
}  // namespace openworld
