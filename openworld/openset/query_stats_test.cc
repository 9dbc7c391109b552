#include "openworld/openset/query_stats.h"

#include <gtest/gtest.h>

#include <numeric>

#include "openworld/openset/test_open_set.h"

namespace openworld {
namespace {

// Relative to what the naive form gives, which has 64 bits.
template <class T>
void expect_like_naive(const std::vector<T>& logits) {
  const LogitForm form;
  std::vector<T> row = logits;
  QueryStats stats;
  ASSERT_TRUE(
      scan_queries(row.data(), static_cast<std::int32_t>(row.size()), 0, form.beta(), stats));
  EXPECT_EQ(row, logits) << "restored";
  std::vector<std::int32_t> all(row.size());
  std::iota(all.begin(), all.end(), 0);
  const NaiveAnswer naive = naive_answer(row.data(), all, form);
  ASSERT_EQ(stats.argmax, naive.argmax);
  const auto table = uncertainty_table();
  for (std::size_t m = 0; m < table.size(); ++m) {
    const auto expected = static_cast<double>(naive.score[m]);
    if (std::isinf(expected)) continue;
    EXPECT_NEAR(table[m].value(stats, form), expected, 1e-12 * std::abs(expected) + 1e-300)
        << table[m].name << " of " << row.size() << " logits";
  }
}

TEST(QueryStats, ScansRowsOfEveryLengthLikeTheDefinition) {
  for (std::size_t n = 1; n <= 70; ++n) {
    expect_like_naive(random_logits<float>(1, n, 3, n));
    expect_like_naive(random_logits<double>(1, n, 3, n));
  }
  expect_like_naive(random_logits<float>(1, 6001, 3, 1));
}

TEST(QueryStats, KeepsDigitsWhereOneQueryHoldsAllMass) {
  for (const double gap : {1.0, 30.0, 100.0, 400.0, 700.0}) {
    std::vector<double> row = {0, -1, gap, 0.5, -2};
    expect_like_naive(row);
  }
  // Beyond exp(-708) nothing is left of the others.
  std::vector<double> row = {0, 5000, 1};
  QueryStats stats;
  ASSERT_TRUE(scan_queries(row.data(), 3, 0, 0.0, stats));
  EXPECT_LT(stats.rest, 1e-300);
  EXPECT_EQ(stats.second, 1);
}

TEST(QueryStats, TakesTheFirstOfEquals) {
  for (std::size_t n : {3, 8, 9, 16, 40}) {
    std::vector<float> row(n, 1);
    QueryStats stats;
    ASSERT_TRUE(scan_queries(row.data(), static_cast<std::int32_t>(n), 100, 0.0, stats));
    EXPECT_EQ(stats.argmax, 100);
    EXPECT_EQ(stats.second, 1);
    EXPECT_NEAR(stats.rest, static_cast<double>(n - 1), 1e-12);
    row[n - 2] = row[n - 1] = 2;
    ASSERT_TRUE(scan_queries(row.data(), static_cast<std::int32_t>(n), 0, 0.0, stats));
    EXPECT_EQ(stats.argmax, static_cast<std::int32_t>(n - 2));
  }
}

TEST(QueryStats, SaysWhatIsNotFinite) {
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    for (std::size_t at = 0; at < 21; ++at) {
      std::vector<float> row = random_logits<float>(1, 21, 1, 7);
      row[at] = bad;
      QueryStats stats;
      EXPECT_FALSE(scan_queries(row.data(), 21, 0, 0.0, stats)) << at;
    }
  }
}

TEST(QueryStats, LeavesOut) {
  std::vector<float> row = {3, kLeftOut<float>, 1};
  QueryStats stats;
  ASSERT_TRUE(scan_queries(row.data(), 3, 0, 0.01, stats));
  EXPECT_EQ(stats.argmax, 0);
  EXPECT_NEAR(stats.rest, std::exp(-2), 1e-15);
  EXPECT_NEAR(stats.mild, std::exp(-0.02), 1e-15);
  row = {kLeftOut<float>};
  ASSERT_TRUE(scan_queries(row.data(), 1, 0, 0.0, stats));
  EXPECT_EQ(stats.argmax, -1);
}

TEST(QueryStats, MergesToTheWholeHoweverItIsCut) {
  const LogitForm form;
  for (const double spread : {0.1, 3.0, 300.0}) {
    std::vector<double> row = random_logits<double>(1, 50, spread, 3);
    row[20] = row[40];  // a tie
    QueryStats whole;
    ASSERT_TRUE(scan_queries(row.data(), 50, 0, form.beta(), whole));
    for (const std::int32_t cut : {1, 7, 25, 49}) {
      QueryStats left, right;
      ASSERT_TRUE(scan_queries(row.data(), cut, 0, form.beta(), left));
      ASSERT_TRUE(scan_queries(row.data() + cut, 50 - cut, cut, form.beta(), right));
      for (const auto& both : {merge(left, right, form.beta()), merge(right, left, form.beta())}) {
        EXPECT_EQ(both.argmax, whole.argmax);
        EXPECT_EQ(both.top, whole.top);
        EXPECT_EQ(both.second, whole.second);
        EXPECT_NEAR(both.rest, whole.rest, 1e-13 * whole.rest);
        EXPECT_NEAR(both.moment, whole.moment, 1e-13 * std::abs(whole.moment));
        EXPECT_NEAR(both.mild, whole.mild, 1e-13 * whole.mild);
      }
    }
  }
}

TEST(QueryStats, MergesWithNothing) {
  const QueryStats none, some = one_query(2, 5);
  EXPECT_EQ(merge(none, some, 0).argmax, 5);
  EXPECT_EQ(merge(some, none, 0).top, 2);
  EXPECT_EQ(merge(none, none, 0).argmax, -1);
}

}  // namespace
}  // namespace openworld
