#pragma once

// Configurations of models that have no weights yet.

#include <string>
#include <string_view>
#include <vector>

#include "openworld/checkpoint/clip_config.h"

namespace openworld {

struct NamedConfig {
  std::string_view name;         // "vit-b-32"
  std::string_view description;  // one line
  ClipConfig (*make)();
};

// The pocket model, and those that OpenAI published.
const std::vector<NamedConfig>& named_configs();

// The configuration of that name, or in that file: a Hugging Face config.json, or a folder with
// one, completed by the preprocessor_config.json beside it. Throws Error.
ClipConfig read_clip_config(const std::string& name_or_path,
                            std::string_view function = "read_clip_config");

}  // namespace openworld
