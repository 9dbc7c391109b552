#pragma once

// The learner table as JSON: rows with their options and defaults.

#include <nlohmann/json_fwd.hpp>

namespace openworld {

struct LearnerRow;

nlohmann::ordered_json learner_json(const LearnerRow& row);

// All rows, in the order of the table.
nlohmann::ordered_json learners_json();

}  // namespace openworld
