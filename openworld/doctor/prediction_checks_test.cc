// The checks of predictions, each with a file that is healthy and one that is not.

#include "openworld/base/random.h"
#include "openworld/doctor/test_doctor.h"
#include "openworld/predictions/test_predictions.h"

namespace openworld {
namespace {

using testing::Arrays;
using testing::findings_of;
using testing::found_by;
using testing::has_text;
using testing::npy;
using testing::raw;
using testing::TempFolder;

// Predictions of `count` base samples, then as many of `other` side, with these scores.
Patient with_scores(const TempFolder& folder, const std::vector<float>& score, signed char other) {
  const std::size_t count = score.size() / 2;
  std::vector<signed char> side(count, 0);
  side.resize(score.size(), other);
  const std::string shape = "(" + std::to_string(score.size()) + ",)";
  const Arrays arrays = Arrays()
                            .set("side", npy("|i1", shape, raw(side)))
                            .set("score", npy("<f4", shape, raw(score)))
                            .set("correct", npy("|b1", shape, std::string(score.size(), '\1')));
  return open_patient(folder.write("p.npz", arrays.npz()), {});
}

// Base samples that score higher by `gain`, or lower.
std::vector<float> scores(float gain, std::size_t count = 40) {
  Random random(1);
  std::vector<float> values;
  for (std::size_t i = 0; i < 2 * count; ++i) {
    values.push_back(static_cast<float>(random.uniform()) + (i < count ? gain : 0));
  }
  return values;
}

TEST(ReversedScore, IsFoundBeyondChanceOnly) {
  const TempFolder folder;
  EXPECT_EQ(found_by(with_scores(folder, scores(0.5f), 1), "reversed-score"), "");
  // Below a half, but by chance.
  EXPECT_EQ(found_by(with_scores(folder, scores(0.07f), 1), "reversed-score"), "");
  const Patient sick = with_scores(folder, scores(-0.5f), 1);
  const std::vector<Finding> findings = findings_of(sick, "reversed-score");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_TRUE(has_text(findings[0].what, "base against new samples")) << findings[0].what;
  EXPECT_TRUE(has_text(findings[0].fix, "p['score'] = -p['score']")) << findings[0].fix;
  EXPECT_TRUE(has_text(findings[0].fix, "p-fixed.npz")) << findings[0].fix;
  EXPECT_TRUE(has_text(found_by(with_scores(folder, scores(-0.5f), -1), "reversed-score"),
                       "base against unknown samples"));
}

// Logits of two base and one new names for `rows` samples; the first `tied` rows have equal ones.
Patient with_logits(const TempFolder& folder, std::size_t rows, std::size_t tied) {
  std::vector<signed char> side;
  std::vector<std::int32_t> label;
  std::vector<float> base, other;
  for (std::size_t i = 0; i < rows; ++i) {
    side.push_back(static_cast<signed char>(i % 2));
    label.push_back(0);
    base.insert(base.end(), {1.0f, i < tied ? 1.0f : 0.5f});
    other.push_back(static_cast<float>(i % 7) * 0.01f);
  }
  const std::string n = std::to_string(rows);
  const Arrays arrays = Arrays()
                            .drop("score")
                            .drop("correct")
                            .set("side", npy("|i1", "(" + n + ",)", raw(side)))
                            .set("label", npy("<i4", "(" + n + ",)", raw(label)))
                            .set("base_logits", npy("<f4", "(" + n + ", 2)", raw(base)))
                            .set("new_logits", npy("<f4", "(" + n + ", 1)", raw(other)));
  return open_patient(folder.write("logits.npz", arrays.npz()), {});
}

TEST(TiedLogits, AreFoundAboveOneInTenThousand) {
  const TempFolder folder;
  EXPECT_EQ(found_by(with_logits(folder, 100, 0), "tied-logits"), "");
  EXPECT_EQ(found_by(with_logits(folder, 10000, 1), "tied-logits"), "");
  EXPECT_TRUE(has_text(found_by(with_logits(folder, 100, 4), "tied-logits"),
                       "occurs twice in 4 of 100 samples (4 %)"));
}

TEST(SaturatedProbabilities, AreThoseRoundedToZeroOrOne) {
  const TempFolder folder;
  std::vector<float> values = scores(0, 100);
  EXPECT_EQ(found_by(with_scores(folder, values, 1), "saturated-probabilities"), "");
  values[0] = 1;
  values[199] = 0;
  EXPECT_EQ(found_by(with_scores(folder, values, 1), "saturated-probabilities"), "") << "1 %";
  values[1] = 1;
  const std::string found = found_by(with_scores(folder, values, 1), "saturated-probabilities");
  EXPECT_TRUE(has_text(found, "exactly 1 in 2 of 200 samples (1 %) and exactly 0 in 1")) << found;
  const Finding finding =
      findings_of(with_scores(folder, values, 1), "saturated-probabilities").at(0);
  EXPECT_TRUE(has_text(finding.fix, "`openworld score --score base_over_new`")) << finding.fix;
  // Scores beyond 0 and 1 are no probabilities.
  values[2] = 1.5f;
  EXPECT_EQ(found_by(with_scores(folder, values, 1), "saturated-probabilities"), "");
}

}  // namespace
}  // namespace openworld
