#pragma once

// The arrays that an open-set test starts from, as .npz files have them, or .npy files of logits
// and of labels as the published code writes them.
//
//   logits     logits [N, K + M], label [N], negatives (M, the number of trailing negative columns;
//              0 when absent)
//   images     features [N, D], label [N]
//   texts      features [K, D], names [K] (optional)
//   negatives  features [M, D], names [M] (optional)
//
// Features may have any form and names that feature_reader.h knows. Stored members are used where
// the file is mapped. Every Error names the file and the array.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "openworld/openset/logit_source.h"
#include "openworld/openset/open_set.h"

namespace openworld {

struct FeatureArrays {
  NamedFeatures features;
  Column<std::int32_t> label;      // of images
  std::vector<std::string> names;  // of queries; may be empty
};

enum class FeatureFile { kImages, kQueries };

// Reads features with labels or names. Throws Error.
FeatureArrays load_features(const std::string& path, FeatureFile kind);

// What run_open_set takes, with the names of the queries.
struct OpenSetInput {
  std::unique_ptr<LogitSource> source;
  Column<std::int32_t> label;
  std::int32_t classes = 0;
  std::vector<std::string> names;        // of classes; may be empty
  std::vector<std::string> extra_names;  // of further queries; may be empty
  Origin origin;                         // of the labels
};

// Throws Error.
OpenSetInput load_logits(const std::string& path);

// From two .npy files; the last `negatives` columns of logits are negative queries. Throws Error.
OpenSetInput load_logits_and_labels(const std::string& logits, const std::string& labels,
                                    std::int64_t negatives);

// From logits that are in memory; `negatives` trailing columns are negative queries. Throws Error.
OpenSetInput logits_input(Matrix logits, Column<std::int32_t> label, std::int64_t negatives,
                          const Origin& origin);

// From features; `extra` are the further queries, if any. Throws Error.
OpenSetInput features_input(FeatureArrays images, FeatureArrays texts,
                            std::optional<FeatureArrays> extra, const FeatureLogits& options);

}  // namespace openworld
