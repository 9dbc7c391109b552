#include "openworld/analysis/friedman.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <string_view>

#include "openworld/base/error.h"
#include "openworld/stats/distributions.h"
#include "openworld/stats/studentized_range.h"

namespace openworld {
namespace {

std::vector<std::size_t> order_of(std::span<const double> values, Better better) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return better == Better::kHigher ? values[i] > values[j] : values[i] < values[j];
  });
  return order;
}

// The standard error of the difference of two average ranks when methods do not differ.
double rank_error(std::size_t methods, std::size_t blocks) {
  const auto k = static_cast<double>(methods), m = static_cast<double>(blocks);
  return std::sqrt(k * (k + 1) / (6 * m));
}

void check_nemenyi(std::string_view function, std::size_t methods, double alpha) {
  if (methods < 2 || methods > std::numeric_limits<int>::max()) {
    fail(function, fmt::format("{} methods; expected at least 2", methods));
  }
  if (!(alpha > 0 && alpha < 1)) {
    fail(function, fmt::format("alpha is {}; expected a number between 0 and 1", alpha));
  }
}

}  // namespace

std::vector<double> tied_ranks(std::span<const double> values, Better better) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      fail("tied_ranks", fmt::format("value[{}] is NaN; only numbers can be ranked", i));
    }
  }
  const std::vector<std::size_t> order = order_of(values, better);
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double shared = 0.5 * static_cast<double>(begin + 1 + end);
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = shared;
  }
  return ranks;
}

FriedmanTest friedman_test(std::span<const double> table, std::size_t methods, Better better) {
  if (methods < 2) {
    fail("friedman_test", fmt::format("{} methods; expected at least 2 to compare", methods));
  }
  if (table.empty() || table.size() % methods != 0) {
    fail("friedman_test",
         fmt::format("table has {} values; expected a row of {} per block", table.size(), methods));
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (std::isnan(table[i])) {
      fail("friedman_test", fmt::format("block {} has NaN for method {}; a block with a missing "
                                        "value must be left out",
                                        i / methods, i % methods));
    }
  }
  FriedmanTest test{.blocks = table.size() / methods, .methods = methods};
  const auto k = static_cast<double>(methods), m = static_cast<double>(test.blocks);

  // Ranks are multiples of 1/2, so these sums are exact and perfect agreement is seen as such.
  std::vector<double> sums(methods);
  double within = 0;
  for (std::size_t block = 0; block < test.blocks; ++block) {
    const std::vector<double> ranks = tied_ranks(table.subspan(block * methods, methods), better);
    for (std::size_t j = 0; j < methods; ++j) {
      sums[j] += ranks[j];
      within += (ranks[j] - 0.5 * (k + 1)) * (ranks[j] - 0.5 * (k + 1));
    }
  }
  double between = 0;
  for (const double sum : sums) {
    between += (sum - 0.5 * m * (k + 1)) * (sum - 0.5 * m * (k + 1));
    test.average_ranks.push_back(sum / m);
  }
  test.final_ranks = tied_ranks(test.average_ranks, Better::kLower);

  if (test.blocks == 1) {
    test.undefined = "one block cannot show whether methods differ; expected at least two";
    return test;
  }
  if (within == 0) {
    test.undefined = "every block ties all methods; their ranks have no variance to test";
    return test;
  }
  test.chi_squared = (k - 1) * between / within;
  test.p_value = chi_squared_survival(*test.chi_squared, k - 1);
  const double residual = m * within - between;
  test.f = residual > 0 ? (m - 1) * between / residual : std::numeric_limits<double>::infinity();
  test.f_p_value = f_survival(*test.f, k - 1, (k - 1) * (m - 1));
  return test;
}

double nemenyi_critical_value(std::size_t methods, double alpha) {
  check_nemenyi("nemenyi_critical_value", methods, alpha);
  return studentized_range_quantile(1 - alpha, static_cast<int>(methods)) / std::numbers::sqrt2;
}

double nemenyi_critical_distance(std::size_t methods, std::size_t blocks, double alpha) {
  check_nemenyi("nemenyi_critical_distance", methods, alpha);
  if (blocks == 0) fail("nemenyi_critical_distance", "0 blocks; expected at least one");
  return nemenyi_critical_value(methods, alpha) * rank_error(methods, blocks);
}

NemenyiTest nemenyi_test(std::span<const double> average_ranks, std::size_t blocks, double alpha) {
  const std::size_t k = average_ranks.size();
  check_nemenyi("nemenyi_test", k, alpha);
  for (std::size_t i = 0; i < k; ++i) {
    if (!(average_ranks[i] >= 1 && average_ranks[i] <= static_cast<double>(k))) {
      fail("nemenyi_test",
           fmt::format("average_rank[{}] is {}; expected 1 to {}", i, average_ranks[i], k));
    }
  }
  NemenyiTest test{.alpha = alpha,
                   .critical_distance = nemenyi_critical_distance(k, blocks, alpha)};

  test.p_values.assign(k * k, 1);
  const double scale = std::numbers::sqrt2 / rank_error(k, blocks);
  const StudentizedRangeTail tail(static_cast<int>(k));
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double range = scale * std::abs(average_ranks[i] - average_ranks[j]);
      const double p = tail.survival(range);
      test.p_values[i * k + j] = test.p_values[j * k + i] = p;
    }
  }

  const std::vector<std::size_t> order = order_of(average_ranks, Better::kLower);
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < k; ++begin) {
    const std::size_t covered = end;
    const double limit = average_ranks[order[begin]] + test.critical_distance;
    while (end < k && average_ranks[order[end]] < limit) ++end;
    if (end > covered && end - begin > 1) {
      const auto first = order.begin() + static_cast<std::ptrdiff_t>(begin);
      test.groups.emplace_back(first, order.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }
  return test;
}

}  // namespace openworld
