#pragma once

// The datasets whose images a page may show.
//
// A run folder may come from anywhere, and its run.json may name any file of this machine. Images
// and lists are read only from bundled worlds and from paths that the user gave.

#include <optional>
#include <string>
#include <vector>

#include "openworld/runs/run_spec.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

struct NamedData {
  std::vector<std::string> paths{};
  std::string image_root{};
};

// A dataset that has no pictures on the page, or not all that were chosen, and why.
struct MissingPictures {
  std::string dataset, why;
};

// The images that a run was tested on: its bundled world, or the dataset of `named` that is at the
// same path. None if the user named no such path. Throws Error if it cannot be opened.
std::optional<Dataset> open_named_data(const RunData& data, const NamedData& named);

}  // namespace openworld
