// Twelve numbers derived on paper, and properties of the evaluation. tests/cli/test_detect.py holds
// it against a rendering of the reference in NumPy.

#include "openworld/detection/coco_eval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/detection/coco_resampling.h"
#include "openworld/detection/test_coco.h"

namespace openworld {
namespace {

enum {
  kAp,
  kAp50,
  kAp75,
  kSmall,
  kMedium,
  kLarge,
  kAr1,
  kAr10,
  kAr100,
  kArSmall,
  kArMedium,
  kArLarge
};

constexpr double kTiny = 1e-12;

TEST(CocoEval, ThresholdsAreThoseOfNumPy) {
  const CocoParams params;
  // numpy.linspace(.5, .95, 10) and numpy.linspace(0, 1, 101), printed with repr.
  EXPECT_EQ(params.iou_thresholds[5], 0.75);
  EXPECT_EQ(params.iou_thresholds[9], 0.95);
  EXPECT_EQ(params.recall_thresholds[100], 1.0);
  EXPECT_EQ(params.recall_thresholds[29], 0.29);
}

// One object of 10 x 10 pixels, found exactly. Precision is 1 / (1 + 2^-52) at every recall and
// threshold, and 100 square pixels are small: medium and large have no objects.
TEST(CocoEval, OneObjectFound) {
  CocoAnnotations truth = empty_truth(1, 1);
  add_object(truth, 0, 0, {0, 0, 10, 10});
  const CocoResults results{.detections = {{0, 0, {0, 0, 10, 10}, 0.9}}};
  const auto stats = stats_of(truth, results);
  for (const int s : {kAp, kAp50, kAp75, kSmall, kAr1, kAr10, kAr100, kArSmall}) {
    EXPECT_NEAR(stats[s], 1, kTiny) << s;
  }
  for (const int s : {kMedium, kLarge, kArMedium, kArLarge}) EXPECT_EQ(stats[s], -1) << s;
}

// Two objects; the best detection is wrong, the second finds one object. Precision is 1/2 where
// recall reaches 1/2: at 0, 0.01, ... 0.50, which are 51 of 101 recalls. With one detection an
// image nothing is found.
TEST(CocoEval, AFalsePositiveFirst) {
  CocoAnnotations truth = empty_truth(1, 1);
  add_object(truth, 0, 0, {0, 0, 10, 10});
  add_object(truth, 0, 0, {50, 50, 10, 10});
  const CocoResults results{
      .detections = {{0, 0, {0, 0, 10, 10}, 0.8}, {0, 0, {80, 0, 10, 10}, 0.9}}};
  const auto stats = stats_of(truth, results);
  EXPECT_NEAR(stats[kAp], 51 * 0.5 / 101, kTiny);
  EXPECT_NEAR(stats[kAp50], 51 * 0.5 / 101, kTiny);
  EXPECT_EQ(stats[kAr1], 0);
  EXPECT_NEAR(stats[kAr10], 0.5, kTiny);
  EXPECT_NEAR(stats[kAr100], 0.5, kTiny);
}

// IoU 60 / 100 = 0.6: found at the thresholds 0.50, 0.55 and 0.60, three of ten.
TEST(CocoEval, LooseBox) {
  CocoAnnotations truth = empty_truth(1, 1);
  add_object(truth, 0, 0, {0, 0, 10, 10});
  const CocoResults results{.detections = {{0, 0, {0, 0, 10, 6}, 0.5}}};
  const auto stats = stats_of(truth, results);
  EXPECT_NEAR(stats[kAp], 0.3, kTiny);
  EXPECT_NEAR(stats[kAp50], 1, kTiny);
  EXPECT_EQ(stats[kAp75], 0);
  EXPECT_NEAR(stats[kAr100], 0.3, kTiny);
}

// Three detections inside a crowd count neither way: the crowd is no object, matches all three by
// their own areas, and leaves the one true positive alone.
TEST(CocoEval, CrowdsAreIgnored) {
  CocoAnnotations truth = empty_truth(1, 1);
  add_object(truth, 0, 0, {0, 0, 10, 10});
  add_object(truth, 0, 0, {20, 20, 60, 60}, true);
  CocoResults results{.detections = {{0, 0, {0, 0, 10, 10}, 0.1}}};
  for (int i = 0; i < 3; ++i) {
    results.detections.push_back({0, 0, {30.0 + 10 * i, 30, 5, 5}, 0.9});
  }
  EXPECT_NEAR(stats_of(truth, results)[kAp], 1, kTiny);
  truth.objects[1].crowd = false;
  // As an ordinary object it is not found, and the three are false positives before the hit:
  // precision 1/4 at recalls up to 1/2. Its 3,600 square pixels are a medium object.
  const auto stats = stats_of(truth, results);
  EXPECT_NEAR(stats[kAp], 51 * 0.25 / 101, kTiny);
  EXPECT_EQ(stats[kMedium], 0);
  // Among the small it is ignored, and the three, which are small, stay false positives.
  EXPECT_NEAR(stats[kSmall], 0.25, kTiny);
}

// With equal scores the file decides: right then wrong gives 1, wrong then right 1/2.
TEST(CocoEval, TiesFollowTheFile) {
  CocoAnnotations truth = empty_truth(1, 1);
  add_object(truth, 0, 0, {0, 0, 10, 10});
  CocoResults results{.detections = {{0, 0, {0, 0, 10, 10}, 0.5}, {0, 0, {50, 0, 10, 10}, 0.5}}};
  EXPECT_NEAR(stats_of(truth, results)[kAp], 1, kTiny);
  std::swap(results.detections[0], results.detections[1]);
  EXPECT_NEAR(stats_of(truth, results)[kAp], 0.5, kTiny);
}

// Over images with equal scores the lower id comes first, whatever the order of the file.
TEST(CocoEval, TiesOverImagesFollowIds) {
  CocoAnnotations truth = empty_truth(2, 1);
  add_object(truth, 0, 0, {0, 0, 10, 10});
  const CocoResults results{
      .detections = {{1, 0, {50, 0, 10, 10}, 0.5}, {0, 0, {0, 0, 10, 10}, 0.5}}};
  EXPECT_NEAR(stats_of(truth, results)[kAp], 1, kTiny);
}

// The hundred best of an image and category count: the 101st, which is right, does not.
TEST(CocoEval, AHundredDetections) {
  CocoAnnotations truth = empty_truth(1, 1);
  add_object(truth, 0, 0, {0, 0, 10, 10});
  CocoResults results{.detections = {{0, 0, {0, 0, 10, 10}, 0.1}}};
  for (int i = 0; i < 99; ++i) results.detections.push_back({0, 0, {50, 50, 5, 5}, 0.5});
  EXPECT_NEAR(stats_of(truth, results)[kAp], 0.01, kTiny);
  results.detections.push_back({0, 0, {50, 50, 5, 5}, 0.5});
  EXPECT_EQ(stats_of(truth, results)[kAp], 0);
}

// pycocotools reads the id 0 as "no match".
TEST(CocoEval, TheIdZeroIsNoMatch) {
  CocoAnnotations truth = empty_truth(1, 1);
  add_object(truth, 0, 0, {0, 0, 10, 10});
  truth.objects[0].id = 0;
  const CocoResults results{.detections = {{0, 0, {0, 0, 10, 10}, 0.9}}};
  EXPECT_EQ(stats_of(truth, results)[kAp], 0);
}

struct World {
  CocoAnnotations truth;
  CocoResults results;
};

World random_world(std::uint64_t seed) {
  Random random(seed);
  World world{empty_truth(12, 3), {}};
  const auto box = [&] {
    const double size = 4 + 60 * random.uniform() * random.uniform();
    return Box{30 * random.uniform(), 30 * random.uniform(), size, size * (0.5 + random.uniform())};
  };
  for (int i = 0; i < 60; ++i) {
    add_object(world.truth, static_cast<std::uint32_t>(random.below(12)),
               static_cast<std::uint32_t>(random.below(3)), box(), random.below(12) == 0);
  }
  for (int i = 0; i < 300; ++i) {
    CocoDetection d{static_cast<std::uint32_t>(random.below(12)),
                    static_cast<std::uint32_t>(random.below(3)), box(),
                    static_cast<double>(random.below(1u << 30)) / (1u << 30)};
    if (random.below(2) == 0) {
      const CocoObject& object = world.truth.objects[random.below(60)];
      d.image = object.image;
      d.category = object.category;
      d.box = object.box;
      d.box.x += random.uniform();
      d.box.width *= 0.8 + 0.4 * random.uniform();
    }
    world.results.detections.push_back(d);
  }
  return world;
}

TEST(CocoEval, OrderOfImagesObjectsAndDetectionsDoesNotMatter) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const World world = random_world(seed);
    const auto stats = stats_of(world.truth, world.results);
    // Scores are distinct, so that nothing is decided by the order.
    World mixed = world;
    Random random(seed, 7);
    std::vector<std::uint32_t> place(12);
    std::iota(place.begin(), place.end(), 0u);
    shuffle(place, random);
    for (auto& object : mixed.truth.objects) object.image = place[object.image];
    for (auto& d : mixed.results.detections) d.image = place[d.image];
    std::reverse(mixed.truth.objects.begin(), mixed.truth.objects.end());
    std::reverse(mixed.results.detections.begin(), mixed.results.detections.end());
    const auto again = stats_of(mixed.truth, mixed.results);
    for (std::size_t s = 0; s < kCocoStats; ++s) EXPECT_EQ(stats[s], again[s]) << seed << ' ' << s;
  }
}

TEST(CocoEval, ThreadsChangeNothing) {
  const World world = random_world(3);
  EXPECT_EQ(stats_of(world.truth, world.results, 1), stats_of(world.truth, world.results, 3));
}

TEST(CocoEval, APerfectDetectorHasOne) {
  World world = random_world(4);
  world.results.detections.clear();
  double score = 1;
  for (const CocoObject& object : world.truth.objects) {
    if (object.crowd) continue;
    world.results.detections.push_back({object.image, object.category, object.box, score -= 1e-3});
  }
  const auto stats = stats_of(world.truth, world.results);
  for (std::size_t s : {kAp, kAp50, kAp75, kAr100}) EXPECT_NEAR(stats[s], 1, kTiny);
}

TEST(CocoEval, AFalsePositiveNeverRaisesAp) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    World world = random_world(seed);
    const auto before = stats_of(world.truth, world.results);
    double lowest = 1;
    for (const auto& d : world.results.detections) lowest = std::min(lowest, d.score);
    world.results.detections.push_back({0, 0, {90, 90, 5, 5}, lowest / 2});
    const auto after = stats_of(world.truth, world.results);
    for (std::size_t s = 0; s < kCocoStats; ++s) EXPECT_LE(after[s], before[s]) << seed;
  }
}

TEST(CocoEval, MeansNeedAPartOfTheArrays) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    World world = random_world(seed);
    world.truth.categories.push_back({.id = 1000, .name = "without objects"});
    const CocoParams params;
    const auto matches = match_detections(world.truth, world.results, params);
    const auto all = accumulate(matches, params);
    const auto part = accumulate(matches, params, CocoArrays::kForMeans);
    EXPECT_EQ(coco_stats(part, params), coco_stats(all, params));
    for (std::size_t k = 0; k < matches.size(); ++k) {
      EXPECT_EQ(mean_precision(part, 0, 2, kAllOf, k), mean_precision(all, 0, 2, kAllOf, k));
      EXPECT_EQ(mean_recall(part, 1, 0, 3, k), mean_recall(all, 1, 0, 3, k));
    }
    EXPECT_EQ((part.precision.size() + part.recall.size()) * sizeof(double),
              means_bytes(matches, params));
    EXPECT_TRUE(part.scores.empty());
  }
}

TEST(CocoResampling, WeightsOfOneGiveTheEstimate) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const World world = random_world(seed);
    const CocoParams params;
    const auto matches = match_detections(world.truth, world.results, params);
    const auto evaluation = accumulate(matches, params);
    const auto stats = coco_stats(evaluation, params);
    const CocoResampling resampling(matches, params);
    std::vector<double> values(resampling.statistics());
    resampling.evaluate(std::vector<std::uint8_t>(12, 1), values);
    for (std::size_t s = 0; s < kCocoStats; ++s) {
      if (stats[s] < 0) {
        EXPECT_TRUE(std::isnan(values[s]));
      } else {
        EXPECT_NEAR(values[s], stats[s], kTiny) << s;
      }
    }
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(values[kCocoStats + k], mean_precision(evaluation, 0, 2, kAllOf, k), kTiny);
    }
  }
}

// An image drawn twice is the image and a copy of it.
TEST(CocoResampling, AWeightIsACopy) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const World world = random_world(seed);
    Random random(seed, 3);
    std::vector<std::uint8_t> weights(12);
    for (auto& weight : weights) weight = static_cast<std::uint8_t>(random.below(4));
    World copied{empty_truth(0, 3), {}};
    for (std::uint32_t i = 0; i < 12; ++i) {
      for (int copy = 0; copy < weights[i]; ++copy) {
        const auto image = static_cast<std::uint32_t>(copied.truth.images.size());
        copied.truth.images.push_back({image + 1, 100, 100, ""});
        for (const CocoObject& object : world.truth.objects) {
          if (object.image != i) continue;
          copied.truth.objects.push_back(object);
          copied.truth.objects.back().image = image;
        }
        for (CocoDetection d : world.results.detections) {
          if (d.image != i) continue;
          d.image = image;
          copied.results.detections.push_back(d);
        }
      }
    }
    const CocoParams params;
    const auto matches = match_detections(world.truth, world.results, params);
    const CocoResampling resampling(matches, params);
    std::vector<double> values(resampling.statistics());
    resampling.evaluate(weights, values);
    const auto stats = stats_of(copied.truth, copied.results);
    for (std::size_t s = 0; s < kCocoStats; ++s) {
      EXPECT_NEAR(std::isnan(values[s]) ? -1 : values[s], stats[s], kTiny) << seed << ' ' << s;
    }
  }
}

TEST(CocoResampling, ADetectorDoesNotDifferFromItself) {
  const World world = random_world(5);
  const CocoParams params;
  const auto matches = match_detections(world.truth, world.results, params);
  const CocoResampling resampling(matches, params);
  const auto differences =
      coco_differences(resampling, resampling, 12, {.resamples = 50, .threads = 1});
  EXPECT_EQ(differences[kAp].difference, 0);
  EXPECT_EQ(differences[kAp].p_value, 1);
  EXPECT_FALSE(differences[kAp].bootstrap.interval);
}

TEST(CocoEval, RefusesParams) {
  CocoParams params;
  params.max_dets = {};
  EXPECT_THROW(match_detections(empty_truth(1, 1), {}, params), Error);
  params = {};
  params.iou_thresholds.assign(65, 0.5);
  EXPECT_THROW(match_detections(empty_truth(1, 1), {}, params), Error);
}

}  // namespace
}  // namespace openworld
