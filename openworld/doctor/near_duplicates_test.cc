#include "openworld/doctor/near_duplicates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "openworld/base/random.h"
#include "openworld/doctor/test_doctor.h"

namespace openworld {
namespace {

using testing::found_by;
using testing::has_text;
using testing::npy;
using testing::raw;
using testing::stored;
using testing::TempFolder;
using testing::zip_of;

FeatureList random_features(std::size_t n, std::size_t width) {
  FeatureList list;
  Random random(5);
  list.width = width;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t d = 0; d < width; ++d) {
      list.values.push_back(static_cast<float>(random.uniform()) - 0.5f);
    }
    list.images.push_back(std::to_string(i));
    list.labels.push_back(0);
    list.splits.emplace_back();
  }
  return list;
}

double cosine(const FeatureList& list, std::size_t i, std::size_t j) {
  double ij = 0, ii = 0, jj = 0;
  for (std::size_t d = 0; d < list.width; ++d) {
    const double a = list.values[i * list.width + d], b = list.values[j * list.width + d];
    ij += a * b, ii += a * a, jj += b * b;
  }
  return ij / std::sqrt(ii * jj);
}

TEST(NearDuplicates, PairsAreThoseOfEveryPair) {
  // More than two blocks, and one that is not full.
  const FeatureList list = random_features(1100, 4);
  std::vector<std::pair<std::size_t, std::size_t>> expected;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t j = i + 1; j < list.size(); ++j) {
      if (cosine(list, i, j) >= 0.99) expected.emplace_back(i, j);
    }
  }
  ASSERT_GT(expected.size(), 100u);
  for (const int threads : {1, 3}) {
    const NearPairs found = near_pairs(list, 0.99, threads);
    EXPECT_EQ(found.pairs, expected);
    EXPECT_EQ(found.left_out, 0u);
  }
}

TEST(NearDuplicates, TheCosineFollowsFromTheNearestImages) {
  const FeatureList list = random_features(701, 6);
  std::vector<double> nearest;
  for (std::size_t i = 0; i < list.size(); ++i) {
    double largest = -1;
    for (std::size_t j = 0; j < list.size(); ++j) {
      if (i != j) largest = std::max(largest, cosine(list, i, j));
    }
    nearest.push_back(largest);
  }
  std::ranges::sort(nearest);
  const double expected = 1 - kNearShare * (1 - nearest[175]);
  EXPECT_NEAR(near_cosine(list, 1), expected, 1e-6);
  EXPECT_EQ(near_cosine(list, 3), near_cosine(list, 1));
  // The same images twice: all that can be told is what is equal, but for rounding.
  FeatureList twice = list;
  twice.values.insert(twice.values.end(), list.values.begin(), list.values.end());
  for (std::size_t i = 0; i < list.size(); ++i) {
    twice.images.push_back("again");
    twice.labels.push_back(0);
    twice.splits.emplace_back();
  }
  const double most = near_cosine(twice, 1);
  EXPECT_GE(most, 0.9999);
  EXPECT_GE(near_pairs(twice, most, 1).pairs.size(), list.size());
  EXPECT_LT(most, 1);
  // Sampled: 1,500 images have a cosine like the first 1,000 of them, which lie alike.
  EXPECT_NEAR(near_cosine(random_features(1500, 6), 1), expected, 0.01);
}

// 400 KB of features of width 1 are 5e9 pairs.
TEST(NearDuplicates, ManyNarrowFeaturesAreComparedOnlyWhenAsked) {
  Patient patient;
  patient.features = random_features(100'000, 1);
  patient.features->where = "narrow.npz";
  const auto look = [&] { found_by(patient, "near-duplicates"); };
  EXPECT_THROW(look(), Error);
  patient.features = random_features(2'000, 64);
  EXPECT_NO_THROW(look());
}

// 1,500 equal images of one class are 1,124,250 pairs: three blocks keep 333,334 each, which the
// first two reach.
TEST(NearDuplicates, SaysHowManyPairsAreLeftOut) {
  Patient patient;
  FeatureList& list = patient.features.emplace(random_features(1500, 2));
  std::ranges::fill(list.values, 1.0f);
  patient.path = list.where = "f.npz";
  patient.is_base = {1};
  const NearPairs found = near_pairs(list, 0.99, 2);
  EXPECT_GT(found.left_out, 0u);
  EXPECT_EQ(found.pairs.size() + found.left_out, 1500u * 1499 / 2);
  patient.options.near = 0.99;
  EXPECT_TRUE(has_text(found_by(patient, "near-duplicates"),
                       fmt::format("f.npz: only {} of 1124250 pairs of near-identical (cosine of "
                                   "0.99 or more) images were looked at",
                                   found.pairs.size())));
}

TEST(NearDuplicates, OneImageIsLikeNothing) {
  const FeatureList list = random_features(1, 4);
  EXPECT_TRUE(near_pairs(list, near_cosine(list, 1), 1).pairs.empty());
}

TEST(NearDuplicates, ZeroIsLikeNothing) {
  FeatureList list = random_features(3, 4);
  std::fill_n(list.values.begin(), 8, 0.0f);
  EXPECT_TRUE(near_pairs(list, 0.5, 1).pairs.empty());
}

// Features of four images, of two base and two new classes.
Patient features(const TempFolder& folder, std::vector<float> values, const std::string& splits) {
  const std::string path = folder.write(
      "f.npz", zip_of({stored("features.npy", npy("<f4", "(4, 2)", raw(values))),
                       stored("labels.npy", npy("<i4", "(4,)", raw<std::int32_t>({0, 1, 2, 3}))),
                       stored("names.npy", npy("|S1", "(4,)", "abcd")),
                       stored("splits.npy", npy("|S1", "(4,)", splits)),
                       stored("paths.npy", npy("|S1", "(4,)", "pqrs"))}));
  return open_patient(path, {});
}

TEST(NearDuplicates, AreSortedByWhatIsWrong) {
  const TempFolder folder;
  EXPECT_EQ(found_by(features(folder, {1, 0, 0, 1, -1, 0, 0, -1}, "aaaa"), "near-duplicates"), "");
  const std::vector<float> sick = {1, 0, 2, 0.01f, -1, 0, 0, -1};
  EXPECT_TRUE(has_text(found_by(features(folder, sick, "abab"), "near-duplicates"),
                       "1 pair of near-identical (cosine of 0.95 or more) images of different "
                       "splits\np (a) = q (b)"));
  EXPECT_TRUE(has_text(found_by(features(folder, sick, "aaaa"), "near-duplicates"),
                       "of different classes of one side\np = q"));
  EXPECT_TRUE(
      has_text(found_by(features(folder, {1, 0, 0, 1, 3, 0, 0, -1}, "aaaa"), "near-duplicates"),
               "of different sides\np (base) = r (new)"));
}

TEST(Features, AreRefusedByTheirPlace) {
  const TempFolder folder;
  const auto refused = [&](const std::string& labels, const std::vector<float>& values) {
    folder.write("f.npz", zip_of({stored("features.npy", npy("<f4", "(2, 1)", raw(values))),
                                  stored("labels.npy", labels),
                                  stored("names.npy", npy("|S1", "(2,)", "ab"))}));
    return testing::error_of([&] { open_patient(folder / "f.npz", {}); });
  };
  const auto labels = [](std::vector<std::int32_t> values) {
    return npy("<i4", "(" + std::to_string(values.size()) + ",)", raw(values));
  };
  EXPECT_TRUE(has_text(refused(labels({0, 2}), {1, 2}), "label[1] is 2; expected -1 to 1"));
  EXPECT_TRUE(has_text(refused(labels({0}), {1, 2}),
                       "label has 1 entries; expected 2, as features has rows"));
  EXPECT_TRUE(
      has_text(refused(labels({0, 1}), {1, std::nanf("")}), "features[1, 0] is not finite"));
  folder.write("f.npz", zip_of({stored("features.npy", npy("<f4", "(1, 1)", raw<float>({1}))),
                                stored("labels.npy", labels({2'000'000'000}))}));
  EXPECT_ERROR(open_patient(folder / "f.npz", {}), "label[0] is 2000000000; expected -1 to 999999");
}

}  // namespace
}  // namespace openworld
