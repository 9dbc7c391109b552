#pragma once

// CLIP models in files: which format, which sizes, which tensors. vlm.h runs them.
//
// Link openworld::checkpoint.

#include "openworld/base/error.h"
#include "openworld/checkpoint/clip_checkpoint.h"
#include "openworld/checkpoint/clip_config.h"
#include "openworld/checkpoint/config_file.h"
#include "openworld/checkpoint/save_clip.h"
