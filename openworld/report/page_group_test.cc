#include "openworld/report/page_group.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;

// Two base and two new classes, ten samples of each, and ten unknown ones.
std::string csv(int shift) {
  std::string text = "side,label,score,base_logits_0,base_logits_1,new_logits_0,new_logits_1\n";
  for (int i = 0; i < 50; ++i) {
    const int c = i / 10, side = c == 4 ? -1 : c / 2;
    const int said = (i + shift) % 5 == 0 ? 1 - c % 2 : c % 2;
    const double score = (side == 0 ? 1.0 : 0.0) + ((i * 7 + shift) % 10) / 8.0;
    const double base = side == 0 ? 2 : 0, other = side == 1 ? 2 : 0.5;
    text += fmt::format("{},{},{:f},{},{},{},{}\n", side, c == 4 ? 0 : c % 2, score,
                        said == 0 ? base : base - 1, said == 1 ? base : base - 1,
                        said == 0 ? other : other - 1, said == 1 ? other : other - 1);
  }
  return text;
}

class PageGroupTest : public ::testing::Test {
 protected:
  Predictions load(const std::string& name, int shift) {
    return load_predictions(folder_.write(name, csv(shift)));
  }
  TempFolder folder_;
};

TEST_F(PageGroupTest, CountsClassesAndWrongAnswersOverSeeds) {
  const Predictions one = load("1.csv", 0), two = load("2.csv", 1);
  const PageGroup group = make_group(
      {.name = "x", .runs = {{3, 1, &one}, {3, 2, &two}}, .classes = {"a", "b", "c", "d"}}, {});
  EXPECT_EQ(group.repeats, 2u);
  ASSERT_TRUE(group.by_class);
  EXPECT_EQ(group.by_class->total, (std::vector<std::int64_t>{10, 10, 10, 10}));
  ASSERT_EQ(group.by_class->methods.size(), 1u);
  const MethodClasses& mine = group.by_class->methods[0];
  EXPECT_EQ(mine.method, 3u);
  std::vector<std::int64_t> right(4), overall(4);
  std::int64_t wrong = 0;
  for (const Predictions* p : {&one, &two}) {
    for (std::size_t i = 0; i < 40; ++i) {
      right[i / 10] += p->correct.values[i];
      overall[i / 10] += p->overall_correct.values[i];
      wrong += 1 - p->overall_correct.values[i];
    }
  }
  EXPECT_EQ(mine.right, right);
  EXPECT_EQ(mine.overall, overall);
  std::int64_t listed = 0, unknown = 0;
  for (const Confusion& c : mine.confusions) {
    (c.truth < 0 ? unknown : listed) += c.count;
    EXPECT_EQ(c.total, 20);
    EXPECT_NE(c.truth, c.answer);
  }
  EXPECT_EQ(listed, wrong);
  EXPECT_EQ(unknown, 20);
}

// Of both sides and every kind there is, each row once.
TEST_F(PageGroupTest, ShowsSamplesOfEveryKind) {
  const Predictions one = load("1.csv", 0), two = load("2.csv", 1);
  const PageGroup group =
      make_group({.name = "x",
                  .runs = {{0, 1, &one}, {1, 1, &two}},
                  .classes = {},
                  .picture = [](std::size_t row) { return row % 2 == 0 ? "data:," : ""; }},
                 {.samples = 20});
  ASSERT_TRUE(group.shown);
  const PageSamples& shown = *group.shown;
  ASSERT_EQ(shown.row.size(), 20u);
  EXPECT_EQ(std::set(shown.row.begin(), shown.row.end()).size(), 20u);
  EXPECT_EQ(std::set(shown.side.begin(), shown.side.end()).size(), 3u);
  ASSERT_EQ(shown.methods.size(), 2u);
  for (std::size_t i = 0; i < 20; ++i) {
    const std::size_t row = shown.row[i];
    EXPECT_NEAR(shown.methods[1].r[i], two.outcomes().score[row], 1e-5);
    EXPECT_EQ(shown.methods[0].rank[i], group.runs[0].ranked.rank[row]);
    EXPECT_EQ(shown.pictures[i].empty(), row % 2 == 1);
    EXPECT_GE(shown.methods[0].base[i], 0);
    EXPECT_GE(shown.methods[0].new_side[i], 2);
  }
  const RankedCodes ranked = rank_codes(one.outcomes(), 9);
  EXPECT_EQ(choose_rows(one.outcomes(), ranked, one.outcomes(), ranked, 500).size(), 50u);
}

// Labels without a list of names may be anything; nothing is allocated for them.
TEST_F(PageGroupTest, LabelsThatNothingBounds) {
  const Predictions p = load_predictions(
      folder_.write("x.csv", "side,label,score,correct\n0,2147483647,1,1\n1,5,0,1\n"));
  const PageGroup group = make_group({.name = "x", .runs = {{0, 0, &p}}, .classes = {}}, {});
  EXPECT_FALSE(group.by_class);
  EXPECT_EQ(group.shown->methods[0].new_side[0], -1);
}

TEST_F(PageGroupTest, JsonHasAPlaceForEveryMethod) {
  const Predictions one = load("1.csv", 0);
  PageData data;
  data.groups.push_back(
      make_group({.name = "x", .runs = {{1, 4, &one, 0.5}}, .classes = {}}, {.samples = 3}));
  data.losses.push_back({1, 0, 4, {{10, 0.5}}});
  const auto json = page_data_json(data, {"a", "b"});
  EXPECT_EQ(json["groups"][0]["samples"]["methods"][0], nullptr);
  EXPECT_EQ(json["groups"][0]["samples"]["methods"][1]["r"].size(), 3u);
  EXPECT_EQ(json["groups"][0]["perClass"]["right"][0], nullptr);
  EXPECT_EQ(json["groups"][0]["runs"][0]["n"], 50);
  EXPECT_EQ(json["groups"][0]["runs"][0]["own"], count_above(one.outcomes(), 0.5));
  EXPECT_EQ(json["loss"][0]["points"][0][1], 0.5);
}

}  // namespace
}  // namespace openworld
