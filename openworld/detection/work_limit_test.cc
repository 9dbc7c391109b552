#include "openworld/detection/work_limit.h"

#include <gtest/gtest.h>

#include "openworld/base/error.h"
#include "openworld/detection/coco_matching.h"
#include "openworld/detection/openset_matching.h"
#include "openworld/detection/test_coco.h"

namespace openworld {
namespace {

TEST(WorkLimit, GrowsWithTheFiles) {
  EXPECT_NO_THROW(request_steps(kFreeSteps, 0, "masks"));
  EXPECT_THROW(request_steps(kFreeSteps + 1, 0, "masks"), Error);
  EXPECT_NO_THROW(request_steps(kFreeSteps + 1000 * kStepsPerByte, 1000, "masks"));
}

// Runs of 1 pixel: as a text 10 KB. Each of 1,000 objects, 100 bytes in a file, is compared with
// each of 100 of them.
TEST(WorkLimit, ManyObjectsAndLongMasks) {
  constexpr std::uint32_t kSide = 200;
  CocoAnnotations truth = empty_truth(1, 1);
  for (int i = 0; i < 1000; ++i) {
    add_object(truth, 0, 0, {0, 0, 9, 9});
    truth.masks.push_back(mask_from_runs({0, kSide * kSide}, kSide, kSide));
  }
  CocoResults results;
  const Mask stripes = mask_from_runs(std::vector<std::uint32_t>(kSide * kSide, 1), kSide, kSide);
  for (int i = 0; i < 100; ++i) {
    results.detections.push_back({0, 0, {0, 0, 9, 9}, 0.5});
    results.masks.push_back(stripes);
  }
  CocoParams params;
  params.type = IouType::kMask;
  EXPECT_THROW(match_detections(truth, results, params), Error);
  results.detections.resize(10);
  results.masks.resize(10);
  EXPECT_NO_THROW(match_detections(truth, results, params));
}

TEST(WorkLimit, ManyBoxesInOneImage) {
  CocoAnnotations truth = empty_truth(1, 1);
  constexpr std::size_t kCount = 40'000;
  OpenSetFile file;
  file.images = {0};
  for (std::size_t i = 0; i < kCount; ++i) {
    add_object(truth, 0, 0, {0, 0, 9, 9});
    file.all.image.push_back(0);
    file.all.category.push_back(0);
    file.all.box.push_back({50, 50, 60, 60});
    file.all.score.push_back(0.5);
  }
  EXPECT_THROW(match_openset(truth, file, OpenSetMatching::kCorrected), Error);
  truth.objects.resize(10);
  EXPECT_NO_THROW(match_openset(truth, file, OpenSetMatching::kPublished));
}

}  // namespace
}  // namespace openworld
