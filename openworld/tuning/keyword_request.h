#pragma once

// Requests from names and values, as the keywords of a language give them.

#include <string>

#include "openworld/base/option_list.h"
#include "openworld/runs/tuning_request.h"

namespace openworld {

// The request of a method with options of the job (runs/request_options.h) and of the method; where
// both have one, such as epochs, it is the method's. The model, the data and the runs are for the
// caller to set. Throws Error as [tune] for a name that neither has, with the nearest of both, and
// for a value that is not expected.
TuningRequest keyword_request(const std::string& method, const OptionValues& keywords);

}  // namespace openworld
