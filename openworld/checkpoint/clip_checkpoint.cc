#include "openworld/checkpoint/clip_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <system_error>

#include "openworld/checkpoint/bundled_models.h"
#include "openworld/checkpoint/checkpoint_format.h"
#include "openworld/checkpoint/clip_architecture.h"
#include "openworld/checkpoint/published_model.h"
#include "openworld/io/data_folder.h"
#include "openworld/io/json_file.h"

namespace openworld {

struct ClipCheckpoint::Contents {
  Origin origin;
  std::string_view format;
  ClipConfig config;
  std::vector<std::string> files;
  std::vector<Bytes> bytes;
  std::vector<std::string> notes;
  std::vector<TensorSpec> specs;
  std::map<std::string, std::size_t, std::less<>> index;
  std::vector<std::vector<StoredTensor>> parts;  // of each of specs
  std::string vocabulary;
  mutable std::once_flag hashed;
  mutable Sha256Digest hash;
};

namespace {

// A bundled model is opened by its name. Names of models that are published elsewhere are refused
// with what to download.
std::string find_model(const std::string& path, const std::string& function) {
  std::error_code ignored;
  if (path.empty() || std::filesystem::exists(path, ignored)) return path;
  const std::string found = find_bundled_model(path);
  if (found != path) return found;
  if (const std::string what = published_model(path); !what.empty()) {
    Origin{function, path}.fail(what);
  }
  if (const std::string near = nearest_bundled_model(path); !near.empty()) {
    Origin{function, path}.fail(
        fmt::format("cannot open: No such file or directory; did you mean {}? `openworld ls "
                    "models` lists the bundled models",
                    near));
  }
  return path;
}

// Of OpenAI's models and those of OpenCLIP that use its tokenizer.
constexpr std::int64_t kClipTokens = 49408;

std::string find_vocabulary(const std::string& weights, std::int64_t tokens) {
  const std::string folder = weights.substr(0, weights.rfind('/') + 1);
  for (const char* name :
       {"merges.txt", "bpe_simple_vocab_16e6.txt.gz", "bpe_simple_vocab_16e6.txt"}) {
    std::error_code ignored;
    if (std::filesystem::exists(folder + name, ignored)) return folder + name;
  }
  const std::string bundled = data_folder() + "/clip-merges.txt.gz";
  std::error_code ignored;
  return tokens == kClipTokens && std::filesystem::exists(bundled, ignored) ? bundled : "";
}

// The default without a configuration.
Activation default_activation(const Weights& weights, std::vector<std::string>& notes) {
  const bool from_openai =
      weights.script ||
      std::any_of(weights.tensors.begin(), weights.tensors.end(),
                  [](const StoredTensor& t) { return t.name.ends_with("input_resolution"); });
  if (from_openai) return Activation::kQuickGelu;
  notes.push_back(
      "no configuration names the activation; gelu is assumed, and OpenAI's weights need "
      "quick_gelu");
  return Activation::kGelu;
}

ClipConfig read_config(const FoundCheckpoint& found, const CheckpointOptions& options,
                       const Origin& origin, std::vector<std::string>& notes) {
  ClipConfig config = config_of_shapes(found.tensors, origin);
  const Origin beside{origin.function, found.files.config};
  if (found.tensors.scheme() == TensorNames::kHuggingFace) {
    if (beside.file.empty()) {
      origin.fail("has tensors of Hugging Face but no config.json beside it; expected one");
    }
    apply_hugging_face_config(read_json_file(beside), beside, config);
  } else if (!beside.file.empty()) {
    apply_open_clip_config(read_json_file(beside), beside, config);
  } else if (!options.activation) {
    config.activation = default_activation(found.weights, notes);
  }
  if (options.activation) config.activation = *options.activation;
  if (found.tensors.count(&NumberedPrefixes::stem) > 0 && config.stem.empty()) {
    origin.fail(
        "has a stem before its patches, whose strides are in vision_config.openworld_stem of a "
        "config.json; expected one beside it");
  }
  // Check the resolution against the positions before the preprocessor is compared with it.
  check_config(config, found.tensors.shape("visual.positional_embedding")->at(0), origin);
  if (!found.files.preprocessor.empty()) {
    const Origin preprocessor{origin.function, found.files.preprocessor};
    apply_preprocessor_config(read_json_file(preprocessor), preprocessor, config);
  } else if (found.tensors.scheme() == TensorNames::kHuggingFace ||
             (beside.file.empty() && !found.weights.script)) {
    notes.push_back(
        "no configuration gives the image normalisation; CLIP's mean and std are assumed");
  }
  return config;
}

}  // namespace

ClipCheckpoint::ClipCheckpoint(std::shared_ptr<const Contents> contents)
    : contents_(std::move(contents)) {}

ClipCheckpoint open_clip_checkpoint(const std::string& path, const CheckpointOptions& options) {
  auto contents = std::make_shared<ClipCheckpoint::Contents>();
  contents->origin = {options.function, find_model(path, options.function)};
  const Origin& origin = contents->origin;
  FoundCheckpoint found = find_checkpoint(origin);
  contents->format = found.format->name;
  contents->config = read_config(found, options, origin, contents->notes);
  contents->parts = found.tensors.match(contents->config);
  contents->specs = clip_tensors(contents->config);
  for (std::size_t i = 0; i < contents->specs.size(); ++i) {
    contents->index.emplace(contents->specs[i].name, i);
  }
  contents->files = std::move(found.weights.files);
  contents->bytes = std::move(found.weights.bytes);
  contents->vocabulary = find_vocabulary(contents->files[0], contents->config.vocabulary);
  return ClipCheckpoint(std::move(contents));
}

const ClipConfig& ClipCheckpoint::config() const {
  return contents_->config;
}
std::string_view ClipCheckpoint::format() const {
  return contents_->format;
}
const std::vector<std::string>& ClipCheckpoint::files() const {
  return contents_->files;
}
const std::vector<std::string>& ClipCheckpoint::notes() const {
  return contents_->notes;
}
const std::vector<TensorSpec>& ClipCheckpoint::tensors() const {
  return contents_->specs;
}
const std::string& ClipCheckpoint::vocabulary_path() const {
  return contents_->vocabulary;
}

std::size_t ClipCheckpoint::index_of(std::string_view name) const {
  const auto found = contents_->index.find(name);
  if (found == contents_->index.end()) {
    contents_->origin.fail(fmt::format("has no tensor {}", in_quotes(name)));
  }
  return found->second;
}

TensorType ClipCheckpoint::stored_type(std::string_view name) const {
  return contents_->parts[index_of(name)][0].type;
}

std::vector<TensorType> ClipCheckpoint::stored_types() const {
  std::vector<TensorType> types;
  for (const TensorTypeRow& row : tensor_types()) {
    const auto has_type = [&](const StoredTensor& tensor) { return tensor.type == row.type; };
    if (std::any_of(contents_->parts.begin(), contents_->parts.end(), [&](const auto& parts) {
          return std::any_of(parts.begin(), parts.end(), has_type);
        })) {
      types.push_back(row.type);
    }
  }
  return types;
}

const Sha256Digest& ClipCheckpoint::sha256() const {
  std::call_once(contents_->hashed, [&] {
    std::vector<Sha256Digest> digests;
    for (const Bytes& bytes : contents_->bytes) digests.push_back(openworld::sha256(bytes.values));
    contents_->hash =
        digests.size() == 1 ? digests[0] : openworld::sha256(std::as_bytes(std::span(digests)));
  });
  return contents_->hash;
}

void ClipCheckpoint::read(std::string_view name, std::span<float> out) const {
  const std::size_t index = index_of(name);
  if (!std::cmp_equal(out.size(), contents_->specs[index].size())) {
    contents_->origin.fail(fmt::format("tensor {} has {} values; expected room for them, not {}",
                                       name, contents_->specs[index].size(), out.size()));
  }
  for (const StoredTensor& part : contents_->parts[index]) {
    const auto size = static_cast<std::size_t>(part.size());
    read_floats(part, out.first(size));
    out = out.subspan(size);
  }
}

}  // namespace openworld
