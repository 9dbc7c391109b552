#pragma once

// Which method is best over many settings: Friedman ranks, the test that they differ at all, and
// the Nemenyi test that says which pairs do.
//
// m blocks (a dataset at a level, say) times k methods. In each block the methods are ranked, 1 =
// best, ties sharing the average of their ranks; rank_F of a method is its mean rank.
//
//   chi^2 = (k-1) sum_j (R_j - m(k+1)/2)^2 / sum_ij (r_ij - (k+1)/2)^2     R_j = sum_i r_ij
//   F     = (m-1) chi^2 / (m(k-1) - chi^2)
//   CD    = q_alpha sqrt(k(k+1)/(6m)),   q_alpha = Q_{1-alpha; k, infinity} / sqrt(2)
//
// chi^2 with k-1 degrees of freedom (Friedman, 1937; this form corrects for ties and is the usual
// one when there are none); F with k-1 and (k-1)(m-1), less conservative (Iman and Davenport,
// 1980); two methods differ at level alpha when their average ranks differ by CD or more (Nemenyi,
// 1963; Demsar, JMLR 2006). Q is the quantile of the studentized range; leaving out its sqrt(2) is
// the usual mistake, and makes CD 1.41 times too wide.
//
// The p-values take blocks to be independent. Levels of one dataset are not: there they are too
// small, and the average ranks are the thing to read. Ranking is O(m k log k).

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace openworld {

enum class Better { kHigher, kLower };

// Ranks of values, 1 = best, equal values sharing the average of their ranks. Error on NaN.
std::vector<double> tied_ranks(std::span<const double> values, Better better);

struct FriedmanTest {
  std::size_t blocks = 0;
  std::size_t methods = 0;
  std::vector<double> average_ranks{};  // rank_F of each method
  std::vector<double> final_ranks{};    // ranks of the averages, 1 = best, ties shared
  std::optional<double> chi_squared{};
  std::optional<double> p_value{};
  std::optional<double> f{};  // infinite when every block ranks alike
  std::optional<double> f_p_value{};
  std::string undefined{};  // why the four above are missing; empty when they are there
};

// `table` holds one row of `methods` values per block. At least two methods and one block, no NaN,
// else Error. The test itself is undefined for one block and when every block ties all methods.
FriedmanTest friedman_test(std::span<const double> table, std::size_t methods, Better better);

struct NemenyiTest {
  double alpha = 0;
  double critical_distance = 0;
  std::vector<double> p_values{};  // methods x methods, 1 on the diagonal
  // Every largest set of two or more methods of which no pair differs, methods in order of rank:
  // the bars of a critical-distance diagram. A method in no set differs from all others.
  std::vector<std::vector<std::size_t>> groups{};
};

// q_alpha: 1.960 for two methods at 0.05, 2.344 for three, 3.164 for ten.
double nemenyi_critical_value(std::size_t methods, double alpha);
double nemenyi_critical_distance(std::size_t methods, std::size_t blocks, double alpha);

// Average ranks over `blocks` blocks, as friedman_test() gives them; alpha in (0, 1).
NemenyiTest nemenyi_test(std::span<const double> average_ranks, std::size_t blocks,
                         double alpha = 0.05);

}  // namespace openworld
