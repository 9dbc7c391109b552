#pragma once

// The features of class names: one row for each class, the mean of its prompts where there are
// several (prompt ensembling, Radford et al., ICML 2021).

#include <optional>
#include <string>
#include <vector>

#include "openworld/io/feature_reader.h"
#include "openworld/openset/logit_source.h"

namespace openworld {

enum class TextEnsemble {
  kFeatures,  // mean of the features at length 1, scaled to length 1 again
  kLogits,    // mean of the logits: of the features at length 1, with the length the mean has
};

struct ClassTexts {
  NamedFeatures features;          // [K, D], row-major
  std::vector<std::string> names;  // of the K classes; may be empty
  std::size_t prompts = 0;         // rows that were averaged, of all classes
  TextEnsemble ensemble = TextEnsemble::kFeatures;
};

// The prompts of K classes, in one of three forms: [K, D]; [K, T, D], T prompts of each class; or
// [R, D] with the class of each row, as an index or a name. Names may be empty; where classes are
// given by name and there are none, they are in order of first appearance. Where `normalize`,
// prompts are scaled to length 1 before they are averaged. O(rows D) time, K D numbers. Throws
// Error.
ClassTexts class_texts(const NpyArray& prompts, const std::optional<ClassLabels>& label,
                       std::vector<std::string> names, TextEnsemble ensemble, bool normalize,
                       const Origin& origin);

}  // namespace openworld
