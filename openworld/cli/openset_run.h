#pragma once

// What `openworld openset` does once it has logits or features, wherever they came from: the pass,
// the numbers, and everything that is printed and written.

#include <string>
#include <utility>
#include <vector>

#include "openworld/cli/openset_flags.h"
#include "openworld/openset/open_set_arrays.h"
#include "openworld/openset/open_set_report.h"

namespace openworld {

// `sources` are what the input was made of, for the JSON: {"logits", path}; `assumptions` are those
// about the model that made it.
void run_open_set_command(const OpenSetInput& input, const OpenSetFlags& flags,
                          const std::vector<std::pair<std::string, std::string>>& sources,
                          const std::vector<std::string>& assumptions = {});

// The negative queries that the flags ask for at random, given the features of the class names;
// nothing if they do not.
std::optional<FeatureArrays> random_negatives(const FeatureArrays& texts,
                                              const OpenSetFlags& flags);

// --negative-seed where generators take 32 bits: words and token ids. Throws Error.
std::uint32_t small_negative_seed(const OpenSetFlags& flags);

// For people, on standard output.
void print_open_set_text(const OpenSetReport& report, const OpenSetInput& input,
                         std::size_t measure);

}  // namespace openworld
