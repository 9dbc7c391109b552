#include "openworld/metrics/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "openworld/base/error.h"
#include "openworld/metrics/accumulator.h"
#include "openworld/metrics/test_util.h"

namespace openworld {
namespace {

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Table, NamesAndAliasesAreUniqueAndFound) {
  std::set<std::string> seen;
  for (const MetricRow* row : metric_table()) {
    const std::string name = metric_name(row->info, row->info.params);
    EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_EQ(find_metric(name).row, row);
    EXPECT_EQ(find_metric(name).name, name);
    EXPECT_FALSE(row->info.brief.empty() || row->info.citation.empty() || row->info.title.empty())
        << name;
    EXPECT_FALSE(row->info.brief.ends_with('.')) << name;
  }
  EXPECT_EQ(find_metric("owauc").name, "openworld_auc");
  EXPECT_EQ(find_metric("fpr95").name, "fpr_at_95tpr");
}

TEST(Table, ParametersAreReadFromTheName) {
  const MetricRequest request = find_metric("fpr_at_92.5tpr");
  EXPECT_EQ(request.name, "fpr_at_92.5tpr");
  EXPECT_DOUBLE_EQ(request.params[0], 0.925);
  EXPECT_EQ(error_of([] { find_metric("fpr_at_120tpr"); }).substr(0, 9), "[metrics]");
}

TEST(Table, SuggestsTheNearestName) {
  EXPECT_NE(error_of([] { find_metric("aurok"); }).find("did you mean auroc?"), std::string::npos);
  EXPECT_NE(error_of([] { find_metrics(""); }), "");
}

TEST(Evaluate, EveryMetricOfTheTableRunsOnEveryShape) {
  for (const Shape& shape : hard_shapes()) {
    const TestSet set = random_set(shape, 4);
    const Evaluation evaluation = evaluate(set.outcomes(), find_metrics("all"));
    for (const MetricResult& m : evaluation.metrics) {
      if (!m.value.defined()) {
        EXPECT_TRUE(std::isnan(m.value.value)) << m.request.name;
        continue;
      }
      EXPECT_GE(m.value.value, m.request.row->info.name == "youden_j" ? -1 : 0) << m.request.name;
      if (!m.request.row->info.is_count) {
        EXPECT_LE(m.value.value, 1 + 1e-12) << m.request.name;
      }
      if (!m.interval) {
        EXPECT_FALSE(m.no_interval.empty()) << m.request.name;
        continue;
      }
      EXPECT_LE(m.interval->low, m.value.value + 1e-12) << m.request.name;
      EXPECT_GE(m.interval->high, m.value.value - 1e-12) << m.request.name;
    }
  }
}

// Each metric alone equals the metric among all: nothing leaks between them.
TEST(Evaluate, MetricsDoNotDependOnTheirCompany) {
  const TestSet set =
      random_set({.base = 60, .new_side = 50, .unknown = 40, .distinct = 9, .classes = 3}, 4);
  const Evaluation all = evaluate(set.outcomes(), find_metrics("all"));
  for (const MetricResult& m : all.metrics) {
    const Evaluation one = evaluate(set.outcomes(), std::span(&m.request, 1));
    EXPECT_EQ(one.metrics[0].value.why, m.value.why) << m.request.name;
    if (!m.value.defined()) continue;
    EXPECT_EQ(one.metrics[0].value.value, m.value.value) << m.request.name;
  }
}

TEST(Evaluate, RefusesBadOutcomesByRow) {
  const auto message = [](const std::function<void(TestSet&)>& spoil) {
    TestSet set = random_set({.base = 5, .new_side = 5, .classes = 3}, 1);
    spoil(set);
    return error_of([&] { evaluate(set.outcomes(), find_metrics("auroc")); });
  };
  EXPECT_EQ(message([](TestSet& s) { s.score[3] = NAN; }),
            "[outcomes] score[3] is NaN; scores must be finite");
  EXPECT_EQ(message([](TestSet& s) { s.score[9] = -INFINITY; }),
            "[outcomes] score[9] is -inf; scores must be finite");
  EXPECT_EQ(message([](TestSet& s) { s.side[2] = 2; }),
            "[outcomes] side[2] is 2; expected 0 (base), 1 (new) or -1 (unknown)");
  EXPECT_EQ(message([](TestSet& s) { s.correct[4] = 7; }),
            "[outcomes] correct[4] is 7; expected 0 or 1");
  EXPECT_EQ(message([](TestSet& s) { s.score.pop_back(); }),
            "[outcomes] score has 9 rows; expected 10, one per row of side");
  EXPECT_EQ(message([](TestSet& s) { s.label[0] = 3; }),
            "[outcomes] label[0] is 3; expected 0 to 2, an index into the base names");
  EXPECT_EQ(message([](TestSet& s) { s.label[7] = -1; }),
            "[outcomes] label[7] is -1; expected 0 to 2, an index into the new names");
  EXPECT_EQ(message([](TestSet& s) { s.predicted[1] = 5; }),
            "[outcomes] predicted[1] is 5; expected 0 to 2, an index into the base names");
  EXPECT_EQ(message([](TestSet& s) { s = {}; }),
            "[outcomes] no samples; expected at least one row");
}

TEST(Evaluate, RefusesABadLevel) {
  const TestSet set = random_set({}, 1);
  EvalOptions options;
  options.bootstrap.level = 95;
  EXPECT_EQ(error_of([&] { evaluate(set.outcomes(), find_metrics("auroc"), options); }),
            "[evaluate] level is 95; expected a number between 0 and 1");
}

TEST(Accumulator, ShardsInAnyOrderEqualOneShot) {
  const TestSet set =
      random_set({.base = 60, .new_side = 50, .unknown = 40, .distinct = 9, .classes = 3}, 4);
  const Evaluation whole = evaluate(set.outcomes(), find_metrics("all"));
  Accumulator parts[3];
  for (std::size_t begin = 0, k = 0; begin < set.size(); begin += 17, ++k) {
    const std::size_t n = std::min<std::size_t>(17, set.size() - begin);
    Outcomes shard = set.outcomes();
    shard.side = shard.side.subspan(begin, n);
    shard.score = BaseScores::larger_is_base(std::span<const double>(set.score).subspan(begin, n));
    shard.correct = shard.correct.subspan(begin, n);
    shard.overall_correct = shard.overall_correct.subspan(begin, n);
    shard.label = shard.label.subspan(begin, n);
    shard.predicted = shard.predicted.subspan(begin, n);
    parts[k % 3].update(shard);
  }
  parts[2].merge(parts[0]);
  parts[2].merge(parts[1]);
  const Evaluation merged = parts[2].compute(find_metrics("all"));
  ASSERT_EQ(merged.metrics.size(), whole.metrics.size());
  for (std::size_t m = 0; m < whole.metrics.size(); ++m) {
    EXPECT_EQ(merged.metrics[m].value.why, whole.metrics[m].value.why);
    if (!whole.metrics[m].value.defined()) continue;
    EXPECT_EQ(merged.metrics[m].value.value, whole.metrics[m].value.value);
    ASSERT_EQ(bool(merged.metrics[m].interval), bool(whole.metrics[m].interval));
    if (!whole.metrics[m].interval) continue;
    EXPECT_EQ(merged.metrics[m].interval->low, whole.metrics[m].interval->low);
  }
}

TEST(Accumulator, WidensOnceADoubleArrives) {
  const float narrow[] = {0.1f, 0.2f};
  const std::int8_t side[] = {0, 1};
  const std::uint8_t correct[] = {1, 1};
  Outcomes batch;
  batch.side = side;
  batch.score = BaseScores::larger_is_base(std::span<const float>(narrow));
  batch.correct = correct;
  Accumulator accumulator;
  accumulator.update(batch);
  const double wide[] = {0.1, 0.2};
  batch.score = BaseScores::larger_is_base(std::span<const double>(wide));
  accumulator.update(batch);
  accumulator.merge(accumulator);
  EXPECT_EQ(accumulator.size(), 8u);
  EXPECT_EQ(accumulator.outcomes().score[0], double{0.1f});
  EXPECT_EQ(accumulator.outcomes().score[2], 0.1);
  accumulator.reset();
  EXPECT_EQ(accumulator.size(), 0u);
  EXPECT_NE(error_of([&] { accumulator.compute(find_metrics("auroc")); }), "");
}

TEST(Accumulator, RefusesABatchWithoutWhatTheOthersHad) {
  const TestSet with = random_set({.classes = 3}, 1);
  TestSet without = with;
  without.label.clear();
  without.predicted.clear();
  Accumulator accumulator;
  accumulator.update(with.outcomes());
  EXPECT_EQ(error_of([&] { accumulator.update(without.outcomes()); }),
            "[accumulator] label is missing in this batch but was given before; pass it in every "
            "batch or in none");
  EXPECT_EQ(accumulator.size(), with.size());
}

}  // namespace
}  // namespace openworld
