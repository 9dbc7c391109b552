// Do 95 % intervals cover the truth 95 % of the time? On models whose truth is known in closed
// form.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "openworld/base/error.h"
#include "openworld/metrics/delong.h"
#include "openworld/metrics/evaluate.h"
#include "openworld/metrics/test_util.h"
#include "openworld/stats/distributions.h"

namespace openworld {
namespace {

struct World {
  std::function<TestSet(std::uint64_t seed)> draw;
  double auroc, open_auc, openworld_auc;
};

// Normal scores, classes right by chance: AUROC = Phi(d / sqrt 2), the others that times
// accuracies.
World independent(int base, int new_side) {
  const double d = 1.2, pb = 0.8, pn = 0.65, auroc = normal_cdf(d / std::sqrt(2.0));
  const Shape shape{
      .base = base, .new_side = new_side, .base_acc = pb, .new_acc = pn, .separation = d};
  return {[shape](std::uint64_t seed) { return random_set(shape, seed); }, auroc, pb * auroc,
          pb * pn * auroc};
}

// Right and wrong depend on the score, as they do in real models: r_b = U, right above 0.2;
// r_n = U^2, right below 0.8. Then P(r_n < x) = sqrt(x) and the rest are integrals of it.
World dependent(int base, int new_side) {
  const auto integral = [](double a, double b) {
    return (std::pow(b, 1.5) - std::pow(a, 1.5)) / 1.5;
  };
  const auto draw = [=](std::uint64_t seed) {
    Random random(seed, 77);
    TestSet set;
    for (int i = 0; i < base; ++i) {
      const double r = random.uniform();
      set.add(Side::kBase, r, r > 0.2);
    }
    for (int i = 0; i < new_side; ++i) {
      const double r = std::pow(random.uniform(), 2);
      set.add(Side::kNew, r, r < 0.8);
    }
    return set;
  };
  return {draw, integral(0, 1), integral(0.2, 1), integral(0.2, 0.8) + 0.2 * std::sqrt(0.8)};
}

void expect_coverage(const World& world, const EvalOptions& options, int repetitions) {
  const auto requests = find_metrics("auroc,open_auc,openworld_auc");
  const double truth[] = {world.auroc, world.open_auc, world.openworld_auc};
  int covered[3] = {};
  for (int i = 0; i < repetitions; ++i) {
    const TestSet set = world.draw(1000 + i);
    EvalOptions mine = options;
    mine.bootstrap.seed = i;
    const Evaluation evaluation = evaluate(set.outcomes(), requests, mine);
    for (int m = 0; m < 3; ++m) {
      const auto& interval = evaluation.metrics[m].interval;
      ASSERT_TRUE(interval) << evaluation.metrics[m].no_interval;
      covered[m] += interval->low <= truth[m] && truth[m] <= interval->high;
    }
  }
  for (int m = 0; m < 3; ++m) {
    const double coverage = static_cast<double>(covered[m]) / repetitions;
    EXPECT_GE(coverage, 0.93) << requests[m].name;
    EXPECT_LE(coverage, 0.97) << requests[m].name;
  }
}

EvalOptions bootstrap_options(BootstrapKind kind) {
  EvalOptions options{.ci = Ci::kBootstrap};
  options.bootstrap.kind = kind;
  options.bootstrap.resamples = 400;
  options.bootstrap.threads = 1;
  return options;
}

TEST(Coverage, Delong) {
  EvalOptions options;
  options.bootstrap.threads = 1;
  expect_coverage(independent(150, 100), options, 4000);
  expect_coverage(dependent(100, 150), options, 4000);
}

TEST(Coverage, BootstrapPercentile) {
  expect_coverage(independent(150, 100), bootstrap_options(BootstrapKind::kPercentile), 1200);
  expect_coverage(dependent(100, 150), bootstrap_options(BootstrapKind::kPercentile), 1200);
}

TEST(Coverage, BootstrapBca) {
  expect_coverage(independent(150, 100), bootstrap_options(BootstrapKind::kBca), 1200);
  expect_coverage(dependent(100, 150), bootstrap_options(BootstrapKind::kBca), 1200);
}

// Two independent ways to the same spread.
TEST(Bootstrap, StandardErrorAgreesWithDelong) {
  const TestSet set = dependent(800, 600).draw(5);
  const auto requests = find_metrics("openworld_auc");
  const RankedScores ranked(set.outcomes());
  const Statistic statistic = [&](const Ranking& r) {
    return requests[0].row->compute(r, {}).value;
  };
  const auto result = bootstrap(ranked, {&statistic, 1}, {.resamples = 4000})[0];
  const UStatistic u{requests[0].row->kernel(Side::kNew), Ties::kStrict};
  const double delong = std::sqrt(delong_variances(Ranking(ranked), {&u, 1})[0]);
  EXPECT_NEAR(result.standard_error / delong, 1, 0.05);
}

TEST(Bootstrap, ThreadsChangeNoBit) {
  const TestSet set = random_set({.base = 200, .new_side = 150, .unknown = 50, .distinct = 30}, 3);
  const auto requests = find_metrics("standard");
  const auto run = [&](int threads) {
    EvalOptions options{.ci = Ci::kBootstrap};
    options.bootstrap.threads = threads;
    options.bootstrap.resamples = 200;
    return evaluate(set.outcomes(), requests, options);
  };
  const Evaluation one = run(1), two = run(2), five = run(5);
  for (std::size_t m = 0; m < requests.size(); ++m) {
    for (const Evaluation* other : {&two, &five}) {
      EXPECT_EQ(one.metrics[m].value.value, other->metrics[m].value.value);
      ASSERT_TRUE(one.metrics[m].interval) << requests[m].name;
      EXPECT_EQ(one.metrics[m].interval->low, other->metrics[m].interval->low);
      EXPECT_EQ(one.metrics[m].interval->high, other->metrics[m].interval->high);
    }
  }
}

TEST(Bootstrap, RefusesTooFewResamples) {
  const TestSet set = random_set({}, 3);
  EvalOptions options{.ci = Ci::kBootstrap};
  options.bootstrap.resamples = 1;
  EXPECT_THROW(evaluate(set.outcomes(), find_metrics("auroc"), options), Error);
}

}  // namespace
}  // namespace openworld
