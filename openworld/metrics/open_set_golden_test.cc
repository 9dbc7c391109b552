// Open-set metrics on one small set against scikit-learn 1.2.1, whose y_true and y_pred have the
// open class as a fourth class and labels=[0, 1, 2] for the closed ones.

#include <gtest/gtest.h>

#include "openworld/metrics/normalised_accuracy.h"
#include "openworld/metrics/open_set_f.h"
#include "openworld/metrics/test_util.h"
#include "openworld/metrics/tp_ose.h"
#include "openworld/metrics/youden.h"

namespace openworld {
namespace {

class OpenSetGolden : public testing::Test {
 protected:
  static TestSet make() {
    TestSet set;
    set.base_classes = 3;
    set.label = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0};
    set.predicted = {0, 0, 1, 0, 1, 1, 2, 1, 2, 0, 2, 2, 0, 1, 1, 2, 0, 0};
    const double r[] = {0.9,  0.8, 0.7,  0.3, 0.95, 0.6, 0.55, 0.2,  0.85,
                        0.65, 0.5, 0.45, 0.1, 0.15, 0.4, 0.75, 0.35, 0.05};
    for (std::size_t i = 0; i < 18; ++i) {
      const Side side = i < 12 ? Side::kBase : Side::kUnknown;
      set.add(side, r[i], set.label[i] == set.predicted[i]);
    }
    return set;
  }

  const TestSet set_ = make();
  const RankedScores ranked_{set_.outcomes(), RankedScores::Keep::kOrder};
  const Ranking ranking_{ranked_};
  const MetricOptions at_{.threshold = 0.4};
};

// P = precision_score(average="macro"), R = recall_score(average="macro"), 2 P R / (P + R).
// f1_score(average="macro") is another number, 0.6031746: it averages F-scores.
TEST_F(OpenSetGolden, Macro) {
  EXPECT_NEAR(open_f_macro(ranking_, at_).value, 0.61236802413273, 1e-14);
  EXPECT_NEAR(open_f_macro(ranking_).value, 0.6666666666666665, 1e-14);
  EXPECT_EQ(open_f_macro(ranking_).threshold, 0.15);
}

// f1_score(average="micro").
TEST_F(OpenSetGolden, Micro) {
  EXPECT_NEAR(open_f_micro(ranking_, at_).value, 0.6086956521739131, 1e-14);
  EXPECT_NEAR(open_f_micro(ranking_).value, 0.6666666666666665, 1e-14);
}

// From multilabel_confusion_matrix(labels=[0, 1, 2, 3]).
TEST_F(OpenSetGolden, YoudenAndNormalisedAccuracy) {
  EXPECT_NEAR(youden_j(ranking_, at_).value, 0.48809523809523814, 1e-14);
  EXPECT_NEAR(youden_j(ranking_).value, 0.6071428571428572, 1e-14);
  EXPECT_NEAR(aks(ranking_, at_).value, 0.8333333333333334, 1e-14);
  EXPECT_NEAR(aus(ranking_, at_).value, 0.7142857142857143, 1e-14);
  EXPECT_NEAR(normalised_acc(ranking_, at_).value, 0.7738095238095238, 1e-14);
  EXPECT_NEAR(normalised_acc(ranking_).value, 0.9166666666666667, 1e-14);
  EXPECT_EQ(aus(ranking_).value, 1);
}

TEST_F(OpenSetGolden, LambdaMixes) {
  const NormalisedAccuracy a = normalised_accuracy(ranking_, at_, 0.3);
  EXPECT_NEAR(a.na.value, 0.3 * a.aks.value + 0.7 * a.aus.value, 1e-15);
  EXPECT_EQ(a.na.threshold, 0.4);
}

TEST_F(OpenSetGolden, Counts) {
  EXPECT_EQ(tp_count(ranking_, at_).value, 7);
  EXPECT_EQ(ose_count(ranking_, at_).value, 1);
  EXPECT_EQ(tp_count(ranking_).value, 9);
  EXPECT_EQ(ose_count(ranking_).value, 6);
}

}  // namespace
}  // namespace openworld
