#pragma once

// The models that come with the program, one row each. They are opened by their names wherever a
// checkpoint can be named, and lie in folders of these names in data_folder().

#include <span>
#include <string>
#include <string_view>

namespace openworld {

struct BundledModel {
  std::string_view name;         // "pocket", also of its folder
  std::string_view description;  // one line
};

std::span<const BundledModel> bundled_models();

// The folder of the bundled model of that name; `path` itself if it is another, or if a file or
// folder of that name exists, which comes first.
std::string find_bundled_model(const std::string& path);

// The bundled model whose name is nearest, or "".
std::string nearest_bundled_model(std::string_view name);

}  // namespace openworld
