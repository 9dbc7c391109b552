#pragma once

// Uncertainties: how sure a model is of its answer, from its logits over a set of queries. Larger
// means more certain, for all of them. One row each; listings, help, docs and Python print the row.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/openset/query_stats.h"

namespace openworld {

// How the model makes probabilities of logits.
enum class OutputActivation { kSoftmax, kSigmoid };

std::string_view activation_name(OutputActivation activation);

// How logits came from cosines: logit = scale * cosine + bias.
struct LogitForm {
  OutputActivation activation = OutputActivation::kSoftmax;
  double scale = 100;  // of CLIP
  double bias = 0;     // of SigLIP; softmax does not see it
  double mcm_temperature = 1;

  // What logits are multiplied by for the maximum concept matching score.
  double beta() const { return 1 / (scale * mcm_temperature); }
};

struct UncertaintyRow {
  std::string_view name;
  std::string_view title;
  std::string_view brief;  // one line, no full stop
  std::string_view citation;
  bool softmax;             // defined for softmax models
  bool sigmoid;             // defined for sigmoid models
  bool published;           // in the tables of Miller et al.
  bool needs_mild = false;  // reads QueryStats::mild
  int queries = 1;          // defined where at least so many queries are left
  double (*value)(const QueryStats&, const LogitForm&);

  bool defined_for(OutputActivation activation) const {
    return activation == OutputActivation::kSoftmax ? softmax : sigmoid;
  }
};

std::span<const UncertaintyRow> uncertainty_table();

// A comma-separated list of names; "published" are those of the paper for this activation, "all"
// every one that is defined for it. Throws Error naming the nearest known name, or saying for which
// activation a measure is defined.
std::vector<const UncertaintyRow*> find_uncertainties(std::string_view names,
                                                      OutputActivation activation);

}  // namespace openworld
