#pragma once

// Files of features, labels and names, as people have them: .npz, .npy (features alone), or tensors
// of PyTorch (.pt, .pth) and .safetensors, where the features may also be the only table of floats
// (tensor_arrays.h).
//
// Arrays go by the names that are usual for them:
//
//   features   features, embeddings, image_features, text_features, image_embeds, text_embeds
//   label      label, labels, targets
//   names      names, classes, class_names, classnames
//   split      split, splits
//   path       path, paths
//
// Arrays of .npz and .npy are used where the file is mapped. Every Error names the file.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "openworld/io/npy_values.h"
#include "openworld/io/origin.h"
#include "openworld/io/tensor_arrays.h"

namespace openworld {

// Classes of rows, by index or by name.
using ClassLabels = std::variant<Column<std::int32_t>, std::vector<std::string>>;

std::size_t label_count(const ClassLabels& labels);

class FeatureReader {
 public:
  // Throws Error.
  FeatureReader(const std::string& path, const std::string& function);

  const Origin& origin() const { return origin_; }

  // Also if it cannot be told which of the tensors of a list they are.
  bool has_features() const;
  // Of two or three dimensions, with at least one row. Throws Error if there are none.
  NpyArray features() const;
  // Throws Error where they are not a list of integers or texts; nothing if there are none.
  std::optional<ClassLabels> labels() const;
  // Empty if there are none. Throw Error.
  std::vector<std::string> names() const;
  std::vector<std::string> splits() const;  // of each row
  std::vector<std::string> paths() const;   // of each row's image

 private:
  // The one array that has one of these names, or nothing. Throws Error for two of them.
  const NpyArray* find(std::span<const std::string_view> names) const;
  const StoredTexts* find_texts(std::span<const std::string_view> names) const;
  std::vector<std::string> texts(std::span<const std::string_view> names) const;

  Origin origin_;
  TensorArrays contents_;
};

// As a column of integers or as texts, by dtype. Throws Error.
ClassLabels to_class_labels(const NpyArray& array, const Origin& origin);

// An .npy or a tensor of labels alone. Throws Error.
ClassLabels load_labels(const std::string& path, const std::string& function);

}  // namespace openworld
