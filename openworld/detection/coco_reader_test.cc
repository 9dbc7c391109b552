// Reading by windows. Refusals, one by one, are in tests/cli/test_detect.py.

#include "openworld/detection/coco_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "openworld/base/error.h"
#include "openworld/detection/openset_eval.h"
#include "openworld/detection/test_coco.h"

namespace openworld {
namespace {

constexpr const char* kTruth = R"({"info": {"a": [1, {"b": "]}"}]},
  "annotations": [{"id": 7, "image_id": 2, "category_id": 5, "bbox": [1, 2, 3, 4.5], "area": 13.5,
                   "iscrowd": 0, "segmentation": [[1, 2, 4, 2, 4, 6.5, 1, 6.5]]}],
  "images": [{"id": 9, "height": 20, "width": 30, "file_name": "b.jpg"},
             {"id": 2, "height": 20, "width": 30, "file_name": "a.jpg"}],
  "categories": [{"id": 5, "name": "cat"}, {"id": 1, "name": "dog"}]})";

TEST(CocoReader, KeysInAnyOrder) {
  const auto truth = read_coco_annotations(json_input(kTruth), IouType::kMask);
  ASSERT_EQ(truth.images.size(), 2u);
  EXPECT_EQ(truth.images[0].id, 2);  // ascending
  EXPECT_EQ(truth.categories[1].name, "cat");
  ASSERT_EQ(truth.objects.size(), 1u);
  EXPECT_EQ(truth.objects[0].image, 0u);
  EXPECT_EQ(truth.objects[0].category, 1u);
  EXPECT_EQ(truth.objects[0].box.height, 4.5);
  EXPECT_EQ(truth.masks.at(0).height, 20u);
}

// Many windows, with white space and nested values across their borders.
TEST(CocoReader, ManyWindows) {
  const auto truth = read_coco_annotations(json_input(kTruth), IouType::kBox);
  std::string text = "[";
  const std::size_t count = 60000;
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format(
        "{}\n  {{\"image_id\": {}, \"extra\": {{\"text\": \"a\\\"]}},\", \"n\": [[{}]]}}, "
        "\"category_id\": 1, \"bbox\": [{}, 0, 1, 1], \"score\": 0.5}}",
        i == 0 ? "" : ",", i % 2 == 0 ? 2 : 9, i, i);
  }
  text += "\n]\n";
  ASSERT_GT(text.size(), std::size_t{5} << 20);
  const auto results = read_coco_results(json_input(text), truth, {});
  ASSERT_EQ(results.detections.size(), count);
  EXPECT_LT(results.detections.capacity(), count + count / 4);  // little more than it holds
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(results.detections[i].box.x, static_cast<double>(i));
    EXPECT_EQ(results.detections[i].image, i % 2);
  }
  // Cut anywhere, it is refused: never a crash, never fewer detections.
  for (std::size_t cut = text.size() - 300; cut + 2 < text.size(); cut += 23) {
    EXPECT_THROW(read_coco_results(json_input(text.substr(0, cut)), truth, {}), Error);
  }
}

// An item larger than a window.
TEST(CocoReader, LargeItem) {
  const auto truth = read_coco_annotations(json_input(kTruth), IouType::kBox);
  const std::string long_text(3 << 20, 'x');
  const auto results = read_coco_results(
      json_input(fmt::format("[{{\"image_id\": 2, \"category_id\": 1, \"bbox\": [0, 0, 1, 1], "
                             "\"score\": 1, \"note\": \"{}\"}}]",
                             long_text)),
      truth, {});
  EXPECT_EQ(results.detections.size(), 1u);
}

TEST(CocoReader, MessagesNameTheEntry) {
  const auto truth = read_coco_annotations(json_input(kTruth, "a.json"), IouType::kBox);
  std::string text = "[";
  for (int i = 0; i < 40000; ++i) {
    text += R"({"image_id": 2, "category_id": 1, "bbox": [0, 0, 1, 1], "score": 0.5},)";
  }
  try {
    read_coco_results(
        json_input(
            text + R"({"image_id": 2, "category_id": 1, "bbox": [0, 0, NaN, 1], "score": 1}])",
            "r.json"),
        truth, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "[detect] r.json: entry 40000 has NaN, which is not JSON; expected finite numbers");
  }
}

TEST(CocoReader, EmptyResults) {
  const auto truth = read_coco_annotations(json_input(kTruth), IouType::kBox);
  EXPECT_TRUE(read_coco_results(json_input(" [ ] "), truth, {}).detections.empty());
  EXPECT_THROW(read_coco_results(json_input("[1,]"), truth, {}), Error);
  EXPECT_THROW(read_coco_results(json_input("[] x"), truth, {}), Error);
}

// Two disjoint objects, found with an IoU of 0.9 (score 0.9) and 0.8 (score 0.8): two true
// positives corrected. Published, the bound stays at 0.9 and the second is missed.
TEST(OpenSet, TheBoundIsResetOrNot) {
  const auto truth =
      read_coco_annotations(json_input(R"({"images": [{"id": 1, "file_name": "a.jpg"}],
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
        "annotations": [
          {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 1000, 1000], "area": 1e6},
          {"id": 2, "image_id": 1, "category_id": 1, "bbox": [2000, 0, 1000, 1000], "area": 1e6}]})"),
                            IouType::kBox);
  const auto file = read_openset_file(json_input(R"({"detections": {"a.jpg": {
        "all": {"boxes": [[0, 0, 1000, 900], [2000, 0, 3000, 800], [0, 0, 1000, 600]],
                "labels": ["cat", "cat", "dog"], "scores": [0.9, 0.8, 0.5], "entropy": [1, [2], 3]},
        "open-set": {"boxes": [[0, 0, 9, 9]], "labels": ["dog"], "scores": [0.7],
                     "entropy": [1.5]}}},
        "unc-types": [["scores", "low"], ["entropy", "high"]]})"),
                                      truth);
  OpenSetOptions options{.intervals = false};
  const auto corrected = evaluate_openset(truth, file, options);
  EXPECT_EQ(corrected.tp, 2);
  EXPECT_EQ(corrected.ose, 1);
  EXPECT_EQ(corrected.closed_errors, 1);  // the dog on the first cat
  // Scores: 0.9 and 0.8 above 0.7. Entropies, negated: -1 above -1.5 above -2.
  EXPECT_EQ(corrected.measures[0].metrics[0].value.value, 1);
  EXPECT_EQ(corrected.measures[1].metrics[0].value.value, 0.5);
  options.matching = OpenSetMatching::kPublished;
  const auto published = evaluate_openset(truth, file, options);
  EXPECT_EQ(published.tp, 1);
}

TEST(OpenSet, NoErrorsIsUndefined) {
  const auto truth =
      read_coco_annotations(json_input(R"({"images": [{"id": 1, "file_name": "a.jpg"}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9],
                         "area": 81}]})"),
                            IouType::kBox);
  const auto file =
      read_openset_file(json_input(R"({"unc-types": [["scores", "low"]], "detections": {"a.jpg": {
        "all": {"boxes": [[0, 0, 9, 9]], "labels": ["cat"], "scores": [0.9]},
        "open-set": {"boxes": [], "labels": [], "scores": []}}}})"),
                        truth);
  const auto evaluation = evaluate_openset(truth, file, {.intervals = false});
  EXPECT_EQ(evaluation.tp, 1);
  EXPECT_EQ(evaluation.measures[0].metrics[1].value.why, "no open-set error is left");
}

}  // namespace
}  // namespace openworld
