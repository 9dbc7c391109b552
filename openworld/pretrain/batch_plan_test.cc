#include "openworld/pretrain/batch_plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using Counts = std::vector<std::int64_t>;

// How often each pair occurs in the pass.
std::map<std::uint32_t, std::uint32_t> counts_of(const std::vector<PassEntry>& order) {
  std::map<std::uint32_t, std::uint32_t> counts;
  for (const PassEntry& entry : order) ++counts[entry.index];
  return counts;
}

TEST(PassOrder, ShowsEveryPairOnceInAnotherOrder) {
  const PlannedSource source{.size = 50};
  const auto first = pass_order(source, 1, 0), second = pass_order(source, 1, 1);
  EXPECT_EQ(counts_of(first).size(), 50u);
  EXPECT_EQ(counts_of(second).size(), 50u);
  const auto same = [](const PassEntry& a, const PassEntry& b) { return a.index == b.index; };
  EXPECT_FALSE(std::equal(first.begin(), first.end(), second.begin(), same));
  EXPECT_TRUE(std::equal(first.begin(), first.end(), pass_order(source, 1, 0).begin(), same));
}

// Of weights 0, 0.25, 1, 2.5: never, a quarter of the passes, every pass, twice or three times.
TEST(PassOrder, ShowsPairsByTheirWeights) {
  PlannedSource source{.size = 400, .weights = {}};
  for (std::size_t i = 0; i < 400; ++i) {
    constexpr double kWeights[] = {0, 0.25, 1, 2.5, 1.25};
    source.weights.push_back(kWeights[i % 5] * 3);  // only ratios count
  }
  std::vector<double> shown(5);
  constexpr int kPasses = 200;
  for (std::uint64_t pass = 0; pass < kPasses; ++pass) {
    const auto order = pass_order(source, 7, pass);
    ASSERT_EQ(order.size(), 400u);
    std::set<std::pair<std::uint32_t, std::uint32_t>> draws;
    for (const PassEntry& entry : order) {
      shown[entry.index % 5] += 1.0 / (80 * kPasses);
      EXPECT_TRUE(draws.insert({entry.index, entry.repeat}).second);
    }
    for (const auto& [index, count] : counts_of(order)) {
      const double expected = source.weights[index] / 3;  // of a mean of 1
      EXPECT_LT(std::abs(count - expected), 1) << index;
    }
  }
  for (const auto& [kind, expected] :
       {std::pair{0, 0.0}, {1, 0.25}, {2, 1.0}, {3, 2.5}, {4, 1.25}}) {
    EXPECT_NEAR(shown[static_cast<std::size_t>(kind)], expected, 0.02) << kind;
  }
}

TEST(BatchPlan, GoesThroughASourceEpochByEpoch) {
  const BatchPlan plan({{.size = 44}}, {.batch = 10, .parts = 4, .seed = 3});
  EXPECT_EQ(plan.steps_per_epoch(), 4);
  EXPECT_EQ(plan.images_per_step(), 10);
  for (std::int64_t epoch : {0, 1}) {
    const auto images = plan.epoch(epoch);
    ASSERT_EQ(images.size(), 40u);
    const auto order = pass_order({.size = 44}, 3, static_cast<std::uint64_t>(epoch));
    for (std::size_t i = 0; i < 40; ++i) {
      EXPECT_EQ(images[i].index, order[i].index);
      EXPECT_EQ(images[i].draw, static_cast<std::uint64_t>(epoch));
    }
  }
  EXPECT_EQ(BatchPlan({{.size = 5}}, {.batch = 10}).images_per_step(), 5);
}

TEST(BatchPlan, TakesItsShareOfEverySource) {
  const auto counts = [](std::vector<double> shares, std::int64_t batch) {
    std::vector<PlannedSource> sources;
    for (const double share : shares) sources.push_back({.size = 1000, .share = share});
    return BatchPlan(std::move(sources), {.batch = batch}).pairs_per_step();
  };
  EXPECT_EQ(counts({0.5, 0.25, 0.25}, 100), (Counts{50, 25, 25}));
  EXPECT_EQ(counts({5, 3, 2}, 96), (Counts{48, 29, 19}));
  EXPECT_EQ(counts({1, 1, 1}, 10), (Counts{4, 3, 3}));
  EXPECT_EQ(counts({1000, 1, 1}, 10), (Counts{8, 1, 1}));
  EXPECT_ERROR(counts({1, 1, 1}, 2), "batch is 2; expected at least a pair of each of the 3");
}

TEST(BatchPlan, MixesSourcesInEveryPart) {
  const BatchPlan plan({{.size = 100, .share = 3}, {.size = 30, .share = 1, .views = 2}},
                       {.batch = 16, .parts = 4, .seed = 1});
  EXPECT_EQ(plan.pairs_per_step(), (Counts{12, 4}));
  EXPECT_EQ(plan.images_per_step(), 20);
  EXPECT_EQ(plan.steps_per_epoch(), 130 / 16);
  const auto images = plan.epoch(0);
  ASSERT_EQ(images.size(), 20u * 8);
  for (std::size_t step = 0; step < 8; ++step) {
    std::map<std::uint32_t, int> views;  // of the second source
    for (std::size_t part = 0; part < 4; ++part) {
      int drawings = 0;
      for (std::size_t i = 0; i < 5; ++i) {
        const PlannedImage& image = images[20 * step + 5 * part + i];
        drawings += image.source == 1;
        if (image.source == 1) views[image.index] += 1 + image.view;
      }
      EXPECT_EQ(drawings, 2);
    }
    EXPECT_EQ(views.size(), 4u);
    for (const auto& [index, sum] : views) EXPECT_EQ(sum, 3) << index;  // views 0 and 1
  }
  EXPECT_NE(plan.source_seed(0), plan.source_seed(1));
  // 30 pairs by 4 a step: 7 steps a pass, then a new one.
  std::set<std::uint64_t> draws;
  for (const PlannedImage& image : images) {
    if (image.source == 1) draws.insert(image.draw);
  }
  EXPECT_EQ(draws, (std::set<std::uint64_t>{0, 1}));
}

TEST(BatchPlan, SmallSourcesComeSeveralTimesInAStep) {
  const BatchPlan plan({{.size = 3}, {.size = 100}}, {.batch = 20, .seed = 1});
  EXPECT_EQ(plan.pairs_per_step(), (Counts{10, 10}));
  std::set<std::pair<std::uint32_t, std::uint64_t>> draws;
  for (const PlannedImage& image : plan.epoch(0)) {
    if (image.source != 0) continue;
    EXPECT_TRUE(draws.insert({image.index, image.draw}).second);
  }
}

TEST(BatchPlan, RoundsShowTheSameImagesWithOtherCaptions) {
  const PlanOptions options{.batch = 10, .epoch_pairs = 40, .rounds = 3, .seed = 5};
  const BatchPlan plan({{.size = 200}, {.size = 50}}, options);
  EXPECT_EQ(plan.steps_per_epoch(), 12);
  for (const std::int64_t epoch : {0, 2}) {
    const auto items = plan.items(epoch), images = plan.epoch(epoch);
    ASSERT_EQ(items.size(), 40u);
    ASSERT_EQ(images.size(), 120u);
    std::vector<std::set<std::uint64_t>> captions(40);
    for (std::size_t i = 0; i < images.size(); ++i) {
      const PlannedImage& item = items[images[i].place];
      EXPECT_EQ(item.place, images[i].place);
      EXPECT_EQ(item.index, images[i].index);
      EXPECT_EQ(item.draw, images[i].draw);
      EXPECT_EQ(item.source, images[i].source);
      captions[images[i].place].insert(images[i].caption_draw);
    }
    for (const auto& draws : captions) EXPECT_EQ(draws.size(), 3u);
    // In another order.
    bool differs = false;
    for (std::size_t i = 0; i < 40; ++i) differs |= images[i].place != images[40 + i].place;
    EXPECT_TRUE(differs);
  }
}

}  // namespace
}  // namespace openworld
