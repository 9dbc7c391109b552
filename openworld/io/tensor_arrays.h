#pragma once

// Files of tensors (.pt, .pth, .safetensors) as arrays with names.
//
// What a dict names is taken by its name. Where nothing is named, by what torch.save was given, the
// only table of floats is the features and the only list of integers the labels:
//
//   torch.save(features, path)                       features
//   torch.save((features, labels), path)             features, label
//   torch.save({"x": features}, path)                features
//   torch.save({"features": f, "names": [...]}, path)

#include <string>
#include <vector>

#include "openworld/io/column.h"
#include "openworld/io/npy.h"
#include "openworld/io/origin.h"
#include "openworld/io/torch_file.h"

namespace openworld {

struct TensorArrays {
  std::vector<NpyArray> arrays;
  std::vector<StoredTexts> texts;
  bool named = true;    // false: a tensor by itself, or a list or tuple of them
  std::string unclear;  // why it cannot be told which tensor is the features, or ""
};

// The arrays called `features` (any of these names) or `others`, and, if none of the first is
// there, the only tensor that may be meant, by the name features[0]. Throws Error.
TensorArrays read_tensor_arrays(const Bytes& bytes, std::span<const std::string_view> features,
                                std::span<const std::string_view> others, const Origin& origin);

// The one tensor of a file of labels alone, by the name "label". Throws Error.
NpyArray read_label_tensor(const Bytes& bytes, const Origin& origin);

// Whether the ending of the file is one of files of tensors.
bool is_tensor_file(const std::string& path);

}  // namespace openworld
