#pragma once

// Predictions of any model, in files and in memory, and results as JSON.
//
// Link openworld::predictions.

#include "openworld/base/error.h"
#include "openworld/predictions/logit_predictions.h"
#include "openworld/predictions/predictions.h"
#include "openworld/predictions/result_json.h"
