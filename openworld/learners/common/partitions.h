#pragma once

// The pseudo-base and pseudo-new classes of K detectors (Zhou et al., "DeCoOp: Robust Prompt Tuning
// with Out-of-Distribution Detection", ICML 2024; GMoP takes the same).
//
// Class j is pseudo-new for detector j mod K and pseudo-base for the others, so that every class is
// pseudo-new exactly once. All detectors have ceil(C (K - 1) / K) columns: where the pseudo-base
// classes are one short, the released code appends class i itself to detector i. Its name is then a
// column, while its images still count as pseudo-new.

#include <cstdint>
#include <vector>

namespace openworld {

struct Partition {
  std::vector<std::int64_t> columns;    // classes whose names the detector knows
  std::vector<std::int64_t> column_of;  // by class: its column, or -1 where it is pseudo-new
};

// One per detector. Throws Error unless 2 <= detectors <= classes.
std::vector<Partition> class_partitions(std::int64_t classes, std::int64_t detectors);

}  // namespace openworld
