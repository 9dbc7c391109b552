#pragma once

// Tensors in the files of PyTorch: what torch.save writes since version 1.6, and TorchScript.
//
// Both are zip archives with one folder of any name, in it data.pkl, a pickle (pickle.h), and one
// raw storage data/<key> for each tensor; TorchScript has code/ and constants.pkl besides. Strides
// and offsets are taken as they are once they are known to stay inside the storage.

#include <string>
#include <vector>

#include "openworld/io/column.h"
#include "openworld/io/origin.h"
#include "openworld/io/tensor_file.h"

namespace openworld {

// A list or tuple of strings, such as class names.
struct StoredTexts {
  std::string name;
  std::vector<std::string> texts;
};

struct TorchFile {
  bool script = false;                // TorchScript rather than torch.save
  bool named = true;                  // false: a tensor alone, or a list or tuple of them
  std::vector<StoredTensor> tensors;  // in the order of the pickle; they share the owner of `bytes`
  std::vector<StoredTexts> texts;
};

// Names are those of a state dict: for TorchScript the path of attributes, joined by dots; for
// torch.save the keys of the dict, or of the dict under "state_dict" or "model" in it; the places
// 0, 1, ... in a list or tuple, 0 of a tensor alone. Other values are skipped. The CRC of every
// storage is checked, on all cores. Throws Error; the legacy format of torch.save, which is not a
// zip archive, is named in it.
TorchFile parse_torch_file(const Bytes& bytes, const Origin& origin);

}  // namespace openworld
