#pragma once

// The open-set test of a classifier, from logits or embeddings.
//
// Link openworld::openset.

#include "openworld/base/error.h"
#include "openworld/openset/open_set.h"
#include "openworld/openset/open_set_arrays.h"
#include "openworld/openset/open_set_json.h"
#include "openworld/openset/open_set_predictions.h"
#include "openworld/openset/open_set_report.h"
#include "openworld/openset/random_queries.h"
#include "openworld/openset/uncertainty.h"
#include "openworld/openset/wordnet.h"
