// Which samples are drawn, against CPython 3.11.7's random: group the indices by label, then
// `random.seed(s)` and `random.sample(items, k)` or `random.choices(items, k=k)` per class.

#include "openworld/worlds/few_shot.h"

#include "openworld/worlds/test_worlds.h"

namespace openworld {
namespace {

using Indices = std::vector<std::size_t>;

Dataset with_labels(const std::vector<std::int32_t>& labels) {
  Dataset dataset;
  dataset.classes.resize(3);
  for (const std::int32_t label : labels) dataset.samples.push_back({.path = "", .label = label});
  return dataset;
}

// Class 2 comes first, 0 has three samples, one sample has label -1.
const Dataset kSmall = with_labels({2, 2, 0, -1, 2, 0, 1, 1, 2, 2, 0, 1, 2, 1, 1, 1});

TEST(FewShot, CoopIsOneStreamAndKeepsSmallClasses) {
  const auto draw = [](std::size_t shots, std::uint64_t seed) {
    return few_shot_samples(kSmall, shots, seed, ShotRule::kCoop);
  };
  EXPECT_EQ(draw(2, 1), (Indices{1, 9, 2, 5, 6, 13}));
  EXPECT_EQ(draw(4, 1), (Indices{1, 9, 0, 12, 2, 5, 10, 6, 13, 14, 7}));
  EXPECT_EQ(draw(2, 2), (Indices{0, 12, 2, 5, 7, 11}));
  EXPECT_EQ(draw(4, 8589934592), (Indices{0, 8, 4, 12, 2, 5, 10, 7, 13, 15, 14}));
}

TEST(FewShot, DeCoopSeedsEveryClassAndRepeats) {
  const auto draw = [](std::size_t shots, std::uint64_t seed) {
    return few_shot_samples(kSmall, shots, seed, ShotRule::kDeCoop);
  };
  EXPECT_EQ(draw(2, 1), (Indices{1, 9, 2, 10, 7, 14}));
  EXPECT_EQ(draw(4, 1), (Indices{1, 9, 0, 12, 2, 10, 10, 2, 7, 14, 6, 15}));
  EXPECT_EQ(draw(2, 2), (Indices{0, 12, 2, 10, 6, 15}));
  EXPECT_EQ(draw(4, 8589934592), (Indices{0, 8, 4, 12, 2, 10, 2, 10, 6, 13, 11, 15}));
}

TEST(FewShot, DrawsFromLargeClasses) {
  std::vector<std::int32_t> labels(3900);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int32_t>(i / 1300);
  const Dataset dataset = with_labels(labels);
  EXPECT_EQ(few_shot_samples(dataset, 4, 1, ShotRule::kCoop),
            (Indices{275, 1165, 129, 522, 1541, 2314, 2220, 2267, 3377, 3029, 2792, 3599}));
  EXPECT_EQ(few_shot_samples(dataset, 4, 1, ShotRule::kDeCoop),
            (Indices{275, 1165, 129, 522, 1575, 2465, 1429, 1822, 2875, 3765, 2729, 3122}));
}

TEST(FewShot, TakesAllWithoutShots) {
  const Indices all = {0, 1, 4, 8, 9, 12, 2, 5, 10, 6, 7, 11, 13, 14, 15};
  EXPECT_EQ(few_shot_samples(kSmall, 0, 1, ShotRule::kCoop), all);
  EXPECT_EQ(few_shot_samples(kSmall, 0, 1, ShotRule::kDeCoop), all);
  EXPECT_TRUE(few_shot_samples(with_labels({-1, -1}), 4, 1, ShotRule::kDeCoop).empty());
}

}  // namespace
}  // namespace openworld
