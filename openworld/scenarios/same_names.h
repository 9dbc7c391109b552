#pragma once

// Classes of two datasets that are the same, found by their names.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/base/text_map.h"
#include "openworld/scenarios/scenario.h"

namespace openworld {

// A name as it is compared: ASCII letters in lower case, '_' and '-' as spaces, runs of blanks as
// one, without a leading a, an or the. "The_Great-Wall" is "great wall".
std::string comparable_name(std::string_view name);

// Comparable names of classes, and the labels that have them.
class LabelIndex {
 public:
  explicit LabelIndex(const std::vector<std::string>& classes);

  // In ascending order; empty: none.
  const std::vector<std::int32_t>& labels_of(std::string_view name) const;

 private:
  TextMap<std::vector<std::int32_t>> labels_;
};

// How many images each class has.
std::vector<std::size_t> images_per_class(const Dataset& dataset);

// For each label of a look, the label of the source that has its name, or -1 for a class without
// images. Equal lists of classes are compared by label, so that classes may share a name. Throws
// Error as [function] for a class with images that the source has not, and for a name that several
// classes of the source share, unless they are on the same side: the first `base` or the rest.
std::vector<std::int32_t> source_labels(const ScenarioDataset& source, const ScenarioDataset& look,
                                        std::size_t base, std::string_view function);

// Throws Error as [function] for a dataset whose classes have no names.
void expect_names(const ScenarioDataset& dataset, std::string_view function);

}  // namespace openworld
