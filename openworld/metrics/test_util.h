#pragma once

// Test data for metrics, and the definitions that fast code is checked against.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "openworld/base/random.h"
#include "openworld/metrics/outcomes.h"

namespace openworld {

// Outcomes that own their arrays.
struct TestSet {
  std::vector<std::int8_t> side;
  std::vector<double> score;
  std::vector<std::uint8_t> correct;
  std::vector<std::uint8_t> overall_correct;
  std::vector<std::int32_t> label;
  std::vector<std::int32_t> predicted;
  std::int32_t base_classes = 0;
  std::int32_t new_classes = 0;

  std::size_t size() const { return side.size(); }
  Outcomes outcomes() const;
  // Appends a sample; predicted and label follow `right` where there are classes.
  void add(Side where, double r, bool right);
};

// How a random test set looks.
struct Shape {
  int base = 20, new_side = 20, unknown = 0;
  int distinct = 0;         // scores take this many values; 0: continuous
  double base_acc = 0.7;    // chance that a base sample is right
  double new_acc = 0.6;     // chance that a new sample is right
  double separation = 1.0;  // of mean scores, in standard deviations; negative: inverted
  int classes = 0;          // classes a side, with labels and predictions; 0: none
};

TestSet random_set(const Shape& shape, std::uint64_t seed);

// The shapes that break rankings: heavy ties, tiny sides, all wrong, all right, inverted.
std::vector<Shape> hard_shapes();

// sum over base samples i and samples j of the open side of f(i, j), rows of the set.
double sum_over_pairs(const TestSet& set, Side open,
                      const std::function<double(std::size_t, std::size_t)>& f);

}  // namespace openworld
