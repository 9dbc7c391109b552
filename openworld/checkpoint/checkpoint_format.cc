#include "openworld/checkpoint/checkpoint_format.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace openworld {
namespace {

constexpr std::string_view kPreprocessor = "preprocessor_config.json";

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

std::string if_there(const std::string& path) {
  return exists(path) ? path : "";
}

// The first of `names` in `folder`, as it is or, for an index, as the files it lists.
std::vector<std::string> weights_in(const std::string& folder,
                                    std::initializer_list<std::string_view> names,
                                    std::string_view function) {
  for (const std::string_view name : names) {
    const std::string path = folder + std::string(name);
    if (!exists(path)) continue;
    if (name.ends_with(".index.json")) return read_shard_index(path, function);
    return {path};
  }
  return {};
}

std::optional<CheckpointFiles> hugging_face_in(const std::string& folder,
                                               std::string_view function) {
  const std::string config = folder + "config.json";
  if (!exists(config)) return std::nullopt;
  CheckpointFiles files{weights_in(folder,
                                   {"model.safetensors", "model.safetensors.index.json",
                                    "pytorch_model.bin", "pytorch_model.bin.index.json"},
                                   function),
                        config, if_there(folder + std::string(kPreprocessor))};
  if (files.weights.empty()) return std::nullopt;
  return files;
}

std::optional<CheckpointFiles> open_clip_in(const std::string& folder, std::string_view function) {
  CheckpointFiles files{
      weights_in(folder, {"open_clip_model.safetensors", "open_clip_pytorch_model.bin"}, function),
      if_there(folder + "open_clip_config.json"), ""};
  if (files.weights.empty()) return std::nullopt;
  return files;
}

constexpr CheckpointFormat kFormats[] = {
    {"huggingface",
     "folder with config.json and model.safetensors or pytorch_model.bin, whole or in shards",
     hugging_face_in,
     [](const Weights&, const NamedTensors& tensors, const std::string&) {
       return tensors.scheme() == TensorNames::kHuggingFace;
     },
     "config.json"},
    {"openai", "TorchScript archive, as OpenAI published them (ViT-B-16.pt)", nullptr,
     [](const Weights& weights, const NamedTensors&, const std::string&) { return weights.script; },
     ""},
    {"open_clip",
     "folder with open_clip_model.safetensors or open_clip_pytorch_model.bin, or such a file; "
     "open_clip_config.json beside it",
     open_clip_in,
     [](const Weights& weights, const NamedTensors& tensors, const std::string& config) {
       const std::string name = std::filesystem::path(weights.files[0]).filename().string();
       return !config.empty() || tensors.has_text_prefix() || name.starts_with("open_clip");
     },
     "open_clip_config.json"},
    {"state_dict", "torch.save or safetensors file with OpenAI's names and no configuration",
     nullptr, [](const Weights&, const NamedTensors&, const std::string&) { return true; }, ""},
};

FoundCheckpoint find_in_folder(const std::string& folder, const Origin& origin) {
  for (const CheckpointFormat& format : kFormats) {
    if (format.in_folder == nullptr) continue;
    const auto files = format.in_folder(folder, origin.function);
    if (!files) continue;
    Weights weights = open_weights(files->weights, origin.function);
    NamedTensors tensors(weights.tensors, origin);
    return {&format, *files, std::move(weights), std::move(tensors)};
  }
  std::vector<std::string> expected;
  for (const CheckpointFormat& format : kFormats) {
    if (format.in_folder != nullptr) {
      expected.push_back(fmt::format("a {} ({})", format.description, format.name));
    }
  }
  origin.fail(fmt::format("holds no checkpoint; expected {}, or a path to a file of weights",
                          fmt::join(expected, ", or ")));
}

FoundCheckpoint find_file(const Origin& origin) {
  Weights weights = open_weights({origin.file}, origin.function);
  NamedTensors tensors(weights.tensors, origin);
  const std::string folder = origin.file.substr(0, origin.file.rfind('/') + 1);
  for (const CheckpointFormat& format : kFormats) {
    CheckpointFiles files{{origin.file}, "", ""};
    if (!format.config_name.empty()) {
      files.config = if_there(folder + std::string(format.config_name));
    }
    if (!format.is_file(weights, tensors, files.config)) continue;
    if (format.in_folder == hugging_face_in) {
      files.preprocessor = if_there(folder + std::string(kPreprocessor));
    }
    return {&format, std::move(files), std::move(weights), std::move(tensors)};
  }
  __builtin_unreachable();  // the last row takes everything
}

}  // namespace

std::span<const CheckpointFormat> checkpoint_formats() {
  return kFormats;
}

FoundCheckpoint find_checkpoint(const Origin& origin) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(origin.file, ignored)) return find_file(origin);
  return find_in_folder(origin.file.ends_with('/') ? origin.file : origin.file + "/", origin);
}

}  // namespace openworld
