#include "openworld/openset/query_stats.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "openworld/base/simd.h"

namespace openworld {
namespace {

// 32 bytes of T, and as many integers of the size of T.
template <class T>
struct Lanes;
template <>
struct Lanes<float> {
  using V = float __attribute__((vector_size(32)));
  using I = std::int32_t __attribute__((vector_size(32)));
  using Four = float __attribute__((vector_size(16)));
  using Index = std::int32_t;
  static constexpr int kCount = 8;
};
template <>
struct Lanes<double> {
  using V = double __attribute__((vector_size(32)));
  using I = std::int64_t __attribute__((vector_size(32)));
  using Four = V;
  using Index = std::int64_t;
  static constexpr int kCount = 4;
};

using Doubles = Lanes<double>::V;
using Integers = Lanes<double>::I;

template <class V, class T>
[[gnu::always_inline]] inline V load(const T* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

// What is below -708 counts as -708, where exp is 3e-308: nothing beside a leading term of 1.
[[gnu::always_inline]] inline Doubles at_least_tiny(Doubles x) {
  return x < -708.0 ? Doubles{} - 708.0 : x;
}

// exp(x) for -708 <= x <= 0 to 1e-15. The usual reduction to |r| <= log(2)/2 with Taylor's
// polynomial, whose first term left out is 6e-15.
[[gnu::always_inline]] inline Doubles exp_of(Doubles x) {
  constexpr double kRound = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
  constexpr double kLog2High = 0x1.62e42fefa3800p-1, kLog2Low = 0x1.ef35793c76730p-45;
  const Doubles shifted = x * 0x1.71547652b82fep0 + kRound;
  const Doubles k = shifted - kRound;
  const Doubles r = (x - k * kLog2High) - k * kLog2Low;
  Doubles p = Doubles{} + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return reinterpret_cast<Doubles>(reinterpret_cast<Integers>(p) +
                                   (reinterpret_cast<Integers>(shifted) << 52));
}

struct TopTwo {
  double top, second;
  std::int32_t argmax;
  bool finite;
};

template <class T>
[[gnu::always_inline]] inline TopTwo top_two(const T* row, std::int32_t n) {
  using V = typename Lanes<T>::V;
  using I = typename Lanes<T>::I;
  using Index = typename Lanes<T>::Index;
  constexpr int kLanes = Lanes<T>::kCount;
  V first = V{} + kLeftOut<T>, second = first;
  I where = I{} - 1, bad{}, here{};
  for (int l = 0; l < kLanes; ++l) here[l] = l;
  std::int32_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const V z = load<V>(row + i);
    const I larger = z > first;
    const V smaller = larger ? first : z;
    second = smaller > second ? smaller : second;
    first = larger ? z : first;
    where = larger ? here : where;
    here += static_cast<Index>(kLanes);
    bad |= (z - z) != V{};
  }
  TopTwo best{kLeftOut<T>, kLeftOut<T>, -1, true};
  const auto offer = [&](double z, std::int32_t at) {
    const bool wins = z > best.top || (z == best.top && at >= 0 && at < best.argmax);
    if (wins) {
      best.second = best.top;
      best.top = z;
      best.argmax = at;
    } else if (z > best.second) {
      best.second = z;
    }
  };
  for (int l = 0; l < kLanes; ++l) {
    best.finite &= bad[l] == 0;
    offer(first[l], static_cast<std::int32_t>(where[l]));
    offer(second[l], -1);
  }
  for (; i < n; ++i) {
    best.finite &= std::isfinite(row[i]);
    offer(row[i], i);
  }
  return best;
}

struct Sums {
  double rest, moment, mild;
};

template <class T, bool kMild>
[[gnu::always_inline]] inline Sums sums_below(const T* row, std::int32_t n, double top,
                                              double beta) {
  using Four = typename Lanes<T>::Four;
  constexpr int kUnrolled = 4;
  Doubles rest[kUnrolled] = {}, moment[kUnrolled] = {}, mild[kUnrolled] = {};
  const auto add = [&](int u, Doubles z) __attribute__((always_inline)) {
    const Doubles below = z - top, x = at_least_tiny(below);
    const Doubles e = exp_of(x);
    rest[u] += e;
    moment[u] += x * e;
    if constexpr (kMild) mild[u] += exp_of(at_least_tiny(below * beta));
  };
  std::int32_t i = 0;
  for (; i + 4 * kUnrolled <= n; i += 4 * kUnrolled) {
    for (int u = 0; u < kUnrolled; ++u) {
      add(u, __builtin_convertvector(load<Four>(row + i + 4 * u), Doubles));
    }
  }
  for (; i < n; i += 4) {
    Doubles z = Doubles{} + kLeftOut<T>;
    for (int l = 0; l < 4 && i + l < n; ++l) z[l] = row[i + l];
    add(0, z);
  }
  const auto total = [](const Doubles* lanes) {
    const Doubles sum = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  };
  return {total(rest), total(moment), total(mild)};
}

template <class T>
[[gnu::always_inline]] inline bool scan(T* row, std::int32_t n, std::int32_t first, double beta,
                                        QueryStats& stats) {
  const TopTwo best = top_two(row, n);
  if (!best.finite) return false;
  stats = {};
  if (best.argmax < 0) return true;  // all left out
  stats.top = best.top;
  if (best.second > kLeftOut<T>) stats.second = best.second;
  stats.argmax = first + best.argmax;
  const T leading = std::exchange(row[best.argmax], kLeftOut<T>);
  const Sums sums = beta == 0 ? sums_below<T, false>(row, n, best.top, 0)
                              : sums_below<T, true>(row, n, best.top, beta);
  row[best.argmax] = leading;
  stats.rest = sums.rest;
  stats.moment = sums.moment;
  stats.mild = sums.mild;
  return true;
}

}  // namespace

OPENWORLD_SIMD_V3
bool scan_queries(float* row, std::int32_t n, std::int32_t first, double beta, QueryStats& stats) {
  return scan(row, n, first, beta, stats);
}

OPENWORLD_SIMD_V3
bool scan_queries(double* row, std::int32_t n, std::int32_t first, double beta, QueryStats& stats) {
  return scan(row, n, first, beta, stats);
}

QueryStats merge(const QueryStats& a, const QueryStats& b, double beta) {
  if (a.argmax < 0) return b;
  if (b.argmax < 0) return a;
  const bool a_leads = a.top > b.top || (a.top == b.top && a.argmax < b.argmax);
  const QueryStats& high = a_leads ? a : b;
  const QueryStats& low = a_leads ? b : a;
  const double gap = low.top - high.top, factor = std::exp(gap);
  QueryStats both = high;
  both.second = low.top > high.second ? low.top : high.second;
  both.rest += factor * (1 + low.rest);
  // Where the factor is 0 the gap may be infinite, as it is between -1e308 and 1e308.
  if (factor > 0) both.moment += factor * (low.moment + gap * (1 + low.rest));
  if (beta != 0) both.mild += std::exp(beta * gap) * (1 + low.mild);
  return both;
}

}  // namespace openworld
