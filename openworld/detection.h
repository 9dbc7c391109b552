#pragma once

// COCO's metrics of detections, and the open-set test of detectors.
//
// Link openworld::detection.

#include "openworld/base/error.h"
#include "openworld/detection/coco_reader.h"
#include "openworld/detection/detection_evaluation.h"
#include "openworld/detection/openset_eval.h"
#include "openworld/detection/openset_file.h"
