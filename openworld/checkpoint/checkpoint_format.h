#pragma once

// The formats of CLIP checkpoints, one row each, with how each is recognised.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/checkpoint/named_tensors.h"
#include "openworld/checkpoint/weights_file.h"

namespace openworld {

struct CheckpointFiles {
  std::vector<std::string> weights;
  std::string config;        // the configuration file, or empty
  std::string preprocessor;  // Hugging Face's preprocessor_config.json, or empty
};

struct CheckpointFormat {
  std::string_view name;         // "huggingface"
  std::string_view description;  // what it consists of, one line

  // The files if `folder`, which ends with a slash, holds such a checkpoint; nullptr for formats
  // that are a single file. May throw Error for such a folder if it is broken.
  std::optional<CheckpointFiles> (*in_folder)(const std::string& folder, std::string_view function);

  // Whether a single file with these weights has this format; `config` is the one beside it.
  bool (*is_file)(const Weights& weights, const NamedTensors& tensors, const std::string& config);

  // The file name of the configuration beside a weights file; empty if the format has none.
  std::string_view config_name;
};

// In the order in which they are tried.
std::span<const CheckpointFormat> checkpoint_formats();

struct FoundCheckpoint {
  const CheckpointFormat* format = nullptr;
  CheckpointFiles files;
  Weights weights;
  NamedTensors tensors;
};

// What is at `origin.file`, a file or a folder. Throws Error. The result refers to `origin`.
FoundCheckpoint find_checkpoint(const Origin& origin);

}  // namespace openworld
