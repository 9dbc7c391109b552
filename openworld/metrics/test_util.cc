#include <cmath>

#include "openworld/metrics/test_util.h"

namespace openworld {

Outcomes TestSet::outcomes() const {
  Outcomes o;
  o.side = side;
  o.score = BaseScores::larger_is_base(std::span<const double>(score));
  o.correct = correct;
  o.overall_correct = overall_correct;
  o.label = label;
  o.predicted = predicted;
  o.base_classes = base_classes;
  o.new_classes = new_classes;
  return o;
}

void TestSet::add(Side where, double r, bool right) {
  side.push_back(static_cast<std::int8_t>(where));
  score.push_back(r);
  correct.push_back(where != Side::kUnknown && right);
}

TestSet random_set(const Shape& shape, std::uint64_t seed) {
  Random random(seed);
  TestSet set;
  set.base_classes = set.new_classes = shape.classes;
  const auto add = [&](Side side, int count, double shift, double accuracy) {
    for (int i = 0; i < count; ++i) {
      double r = random.normal() + shift;
      if (shape.distinct > 0) r = std::floor(r * shape.distinct / 4);
      set.add(side, r, random.uniform() < accuracy);
      set.overall_correct.push_back(set.correct.back() && random.uniform() < 0.9);
      if (shape.classes == 0) continue;
      const auto label = static_cast<std::int32_t>(random.below(shape.classes));
      const auto other = static_cast<std::int32_t>(random.below(shape.classes));
      set.label.push_back(label);
      const bool right = side == Side::kBase && set.correct.back();
      set.predicted.push_back(right ? label : other);
      if (side == Side::kBase) set.correct.back() = set.predicted.back() == label;
    }
  };
  add(Side::kBase, shape.base, shape.separation, shape.base_acc);
  add(Side::kNew, shape.new_side, 0, shape.new_acc);
  add(Side::kUnknown, shape.unknown, -0.3, 0);
  return set;
}

std::vector<Shape> hard_shapes() {
  return {
      {},
      {.base = 40, .new_side = 30, .unknown = 20},
      {.base = 50, .new_side = 60, .unknown = 30, .distinct = 5},
      {.base = 50, .new_side = 60, .unknown = 30, .distinct = 1},
      {.base = 1, .new_side = 1, .unknown = 1},
      {.base = 1, .new_side = 50, .unknown = 1, .distinct = 3},
      {.base = 50, .new_side = 1, .unknown = 2, .distinct = 3},
      {.base = 30, .new_side = 30, .unknown = 30, .base_acc = 0, .new_acc = 0},
      {.base = 30, .new_side = 30, .unknown = 30, .base_acc = 1, .new_acc = 1},
      {.base = 30, .new_side = 30, .unknown = 30, .separation = -100},
      {.base = 30, .new_side = 30, .unknown = 30, .base_acc = 0, .new_acc = 0, .separation = -100},
      {.base = 30, .new_side = 30, .unknown = 30, .separation = 100},
      {.base = 300, .new_side = 200, .unknown = 100, .distinct = 40, .classes = 4},
  };
}

double sum_over_pairs(const TestSet& set, Side open,
                      const std::function<double(std::size_t, std::size_t)>& f) {
  double sum = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set.side[i] != static_cast<int>(Side::kBase)) continue;
    for (std::size_t j = 0; j < set.size(); ++j) {
      if (set.side[j] == static_cast<int>(open)) sum += f(i, j);
    }
  }
  return sum;
}

}  // namespace openworld
