#include "openworld/analysis/compare_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "openworld/analysis/compare.h"
#include "openworld/base/error.h"
#include "openworld/metrics/test_util.h"

namespace openworld {
namespace {

// How runs are made up: what a sample is like is shared by all runs on a dataset, what a seed does
// by all samples of a run.
struct World {
  int methods = 2, datasets = 2, seeds = 3, side = 60;
  double gap = 0;          // lift of every method over the one before
  double seed_effect = 0;  // standard deviation of what a seed adds to the lift
};

struct Made {
  std::vector<std::vector<std::vector<TestSet>>> sets;  // [method][dataset][seed]

  RunSet runs() const {
    RunSet set;
    for (std::size_t d = 0; d < sets[0].size(); ++d) {
      set.datasets.push_back(std::string("data") + static_cast<char>('A' + d));
    }
    for (std::size_t m = 0; m < sets.size(); ++m) {
      set.methods.push_back({.name = std::string("method") + static_cast<char>('A' + m)});
      for (std::size_t d = 0; d < sets[m].size(); ++d) {
        for (std::size_t s = 0; s < sets[m][d].size(); ++s) {
          set.methods[m].runs.push_back(
              {.dataset = d, .seed = s + 1, .outcomes = sets[m][d][s].outcomes()});
        }
      }
    }
    return set;
  }
};

Made make(const World& world, std::uint64_t seed) {
  Made made;
  made.sets.resize(world.methods, std::vector<std::vector<TestSet>>(world.datasets));
  for (int d = 0; d < world.datasets; ++d) {
    for (int m = 0; m < world.methods; ++m) {
      for (int s = 0; s < world.seeds; ++s) {
        Random common(seed, d), own(seed, 1000 + 100 * d + 10 * m + s);
        const double lift = 1 + m * world.gap + world.seed_effect * own.normal();
        TestSet set;
        for (int i = 0; i < 2 * world.side; ++i) {
          const Side side = i < world.side ? Side::kBase : Side::kNew;
          const double r = common.normal() + (side == Side::kBase ? lift : 0);
          const bool easy = common.uniform() < 0.6;
          set.add(side, r + 0.4 * own.normal(), easy || own.uniform() < 0.4);
          set.overall_correct.push_back(set.correct.back());
        }
        made.sets[m][d].push_back(std::move(set));
      }
    }
  }
  return made;
}

EvalOptions resampled(int resamples, std::uint64_t seed = 0) {
  EvalOptions options;
  options.bootstrap.resamples = resamples;
  options.bootstrap.seed = seed;
  return options;
}

TEST(CompareRuns, AveragesOverSeedsThenDatasets) {
  Made made = make({.methods = 2, .datasets = 2, .seeds = 2}, 1);
  RunSet runs = made.runs();
  std::erase_if(runs.methods[0].runs, [](const auto& r) { return r.dataset == 1 && r.seed == 2; });
  std::erase_if(runs.methods[1].runs, [](const auto& r) { return r.dataset == 1 && r.seed == 2; });
  const auto requests = find_metrics("auroc,base_acc");
  const auto result = compare_runs(runs, requests, 0, {.ci = Ci::kNone});
  EXPECT_EQ(result.seeds, (std::vector<std::vector<std::uint64_t>>{{1, 2}, {1}}));
  for (std::size_t m = 0; m < 2; ++m) {
    for (std::size_t k = 0; k < 2; ++k) {
      const auto value = [&](std::size_t d, std::size_t s) {
        return evaluate(made.sets[m][d][s].outcomes(), requests).metrics[k].value.value;
      };
      const RunMetric& metric = result.values[m][k];
      EXPECT_DOUBLE_EQ(metric.by_dataset[0].value, (value(0, 0) + value(0, 1)) / 2);
      EXPECT_DOUBLE_EQ(metric.by_dataset[1].value, value(1, 0));
      EXPECT_DOUBLE_EQ(metric.mean.value, (value(0, 0) + value(0, 1)) / 4 + value(1, 0) / 2);
      EXPECT_EQ(metric.by_run[0][1], value(0, 1));
      EXPECT_FALSE(metric.mean.interval);
    }
  }
  EXPECT_DOUBLE_EQ(result.differences[1][0].mean.value,
                   result.values[1][0].mean.value - result.values[0][0].mean.value);
  EXPECT_TRUE(result.differences[0].empty());
}

// The mean AUROC difference over datasets of one resample, drawn and computed as the header says.
double naive_difference(const Made& made, Random& random) {
  double total = 0;
  for (std::size_t d = 0; d < made.sets[0].size(); ++d) {
    const std::size_t seeds = made.sets[0][d].size(), side = made.sets[0][d][0].size() / 2;
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < 2 * side; ++i) rows.push_back(random.below(side) + i / side * side);
    for (std::size_t draw = 0; draw < std::max<std::size_t>(1, seeds - 1); ++draw) {
      const std::size_t s = random.below(seeds);
      for (std::size_t m = 0; m < 2; ++m) {
        const auto& score = made.sets[m][d][s].score;
        double won = 0;
        for (std::size_t i = 0; i < side; ++i) {
          for (std::size_t j = side; j < 2 * side; ++j) won += score[rows[i]] > score[rows[j]];
        }
        total += (m == 1 ? won : -won) / static_cast<double>(side * side) /
                 static_cast<double>(std::max<std::size_t>(1, seeds - 1) * made.sets[0].size());
      }
    }
  }
  return total;
}

TEST(CompareRuns, AgreesWithANaiveBootstrap) {
  for (const int seeds : {1, 2, 3}) {
    const Made made =
        make({.datasets = 2, .seeds = seeds, .side = 40, .gap = 0.3, .seed_effect = 0.3}, 4);
    std::vector<double> naive;
    Random random(9);
    for (int i = 0; i < 3000; ++i) naive.push_back(naive_difference(made, random));
    std::sort(naive.begin(), naive.end());
    const auto result = compare_runs(made.runs(), find_metrics("auroc"), 0, resampled(3000));
    const RunMean& difference = result.differences[1][0].mean;
    // The Monte Carlo error of a 2.5 % point of 3000 draws is about 5 % of the width.
    const double width = naive[2924] - naive[75];
    EXPECT_NEAR(difference.interval->low, naive[75], 0.1 * width) << seeds;
    EXPECT_NEAR(difference.interval->high, naive[2924], 0.1 * width) << seeds;
    EXPECT_EQ(difference.interval->method, "two_way_bootstrap");
  }
}

TEST(CompareRuns, SwappingMethodsNegates) {
  const Made made = make({.datasets = 3, .gap = 0.2, .seed_effect = 0.1}, 5);
  const RunSet runs = made.runs();
  const auto requests = find_metrics("auroc,hm,openworld_auc");
  const auto a = compare_runs(runs, requests, 0, resampled(200));
  const auto b = compare_runs(runs, requests, 1, resampled(200));
  for (std::size_t k = 0; k < requests.size(); ++k) {
    const RunMetric &up = a.differences[1][k], &down = b.differences[0][k];
    EXPECT_EQ(up.mean.value, -down.mean.value);
    EXPECT_NEAR(up.mean.interval->low, -down.mean.interval->high, 1e-14);
    EXPECT_NEAR(up.mean.interval->high, -down.mean.interval->low, 1e-14);
    EXPECT_EQ(up.mean.p_value, down.mean.p_value);
    EXPECT_EQ(up.by_dataset[2].value, -down.by_dataset[2].value);
    EXPECT_NEAR(up.over_datasets->low, -down.over_datasets->high, 1e-14);
    EXPECT_EQ(up.p_over_datasets, down.p_over_datasets);
    EXPECT_EQ(a.values[0][k].mean.interval->low, b.values[0][k].mean.interval->low);
  }
}

TEST(CompareRuns, AMethodDoesNotDifferFromItself) {
  Made made = make({.seed_effect = 0.2}, 6);
  made.sets[1] = made.sets[0];
  const auto result = compare_runs(made.runs(), find_metrics("auroc,base_acc"), 0, resampled(100));
  for (const RunMetric& metric : result.differences[1]) {
    EXPECT_EQ(metric.mean.value, 0);
    EXPECT_EQ(metric.mean.p_value, 1);
    EXPECT_FALSE(metric.mean.interval);
    EXPECT_EQ(metric.mean.no_interval, "every resample gave the same value");
    EXPECT_EQ(metric.by_dataset[1].p_value, 1);
  }
}

TEST(CompareRuns, DoesNotDependOnThreads) {
  const Made made = make({.methods = 3, .seed_effect = 0.2}, 7);
  EvalOptions one = resampled(150, 3), four = one;
  one.bootstrap.threads = 1;
  four.bootstrap.threads = 4;
  const auto requests = find_metrics("openworld_auc");
  const auto a = compare_runs(made.runs(), requests, 0, one);
  const auto b = compare_runs(made.runs(), requests, 0, four);
  const auto other = compare_runs(made.runs(), requests, 0, resampled(150, 4));
  for (const std::size_t m : {1, 2}) {
    const Interval mine = *a.differences[m][0].mean.interval;
    EXPECT_EQ(mine.low, b.differences[m][0].mean.interval->low);
    EXPECT_EQ(mine.high, b.differences[m][0].mean.interval->high);
    EXPECT_NE(mine.low, other.differences[m][0].mean.interval->low);
  }
}

// Without a difference, 95 % intervals hold zero at least about 95 times in a hundred (the method
// errs to the wide side) and p-values are small no more often than they should be; with one, it is
// found.
TEST(CompareRuns, CoversAndHasPower) {
  const auto requests = find_metrics("auroc");
  const int repetitions = 200;
  int covered = 0, rejected = 0, found = 0;
  for (int i = 0; i < repetitions; ++i) {
    const World world{.datasets = 2, .seeds = 4, .side = 60, .seed_effect = 0.05};
    const auto null = compare_runs(make(world, 100 + i).runs(), requests, 0, resampled(200, i));
    const RunMean& mean = null.differences[1][0].mean;
    covered += mean.interval->low <= 0 && mean.interval->high >= 0;
    rejected += *mean.p_value < 0.05;
    World lifted = world;
    lifted.gap = 0.3;
    const auto real = compare_runs(make(lifted, 100 + i).runs(), requests, 0, resampled(200, i));
    found += *real.differences[1][0].mean.p_value < 0.05;
  }
  EXPECT_GE(covered, 0.92 * repetitions);
  EXPECT_LE(rejected, 0.08 * repetitions);
  EXPECT_GE(found, 0.9 * repetitions);
}

// Seeds that differ make the interval wider: it speaks of other seeds too.
TEST(CompareRuns, SeedsWiden) {
  const auto width = [](double effect) {
    const Made made = make({.seeds = 4, .seed_effect = effect}, 8);
    const auto result = compare_runs(made.runs(), find_metrics("auroc"), 0, resampled(500));
    const Interval& interval = *result.differences[1][0].mean.interval;
    return interval.high - interval.low;
  };
  EXPECT_GT(width(0.8), 1.5 * width(0));
}

// Differences 1, 2, 3 over datasets: mean 2, standard error 1 / sqrt(3), t_{0.975, 2} = 4.302653
// (Student's table); p = 2 P(T_2 > 2 sqrt(3)) = 0.074180.
TEST(CompareRuns, StudentOverDatasets) {
  Made made;
  made.sets.resize(2, std::vector<std::vector<TestSet>>(3));
  for (int m = 0; m < 2; ++m) {
    for (int d = 0; d < 3; ++d) {
      TestSet set;
      for (int i = 0; i < 10; ++i) set.add(Side::kBase, i, i < 5 + m * (d + 1));
      made.sets[m][d] = {set};
    }
  }
  const auto metric =
      compare_runs(made.runs(), find_metrics("base_acc"), 0, resampled(50)).differences[1][0];
  EXPECT_NEAR(metric.mean.value, 0.2, 1e-15);
  EXPECT_NEAR(metric.over_datasets->low, 0.2 - 0.4302653 / std::sqrt(3.0), 1e-7);
  EXPECT_NEAR(metric.over_datasets->high, 0.2 + 0.4302653 / std::sqrt(3.0), 1e-7);
  EXPECT_EQ(metric.over_datasets->method, "student_t");
  EXPECT_NEAR(*metric.p_over_datasets, 0.0741799, 1e-6);
}

TEST(CompareRuns, SaysWhatIsUndefined) {
  Made made = make({.datasets = 1, .seeds = 1}, 2);
  for (auto& method : made.sets) {
    TestSet base;
    for (int i = 0; i < 5; ++i) base.add(Side::kBase, i, true);
    method[0][0] = base;
  }
  const auto result = compare_runs(made.runs(), find_metrics("auroc"), 0, resampled(20));
  EXPECT_FALSE(result.values[0][0].mean.defined());
  EXPECT_TRUE(result.values[0][0].mean.why.starts_with("methodA on dataA with seed 1: "));
  EXPECT_FALSE(result.differences[1][0].mean.defined());
  EXPECT_FALSE(result.differences[1][0].mean.p_value);
}

std::string refusal(const RunSet& runs, std::size_t reference = 0, const EvalOptions& o = {}) {
  try {
    compare_runs(runs, find_metrics("auroc"), reference, o);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(CompareRuns, RefusesWhatDoesNotPair) {
  const Made made = make({}, 3);
  const RunSet runs = made.runs();
  RunSet twice = runs;
  twice.methods[0].runs.push_back(runs.methods[0].runs[1]);
  EXPECT_EQ(refusal(twice),
            "[compare_runs] methodA on dataA with seed 2 appears twice; expected one run of each");
  RunSet missing = runs;
  missing.methods[0].runs.pop_back();
  EXPECT_EQ(refusal(missing),
            "[compare_runs] methodA on dataB with seed 3 is missing, while methodB has that run; "
            "expected the same datasets and seeds for all methods");
  Made moved = made;
  moved.sets[1][1][2].side[7] = 1;
  EXPECT_EQ(refusal(moved.runs()),
            "[compare_runs] side[7] is 0 in methodA on dataB with seed 1 and 1 in methodB on dataB "
            "with seed 3; expected the same samples in the same order");
  Made shorter = made;
  shorter.sets[0][0][1] = random_set({.base = 3, .new_side = 3}, 1);
  EXPECT_EQ(refusal(shorter.runs()),
            "[compare_runs] methodA on dataA with seed 1 has 120 samples and methodA on dataA with "
            "seed 2 6; expected the same samples in the same order");
  RunSet beyond = runs;
  beyond.methods[1].runs[0].dataset = 2;
  EXPECT_EQ(refusal(beyond), "[compare_runs] methodB has a run on dataset 2; there are 2");
  RunSet unused = runs;
  unused.datasets.push_back("dataC");
  EXPECT_EQ(refusal(unused), "[compare_runs] no runs on dataC; expected one or more");
  EXPECT_EQ(refusal({}), "[compare_runs] no runs; expected one or more");
  EXPECT_EQ(refusal(runs, 2), "[compare_runs] reference is method 2; there are 2");
  EXPECT_EQ(refusal(runs, 0, resampled(1)), "[compare_runs] 1 resamples; expected at least 2");
  EvalOptions sure;
  sure.bootstrap.level = 1;
  EXPECT_EQ(refusal(runs, 0, sure), "[compare_runs] level is 1; expected a number between 0 and 1");
}

}  // namespace
}  // namespace openworld
