#include "openworld/learners/common/partitions.h"

#include <fmt/format.h>

#include "openworld/base/error.h"

namespace openworld {

std::vector<Partition> class_partitions(std::int64_t classes, std::int64_t detectors) {
  if (classes < 2) {
    fail("class_partitions",
         fmt::format("there is {} base class; expected two or more, of which some play new ones",
                     classes));
  }
  if (detectors < 2 || detectors > classes) {
    fail("class_partitions",
         fmt::format("option partitions is {}, with {} base classes; expected {}", detectors,
                     classes, classes == 2 ? "2" : fmt::format("2 to {}", classes)));
  }
  const auto width =
      static_cast<std::size_t>((classes * (detectors - 1) + detectors - 1) / detectors);
  std::vector<Partition> partitions;
  for (std::int64_t i = 0; i < detectors; ++i) {
    Partition& p = partitions.emplace_back();
    for (std::int64_t j = 0; j < classes; ++j) {
      const bool is_new = j % detectors == i;
      p.column_of.push_back(is_new ? -1 : static_cast<std::int64_t>(p.columns.size()));
      if (!is_new) p.columns.push_back(j);
    }
    if (p.columns.size() < width) p.columns.push_back(i);
  }
  return partitions;
}

}  // namespace openworld
