#pragma once

// How many test samples and seeds an interval of a given half-width needs, from the variance
// components of a pilot (variance_components.h).
//
// The interval is that of the metric averaged over S seeds, all tested on the same N_b base and N_o
// open samples. With c the variances that all seeds share and d those of a seed's own,
//
//   half^2 = z^2 (c_b / N_b + c_o / N_o)
//          + t_{S-1}^2 (V_seed + d_b / N_b + d_o / N_o + S_bo / (N_b N_o)) / S
//
// What differs from seed to seed is estimated from S values, hence Student's t; the rest from many
// samples, hence z. The two are squared and added (Zou and Donner, 2008, as square_and_add). With
// one seed it is the interval of that model alone: z for all, and no V_seed.
//
// The components are estimates. With se the standard error of half^2 by theirs (fourth moments of
// the influences; between^2 2/(S' - 1) for S' seeds of the pilot), half^2 is taken as chi-squared
// with 2 half^4 / se^2 degrees of freedom, at least 1 (Satterthwaite, 1946), which gives its range.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "openworld/analysis/variance_components.h"
#include "openworld/stats/proportions.h"

namespace openworld {

// A study: sizes of the test set, 0 for a side that the metric does not read, and seeds.
struct StudySize {
  std::int64_t base = 0;
  std::int64_t other = 0;
  std::size_t seeds = 1;
};

struct PlannedStudy {
  StudySize size{};
  double half_width = 0;
  Bounds range{};  // of the half-width, for the uncertainty of the pilot
};

// What is asked for. What is not given is chosen: the ratio and the seeds of the pilot; where its
// seeds cannot do, the fewest that leave half of the squared half-width to the samples.
struct SampleSizeRequest {
  double half_width = 0;
  double level = 0.95;
  std::optional<double> ratio{};        // open samples per base sample
  std::optional<std::int64_t> base{};   // fixed number of base samples
  std::optional<std::int64_t> other{};  // fixed number of open samples
  std::optional<std::size_t> seeds{};   // fixed number of seeds
};

struct SampleSize {
  PlannedStudy pilot;                      // what the pilot has
  PlannedStudy plan;                       // may miss the half-width only where all is fixed
  std::optional<PlannedStudy> cheapest{};  // fewest samples in all, where both sides are free
  std::vector<PlannedStudy> by_seeds{};    // the plan with other numbers of seeds, ascending
};

// The half-width predicted for a study. REQUIRES: at least one sample on the sides that count, and
// with more than one seed a pilot that had so, too.
PlannedStudy predict_study(const VarianceComponents& pilot, const StudySize& size, double level);

// Throws Error as [samplesize] for a request that makes no sense, or that no number of samples, or
// of seeds, can meet; the message says what would do.
SampleSize sample_size(const VarianceComponents& pilot, const SampleSizeRequest& request);

}  // namespace openworld
