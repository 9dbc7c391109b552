#pragma once

// CLIP models that run: features of images and texts, zero-shot classifiers.
//
// Needs libtorch: find_package(openworld COMPONENTS models). Link openworld::vlm.

#include "openworld/base/error.h"
#include "openworld/vlm/clip.h"
#include "openworld/vlm/device.h"
#include "openworld/vlm/feature_store.h"
#include "openworld/vlm/image_features.h"
#include "openworld/vlm/load_clip.h"
#include "openworld/vlm/pixel_source.h"
#include "openworld/vlm/zeroshot.h"
