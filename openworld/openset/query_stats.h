#pragma once

// QueryStats: what one image's logits over a set of queries say, in a form that can be added up.
//
// With z_a the largest of the logits z_j, a its index, and x_j = z_j - z_a <= 0:
//
//   top = z_a    second = the next largest    rest = sum_{j != a} exp(x_j)
//   moment = sum_j x_j exp(x_j)               mild = sum_{j != a} exp(beta x_j)
//
// Every uncertainty is a function of these: the largest probability is 1 / (1 + rest), the entropy
// log1p(rest) - moment / (1 + rest). Sums have one sign and leave the leading term out, so that
// nothing cancels: an entropy of 1e-12 has all its digits.
//
// Two disjoint sets of queries merge in O(1). This is how the leave-one-class-out test comes from
// one pass: scan all queries but the true class, then merge the true class in for the closed-set
// test. A term is only ever added, never taken off, so it does not matter whether the removed class
// held all of the mass. Negative queries and growing query sets are merged the same way.

#include <cstdint>
#include <limits>

namespace openworld {

struct QueryStats {
  double top = -std::numeric_limits<double>::infinity();
  double second = -std::numeric_limits<double>::infinity();
  double rest = 0;
  double moment = 0;
  double mild = 0;
  std::int32_t argmax = -1;  // the first of equals, as numpy.argmax; -1: no query
};

// The statistics of one query.
inline QueryStats one_query(double logit, std::int32_t index) {
  QueryStats stats;
  stats.top = logit;
  stats.argmax = index;
  return stats;
}

// The statistics of two disjoint sets of queries together. `beta` is that of `mild`; 0: not wanted.
QueryStats merge(const QueryStats& a, const QueryStats& b, double beta);

// The statistics of the queries first, first + 1, ... whose logits are `row`, n >= 1 of them.
// Returns false instead if a logit is not finite. `row` is written to and restored. Two reads of
// `row`, which should be in cache: about 3 cycles a logit with AVX2.
bool scan_queries(float* row, std::int32_t n, std::int32_t first, double beta, QueryStats& stats);
bool scan_queries(double* row, std::int32_t n, std::int32_t first, double beta, QueryStats& stats);

// The logit of a query that is to be left out of a scan. A scan of such queries only finds none.
template <class T>
inline constexpr T kLeftOut = std::numeric_limits<T>::lowest();

}  // namespace openworld
