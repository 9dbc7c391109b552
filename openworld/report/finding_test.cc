#include "openworld/report/finding.h"

#include <gtest/gtest.h>

namespace openworld {
namespace {

Interval interval(double low, double high) {
  return {.low = low, .high = high, .level = 0.95, .method = "bootstrap"};
}

FindingInput two(double value, double difference, double low, double high, double p) {
  return {.metric = "OpenworldAUC",
          .where = "on shapes",
          .entries = {{.name = "zero-shot", .value = 0.0424},
                      {.name = "gmop",
                       .value = value,
                       .difference = difference,
                       .difference_interval = interval(low, high),
                       .p = p}},
          .reference = 0};
}

TEST(Finding, ASureGain) {
  EXPECT_EQ(finding_text(two(0.0513, 0.0089, 0.0053, 0.0127, 0.008)),
            "gmop raises OpenworldAUC on shapes from 4.24 (zero-shot) to 5.13: +0.89 points, 95 % "
            "interval +0.53 to +1.27, p = 0.0080.");
}

// The interval over datasets is about the next one.
TEST(Finding, SaysWhatHoldsOnANewDataset) {
  FindingInput input = two(0.0513, 0.0089, 0.0053, 0.0127, 0.008);
  input.entries[1].over_datasets = interval(-0.0054, 0.0232);
  EXPECT_TRUE(
      finding_text(input).ends_with("On a new dataset that is not certain: -0.54 to +2.32."));
  input.entries[1].over_datasets = interval(0.001, 0.0232);
  EXPECT_TRUE(
      finding_text(input).ends_with("On a new dataset the same is expected: +0.10 to +2.32."));
}

TEST(Finding, AGainThatMayBeChance) {
  EXPECT_EQ(finding_text(two(0.0451, 0.0027, -0.001, 0.0063, 0.18)),
            "No method is significantly better than zero-shot in OpenworldAUC on shapes: 4.24. The "
            "best, gmop, differs by +0.27 points (95 % interval -0.10 to +0.63, p = 0.1800).");
}

// Of many methods p is large whatever was found, which must not read as a finding.
TEST(Finding, AGainThatTooFewResamplesCannotShow) {
  FindingInput input = two(0.0513, 0.0089, 0.0053, 0.0127, 0.0896);
  input.too_few_resamples = true;
  EXPECT_EQ(finding_text(input),
            "No method can be shown by so few resamples to be significantly better than zero-shot "
            "in OpenworldAUC on shapes: 4.24. The best, gmop, differs by +0.89 points (95 % "
            "interval +0.53 to +1.27, p = 0.0896).");
}

TEST(Finding, ALoss) {
  EXPECT_EQ(finding_text(two(0.03, -0.0124, -0.02, -0.004, 0.001)),
            "No method comes up to zero-shot in OpenworldAUC on shapes: 4.24. The next, gmop, is "
            "-1.24 points away (95 % interval -2.00 to -0.40, p = 0.0010).");
}

TEST(Finding, WithoutIntervals) {
  FindingInput input = two(0.0513, 0.0089, 0, 0, 0);
  input.entries[1].difference_interval.reset();
  input.entries[1].p.reset();
  EXPECT_EQ(finding_text(input),
            "gmop has the best OpenworldAUC on shapes: 5.13 against 4.24 of zero-shot. No interval "
            "was computed.");
  input.entries[1].difference.reset();
  EXPECT_EQ(finding_text(input),
            "gmop has the best OpenworldAUC on shapes among 2 methods: 5.13; the differences were "
            "not tested.");
}

TEST(Finding, OfDifferentSamplesNoneIsBest) {
  FindingInput input = two(0.0513, 0.0089, 0, 0, 0);
  input.reference.reset();
  input.same_samples = false;
  input.entries.push_back({.name = "wine", .value = 1});
  EXPECT_EQ(finding_text(input),
            "The 3 files are of different samples and are not compared: OpenworldAUC is "
            "between 4.24 (zero-shot) and 100.00 (wine).");
}

TEST(Finding, OneEntry) {
  const FindingInput input{
      .metric = "FPR@95TPR",
      .higher_is_better = false,
      .where = {},
      .entries = {{.name = "a", .value = 0.2, .interval = interval(0.1, 0.3)}}};
  EXPECT_EQ(finding_text(input), "a has FPR@95TPR 20.00 (95 % interval 10.00 to 30.00).");
  EXPECT_EQ(finding_text({.metric = "x", .where = {}, .entries = {}}), "");
}

// Lower is better: the best is the lowest, and a gain lowers.
TEST(Finding, LowerIsBetter) {
  FindingInput input = two(0.03, -0.0124, -0.02, -0.004, 0.001);
  input.higher_is_better = false;
  EXPECT_TRUE(finding_text(input).starts_with(
      "gmop lowers OpenworldAUC on shapes from 4.24 (zero-shot) to 3.00: -1.24 points"));
}

}  // namespace
}  // namespace openworld
