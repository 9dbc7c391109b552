#pragma once

// For tests: random logits, and the open-set test in two passes in long double, as its definition
// reads: a softmax over all columns, and one with the true column deleted.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "openworld/base/random.h"
#include "openworld/openset/open_set.h"

namespace openworld {

struct NaiveAnswer {
  std::int32_t argmax = -1;  // a column of the whole matrix; -1: no column
  std::vector<long double> score;
};

// The answer over the columns `on`, with every measure in the order of the table.
template <class T>
NaiveAnswer naive_answer(const T* row, const std::vector<std::int32_t>& on, const LogitForm& form) {
  NaiveAnswer answer;
  long double top = -INFINITY, second = -INFINITY;
  for (const std::int32_t j : on) {
    if (row[j] > top) {
      second = top;
      top = row[j];
      answer.argmax = j;
    } else if (row[j] > second) {
      second = row[j];
    }
  }
  if (answer.argmax < 0) return answer;
  // Each probability by itself; the largest as 1 / (1 + others), which keeps its digits.
  long double sum = 0, others = 0, mild = 0;
  for (const std::int32_t j : on) {
    sum += expl(row[j] - top);
    if (j != answer.argmax) others += expl(row[j] - top);
    mild += expl((row[j] - top) * static_cast<long double>(form.beta()));
  }
  long double entropy = 0;
  for (const std::int32_t j : on) {
    const long double p = expl(row[j] - top) / sum;
    if (p == 0) continue;
    // log p of the largest is -log1p(others); 1 - 1e-20 has no other digits left.
    entropy -= p * (j == answer.argmax ? -log1pl(others) : row[j] - top - log1pl(others));
  }
  answer.score = {1 / sum,     (top - form.bias) / form.scale,
                  -entropy,    1 / (1 + expl(-top)),
                  top,         top + logl(sum),
                  1 / mild,    (1 - expl(second - top)) / sum,
                  top - second};
  return answer;
}

template <class T>
std::vector<T> random_logits(std::size_t rows, std::size_t columns, double spread,
                             std::uint64_t seed) {
  Random random(seed);
  std::vector<T> values(rows * columns);
  for (T& value : values) value = static_cast<T>(20 + spread * random.normal());
  return values;
}

inline std::vector<std::int32_t> random_labels(std::size_t rows, std::int32_t classes,
                                               std::uint64_t seed) {
  Random random(seed, 1);
  std::vector<std::int32_t> labels(rows);
  for (auto& label : labels) {
    label = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(classes)));
  }
  return labels;
}

template <class T>
Matrix matrix_of(std::vector<T> values, std::size_t columns) {
  const std::size_t rows = values.size() / columns;
  return {make_column(std::move(values)), rows, columns, false};
}

// Every measure, in the order of the table.
inline std::vector<const UncertaintyRow*> every_measure() {
  std::vector<const UncertaintyRow*> rows;
  for (const UncertaintyRow& row : uncertainty_table()) rows.push_back(&row);
  return rows;
}

}  // namespace openworld
