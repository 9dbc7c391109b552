#include "openworld/predictions/derive.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "openworld/base/random.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

const Origin kOrigin{"load", "a.npz"};
using Table = std::vector<std::vector<double>>;

template <class T>
Matrix matrix_of(const Table& rows, bool fortran_order) {
  const std::size_t n = rows.size(), width = rows[0].size();
  std::vector<T> values(n * width);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < width; ++c) {
      values[fortran_order ? c * n + r : r * width + c] = static_cast<T>(rows[r][c]);
    }
  }
  return {make_column(std::move(values)), n, width, fortran_order};
}

Table random_table(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Random random(seed);
  Table table(rows, std::vector<double>(columns));
  for (auto& row : table) {
    for (double& z : row) z = std::round(random.normal() * 8) / 4;  // with ties, and exact in float
  }
  return table;
}

// The definitions, one row at a time.
Answers naive(const Table& base, const Table& new_side) {
  const auto argmax = [](const std::vector<double>& row) {
    return static_cast<std::int32_t>(std::max_element(row.begin(), row.end()) - row.begin());
  };
  Answers answers;
  for (std::size_t r = 0; r < base.size(); ++r) {
    std::vector<double> all = base[r];
    all.insert(all.end(), new_side[r].begin(), new_side[r].end());
    answers.base.push_back(argmax(base[r]));
    answers.new_side.push_back(argmax(new_side[r]));
    answers.overall.push_back(argmax(all));
    double sum = 0;
    for (const double z : all) sum += std::exp(z);
    answers.score.push_back(std::exp(base[r][answers.base[r]]) / sum);
  }
  return answers;
}

TEST(Answer, FollowsTheDefinitionInEveryTypeAndOrder) {
  for (const std::size_t rows : {1, 15, 17, 1024, 2500}) {
    const Table base = random_table(rows, 7, 1), new_side = random_table(rows, 4, 2);
    const Answers expected = naive(base, new_side);
    for (const bool f1 : {false, true}) {
      for (const bool f2 : {false, true}) {
        const Matrix floats = matrix_of<float>(base, f1), doubles = matrix_of<double>(new_side, f2);
        const Answers got = answer({&floats, &doubles}, true, kOrigin);
        EXPECT_EQ(got.base, expected.base);
        EXPECT_EQ(got.new_side, expected.new_side);
        EXPECT_EQ(got.overall, expected.overall);
        ASSERT_EQ(got.score.size(), rows);
        for (std::size_t r = 0; r < rows; ++r) {
          EXPECT_NEAR(got.score[r], expected.score[r], 1e-15);
        }
        EXPECT_EQ(answer({&floats, nullptr}, true, kOrigin).base, expected.base);
        EXPECT_EQ(answer({nullptr, &doubles}, true, kOrigin).new_side, expected.new_side);
      }
    }
  }
}

// Any order of the names gives the same bits, by whichever rounding the logits came.
TEST(Answer, TheOrderOfNamesChangesNoBitOfTheScore) {
  Random random(5);
  Table base(200, std::vector<double>(37)), new_side(200, std::vector<double>(61));
  for (Table* table : {&base, &new_side}) {
    for (auto& row : *table) {
      for (double& z : row) z = random.normal() * 7;
    }
  }
  const auto scores = [](const Table& b, const Table& n) {
    const Matrix x = matrix_of<double>(b, false), y = matrix_of<double>(n, false);
    return answer({&x, &y}, true, kOrigin).score;
  };
  const std::vector<double> expected = scores(base, new_side);
  for (int i = 0; i < 5; ++i) {
    for (Table* table : {&base, &new_side}) {
      for (auto& row : *table) {
        for (std::size_t k = row.size() - 1; k > 0; --k)
          std::swap(row[k], row[random.below(k + 1)]);
      }
    }
    EXPECT_EQ(scores(base, new_side), expected);
  }
}

TEST(NameFit, IsTheLargestLogitOfAnyName) {
  for (const std::size_t rows : {1, 17, 2500}) {
    const Table base = random_table(rows, 7, 1), new_side = random_table(rows, 4, 2);
    const Matrix g = matrix_of<float>(base, false), h = matrix_of<double>(new_side, true);
    const auto both = name_fit({&g, &h}, kOrigin), alone = name_fit({&g, nullptr}, kOrigin);
    ASSERT_EQ(both.size(), rows);
    for (std::size_t r = 0; r < rows; ++r) {
      const double top_base = *std::ranges::max_element(base[r]);
      EXPECT_EQ(both[r], std::max(top_base, *std::ranges::max_element(new_side[r])));
      EXPECT_EQ(alone[r], top_base);
    }
  }
}

TEST(NameFit, RefusesLogitsThatAreNotFinite) {
  const Matrix good = matrix_of<float>({{1, 2}, {3, 4}}, false);
  const Matrix bad = matrix_of<float>({{1, 2}, {3, std::nan("")}}, false);
  EXPECT_ERROR(name_fit({&bad, nullptr}, kOrigin), "base_logits[1, 1] is NaN");
  EXPECT_ERROR(name_fit({&good, &bad}, kOrigin), "new_logits[1, 1] is NaN");
}

TEST(Answer, TellsTies) {
  const Matrix base = matrix_of<float>({{1, 2}, {2, 2}, {1, 0}, {3, 3}}, false);
  const Matrix new_side = matrix_of<float>({{0, 0}, {5, 1}, {1, -1}, {3, 2}}, false);
  EXPECT_EQ(
      answer({&base, &new_side}, false, kOrigin).tied,
      (std::vector<std::uint8_t>{kTiedNew, kTiedBase, kTiedOverall, kTiedBase | kTiedOverall}));
  EXPECT_EQ(answer({&base, nullptr}, false, kOrigin).tied,
            (std::vector<std::uint8_t>{0, kTiedBase, 0, kTiedBase}));
}

TEST(Answer, ScoreDoesNotOverflow) {
  const Matrix base = matrix_of<float>({{1e30, 0}, {-1e30, -1e30}, {1e30, 1e30}}, false);
  const Matrix new_side = matrix_of<float>({{0}, {1e30}, {1e30}}, false);
  const Answers got = answer({&base, &new_side}, true, kOrigin);
  EXPECT_EQ(got.score, (std::vector<double>{1, 0, 1.0 / 3}));
  EXPECT_EQ(got.overall, (std::vector<std::int32_t>{0, 2, 0}));
}

TEST(Answer, RefusesLogitsThatAreNotFinite) {
  const double inf = std::numeric_limits<double>::infinity();
  Table base = random_table(3000, 3, 1), new_side = random_table(3000, 2, 2);
  base[2999][1] = std::nan("");
  new_side[1500][1] = -inf;
  for (const bool f : {false, true}) {
    Matrix b = matrix_of<float>(base, f), n = matrix_of<double>(new_side, f);
    EXPECT_ERROR(answer({&b, nullptr}, false, kOrigin),
                 "[load] a.npz: base_logits[2999, 1] is NaN; logits must be finite");
    EXPECT_ERROR(answer({&b, &n}, true, kOrigin), "new_logits[1500, 1] is -inf");
  }
  base[1500][2] = inf;
  const Matrix b = matrix_of<double>(base, true), n = matrix_of<float>(new_side, true);
  EXPECT_ERROR(answer({&b, &n}, true, kOrigin), "base_logits[1500, 2] is inf");
}

}  // namespace
}  // namespace openworld
