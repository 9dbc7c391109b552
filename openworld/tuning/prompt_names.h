#pragma once

// The classes of a dataset as prompts name them, and the templates for them.

#include <cstdint>
#include <string>
#include <vector>

#include "openworld/learners/learner.h"
#include "openworld/runs/data_spec.h"

namespace openworld {

// Names for prompts, with spaces for underscores unless those are kept. Throws Error as [function]
// for classes without names, and for two that have the same prompt unless that is allowed.
std::vector<std::string> prompt_names(const Dataset& dataset, const DataSpec& spec,
                                      bool keep_underscores, const std::string& function);

// What was asked for, else the dataset's own, else CLIP's first.
std::vector<std::string> choose_templates(const std::string& asked, const Dataset& dataset);

// All sentences for the classes of the dataset.
Sentences choose_sentences(const std::string& asked, const Dataset& dataset);

}  // namespace openworld
