#pragma once

// A CLIP model in a file or folder of any known format: its configuration, and its tensors as
// floats under the names of clip_tensors. Nothing is copied until a tensor is read.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/checkpoint/clip_config.h"
#include "openworld/io/sha256.h"
#include "openworld/io/tensor_file.h"

namespace openworld {

struct CheckpointOptions {
  // Overrides the checkpoint's activation. Default for checkpoints that do not specify one:
  // QuickGELU for OpenAI's files (TorchScript, or a state dict with input_resolution), GELU
  // otherwise, as in most OpenCLIP weights.
  std::optional<Activation> activation;
  std::string function = "open_clip_checkpoint";  // for messages
};

// Copies share the files. All of it may be used from several threads.
class ClipCheckpoint {
 public:
  const ClipConfig& config() const;

  // A name of checkpoint_formats(): "huggingface", "openai", "open_clip", "state_dict".
  std::string_view format() const;

  // The files of weights, one or the shards.
  const std::vector<std::string>& files() const;

  // Defaults assumed because the checkpoint does not specify them, one sentence each.
  const std::vector<std::string>& notes() const;

  // The tensors of clip_tensors(config()), and the type each has in the file.
  const std::vector<TensorSpec>& tensors() const;
  TensorType stored_type(std::string_view name) const;

  // The distinct types of all tensors, in the order of the enumeration.
  std::vector<TensorType> stored_types() const;

  // Of the bytes of the file; of several, the hash of their hashes in the order of files().
  // Computed once, when first asked for.
  const Sha256Digest& sha256() const;

  // merges.txt or bpe_simple_vocab_16e6.txt[.gz] beside the weights, or empty.
  const std::string& vocabulary_path() const;

  // The values of a tensor, row-major. Throws Error for a name that is not in tensors() and an
  // `out` of another size.
  void read(std::string_view name, std::span<float> out) const;

 private:
  struct Contents;
  explicit ClipCheckpoint(std::shared_ptr<const Contents> contents);
  friend ClipCheckpoint open_clip_checkpoint(const std::string&, const CheckpointOptions&);

  std::size_t index_of(std::string_view name) const;

  std::shared_ptr<const Contents> contents_;
};

// Opens a file or folder of any format of checkpoint_formats(), or a bundled model by
// its name (bundled_models.h). Throws one Error of one line that lists everything missing,
// unexpected or misshapen.
ClipCheckpoint open_clip_checkpoint(const std::string& path, const CheckpointOptions& options = {});

}  // namespace openworld
