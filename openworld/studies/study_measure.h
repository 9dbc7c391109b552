#pragma once

// Means over seeds and worlds of a study's results, with intervals and tests against a reference.
//
//   value on a world     mean over seeds
//   average              mean over worlds of those; only where every cell of the method is done
//
// Intervals come from one of
//   two_way_bootstrap    test samples and seeds vary together (analysis/compare_runs.h). Needs
//   every
//                        cell done, its predictions, and the same test samples for all seeds
//   student_t            seeds alone vary: Student's t over seeds, of the average over the averages
//                        of each seed. Two seeds or more
// Tests are of the same kind, paired: by samples and seeds, or a t test of the differences of each
// seed. P-values are Holm's over the methods of a column.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/metrics/evaluate.h"
#include "openworld/studies/study_grid.h"

namespace openworld {

enum class StudyCi {
  kAuto,       // the bootstrap where it is possible, else seeds
  kBootstrap,  // Error where it is not possible
  kSeeds,
  kNone
};

struct MeasureOptions {
  StudyCi ci = StudyCi::kAuto;
  BootstrapOptions bootstrap = {};  // level, resamples, seed, threads
};

struct StudyValue {
  std::optional<double> value = {};
  std::optional<Interval> interval = {};
  std::optional<double> difference = {};  // from the reference
  std::optional<double> p = {};           // of the difference, Holm's
  std::size_t done = 0, cells = 0;        // that the value is of
  bool undefined = false;                 // the metric is, in a cell that is done

  bool complete() const { return done == cells && cells > 0; }
};

struct MeasuredMethod {
  std::vector<StudyValue> worlds;
  StudyValue average;
};

struct MeasuredLevel {
  std::vector<std::vector<MeasuredMethod>> metrics;  // [metric][method]
  std::string_view interval;                         // "two_way_bootstrap", "student_t" or ""
  std::string note;  // why the bootstrap was not possible, where it was tried
};

// The metrics of a grid at one of its levels. `reference` is an index of a method. Throws Error as
// [function] where kBootstrap is not possible, and for predictions that cannot be read.
MeasuredLevel measure_level(const StudyGrid& grid, const std::string& folder,
                            const std::string& level, const std::vector<std::string>& metrics,
                            std::optional<std::size_t> reference, const MeasureOptions& options,
                            std::string_view function);

// Adds intervals over seeds to a column of values, one for each method, and tests against the
// reference. `seeds` are the values seed by seed; with `differences` the column has differences
// from the reference instead.
void add_seed_statistics(std::span<StudyValue* const> column, std::span<const SeedValues> seeds,
                         std::optional<std::size_t> reference, bool differences, double level);

}  // namespace openworld
