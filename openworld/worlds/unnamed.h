#pragma once

// The images of a source without what is said about them: for training that compares views of an
// image with each other, or that must not be told the names.

#include <memory>

#include "openworld/worlds/captions.h"

namespace openworld {

// No captions, names, words or lists of classes; each image is a concept of its own. Weights stay.
std::unique_ptr<CaptionSource> unnamed(std::unique_ptr<CaptionSource> pairs);

}  // namespace openworld
