#pragma once

// The tensors of a checkpoint under the names of their scheme, looked up by the names of
// clip_tensors.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/checkpoint/clip_config.h"
#include "openworld/checkpoint/tensor_names.h"
#include "openworld/io/origin.h"
#include "openworld/io/tensor_file.h"

namespace openworld {

class NamedTensors {
 public:
  // Detects the naming scheme, strips the prefixes "module." and "text.", and drops bookkeeping.
  // Throws Error for models other than a CLIP with two transformers: ResNet, SigLIP, towers of
  // other libraries, attention without bias.
  NamedTensors(std::vector<StoredTensor> tensors, const Origin& origin);

  TensorNames scheme() const { return scheme_; }
  bool has_text_prefix() const { return has_text_prefix_; }

  // The sides of a tensor of clip_tensors, or nothing if it, or a part of it, is missing.
  std::optional<std::vector<std::int64_t>> shape(std::string_view name) const;

  // One more than the largest number after `prefix` of numbered_prefixes; 0 if there is none.
  std::int64_t count(std::string_view NumberedPrefixes::*prefix) const;

  // What the tensors of `config` are in the file, in the order of clip_tensors. Throws one Error
  // that names all that are missing, unexpected, misshapen or not of a float type.
  std::vector<std::vector<StoredTensor>> match(const ClipConfig& config) const;

  // Throws Error "missing: a, b".
  [[noreturn]] void fail_missing(const std::vector<std::string>& names) const;

 private:
  const Origin& origin_;
  TensorNames scheme_ = TensorNames::kOpenAi;
  bool has_text_prefix_ = false;
  std::map<std::string, StoredTensor, std::less<>> tensors_;
};

}  // namespace openworld
