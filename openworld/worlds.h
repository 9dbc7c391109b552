#pragma once

// Datasets of images with labels or captions, the bundled worlds, templates and few-shot samples.
//
// Link openworld::worlds.

#include "openworld/base/error.h"
#include "openworld/io/class_choice.h"
#include "openworld/worlds/captions.h"
#include "openworld/worlds/dataset.h"
#include "openworld/worlds/few_shot.h"
#include "openworld/worlds/templates.h"
#include "openworld/worlds/train_test_data.h"
#include "openworld/worlds/world_list.h"
