#include "openworld/doctor/label_order.h"

#include "openworld/base/random.h"
#include "openworld/doctor/test_doctor.h"
#include "openworld/predictions/logit_predictions.h"

namespace openworld {
namespace {

using testing::found_by;
using testing::has_text;
using testing::TempFolder;

// `count` samples of each of `classes` classes; answer(label, random) says what is answered.
template <class Answer>
std::vector<MovedClass> moved(std::int32_t classes, int count, const Answer& answer) {
  Random random(3);
  std::vector<std::int32_t> labels, answers;
  for (std::int32_t c = 0; c < classes; ++c) {
    for (int i = 0; i < count; ++i) {
      labels.push_back(c);
      answers.push_back(answer(c, random));
    }
  }
  return moved_classes(labels, answers);
}

std::int32_t any(std::int32_t classes, Random& random) {
  return static_cast<std::int32_t>(random.uniform() * classes);
}

TEST(LabelOrder, NoClassifierAloneMovesClasses) {
  for (const std::int32_t classes : {2, 3, 10, 100}) {
    const auto random_answer = [&](std::int32_t, Random& random) { return any(classes, random); };
    const auto one_answer = [](std::int32_t, Random&) { return 0; };
    const auto often_right = [&](std::int32_t c, Random& random) {
      return random.uniform() < 0.3 ? c : any(classes, random);
    };
    for (const int count : {1, 2, 5, 20, 100}) {
      EXPECT_TRUE(moved(classes, count, random_answer).empty()) << classes << " " << count;
      EXPECT_TRUE(moved(classes, count, one_answer).empty()) << classes << " " << count;
      EXPECT_TRUE(moved(classes, count, often_right).empty()) << classes << " " << count;
    }
  }
}

TEST(LabelOrder, OneConfusedClassIsNoOrder) {
  // Every sample of class 1 is answered 0, and class 0 is answered right.
  EXPECT_TRUE(moved(10, 50, [](std::int32_t c, Random&) { return c == 1 ? 0 : c; }).empty());
}

TEST(LabelOrder, ShiftsAndSwapsAreFound) {
  const auto noisy = [](auto order) {
    return [order](std::int32_t c, Random& random) {
      return random.uniform() < 0.8 ? order(c) : any(10, random);
    };
  };
  EXPECT_EQ(moved(10, 50, noisy([](std::int32_t c) { return (c + 1) % 10; })).size(), 10u);
  const auto swapped = moved(10, 50, noisy([](std::int32_t c) {
                               return c == 2 ? 7 : c == 7 ? 2 : c;
                             }));
  ASSERT_EQ(swapped.size(), 2u);
  EXPECT_EQ(swapped[0].label, 2);
  EXPECT_EQ(swapped[0].answered, 7);
  EXPECT_EQ(swapped[0].samples, 50);
  EXPECT_GT(swapped[0].as_other, 30);
  EXPECT_EQ(swapped[1].label, 7);
}

// Predictions of a perfect classifier of two base and two new names; labels are `order` of them.
Patient predictions(const TempFolder& folder, const std::vector<std::int32_t>& order) {
  std::vector<std::int32_t> labels;
  std::vector<float> r, base_logits, new_logits;
  for (std::int32_t c = 0; c < 4; ++c) {
    for (int i = 0; i < 10; ++i) {
      labels.push_back(order[static_cast<std::size_t>(c)]);
      r.push_back(static_cast<float>(c < 2));
      for (std::int32_t k = 0; k < 2; ++k) base_logits.push_back(k == c ? 2.0f : 1.0f);
      for (std::int32_t k = 2; k < 4; ++k) new_logits.push_back(k == c ? 2.0f : 1.0f);
    }
  }
  LogitPredictions p{.side = {},
                     .label = {},
                     .score = r,
                     .base_logits = base_logits,
                     .new_logits = new_logits,
                     .base_classes = 2,
                     .new_classes = 2,
                     .classes = {"cat", "dog", "cup", "bus"},
                     .meta = ""};
  set_sides(p, labels, 2);
  save_logit_predictions(p, folder / "p.npz", "test");
  return open_patient(folder / "p.npz", {});
}

TEST(LabelOrder, ThePredictionsNameTheClasses) {
  const TempFolder folder;
  EXPECT_EQ(found_by(predictions(folder, {0, 1, 2, 3}), "label-order"), "");
  const std::string found = found_by(predictions(folder, {0, 1, 3, 2}), "label-order");
  EXPECT_TRUE(has_text(found, "\"cup\": 10 of 10 answered \"bus\", 0 as itself")) << found;
}

}  // namespace
}  // namespace openworld
