#pragma once

// One sentence on what was found and how sure it is.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "openworld/stats/interval.h"

namespace openworld {

struct FindingEntry {
  std::string name;
  double value = 0;
  std::optional<Interval> interval{};
  // Against the reference; none for the reference itself, and where nothing was compared.
  std::optional<double> difference{};
  std::optional<Interval> difference_interval{};
  std::optional<double> p{};  // adjusted
  std::optional<Interval> over_datasets{};
};

struct FindingInput {
  std::string metric;  // its title
  bool higher_is_better = true;
  double scale = 100;  // of what people see
  std::string where;   // "on doodles:food", "on average over 3 datasets"; may be empty
  double level = 0.95;
  std::vector<FindingEntry> entries;  // with defined values
  std::optional<std::size_t> reference{};
  bool too_few_resamples = false;  // for any p to be significant
  bool same_samples = true;        // false: of different test sets, so that no entry is best
};

// "gmop raises OpenworldAUC from 4.24 (zero-shot) to 5.13 ...". "" without entries.
std::string finding_text(const FindingInput& input);

}  // namespace openworld
