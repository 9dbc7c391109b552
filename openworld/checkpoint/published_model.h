#pragma once

// Names of models that are published elsewhere, as other programs download them by:
// "ViT-B/32" (openai/CLIP), "ViT-B-32-quickgelu" (OpenCLIP), "openai/clip-vit-base-patch32" (a
// hub).

#include <string>

namespace openworld {

// If `path` is such a name rather than a path: which files of it to put where, in one line. Names a
// copy that other programs have put on this machine, if there is one. Else empty.
std::string published_model(const std::string& path);

}  // namespace openworld
