#pragma once

// Pilots to test planning with, and the spread of metrics by drawing.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "openworld/analysis/variance_components.h"
#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/metrics/test_util.h"
#include "openworld/stats/distributions.h"

namespace openworld {

inline const double kZ = normal_quantile(0.975);

inline std::vector<std::string> names_of(std::size_t runs) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < runs; ++i) names.push_back("seed " + std::to_string(i + 1));
  return names;
}

inline VarianceComponents components_of(const std::vector<TestSet>& runs, const char* metric) {
  std::vector<Outcomes> outcomes;
  for (const TestSet& run : runs) outcomes.push_back(run.outcomes());
  return variance_components(outcomes, names_of(runs.size()), find_metric(metric));
}

inline std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline Shape shape(int base, int new_side) {
  return {.base = base, .new_side = new_side, .base_acc = 0.8, .new_acc = 0.65, .separation = 1.2};
}

inline double value_of(const TestSet& set, const char* metric) {
  const RankedScores ranked(set.outcomes());
  return find_metric(metric).row->compute(Ranking(ranked), {}).value;
}

inline double variance_of(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  for (const double x : values) mean += x / static_cast<double>(values.size());
  for (const double x : values) squares += (x - mean) * (x - mean);
  return squares / static_cast<double>(values.size() - 1);
}

// The variances of metrics over test sets of a size, by drawing.
inline std::vector<double> drawn_variances(const std::vector<const char*>& metrics, int base,
                                           int new_side, int draws) {
  std::vector<std::vector<double>> values(metrics.size());
  for (int i = 0; i < draws; ++i) {
    const TestSet set = random_set(shape(base, new_side), 9000 + i);
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      values[m].push_back(value_of(set, metrics[m]));
    }
  }
  std::vector<double> variances;
  for (const auto& of_metric : values) variances.push_back(variance_of(of_metric));
  return variances;
}

// Seeds: score = what is common to all + what a seed adds to every base sample (its level) + what
// it adds to a sample. All seeds of a study see the same samples.
struct SeedWorld {
  double level = 0.25, noise = 0.6;

  std::vector<TestSet> draw(int base, int new_side, int seeds, std::uint64_t number) const {
    std::vector<TestSet> runs;
    for (int s = 0; s < seeds; ++s) {
      Random shared(number), own(number, 1000 + s);
      const double shift = 1 + level * own.normal();
      TestSet set;
      for (int i = 0; i < base + new_side; ++i) {
        const bool is_base = i < base;
        const double score = shared.normal() + noise * own.normal() + (is_base ? shift : 0);
        set.add(is_base ? Side::kBase : Side::kNew, score, shared.uniform() < 0.8);
      }
      runs.push_back(std::move(set));
    }
    return runs;
  }

  double mean(int base, int new_side, int seeds, std::uint64_t number) const {
    double sum = 0;
    for (const TestSet& run : draw(base, new_side, seeds, number)) sum += value_of(run, "auroc");
    return sum / seeds;
  }
};

}  // namespace openworld
