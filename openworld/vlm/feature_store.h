#pragma once

// Image features on disk, found by what was encoded: the hash of the image's bytes, in a folder
// named by the hash of the checkpoint and the preprocessing.
//
// New features collect in memory and go out as a whole file of their own, written under another
// name and renamed. So a killed run loses what it had not yet flushed and nothing else. Processes
// may share the folder; who of them encodes an image is not its matter (encoding_claim.h).

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "openworld/checkpoint/feature_file.h"
#include "openworld/io/column.h"
#include "openworld/io/sha256.h"

namespace openworld {

class FeatureStore {
 public:
  // The features of that kind, of `width` floats each, below `folder`; made when first written. A
  // file there that cannot be read is left alone and its features are missing; so are those that
  // are not finite.
  FeatureStore(const std::string& folder, const Sha256Digest& kind, std::size_t width);

  // Flushes, and says nothing if that fails.
  ~FeatureStore();
  FeatureStore(const FeatureStore&) = delete;
  FeatureStore& operator=(const FeatureStore&) = delete;

  // Reads what other processes have written since.
  void refresh();

  // The feature of an image with that hash, or null. Valid as long as the store.
  const float* find(const Sha256Digest& image) const;

  // Remembers a feature. REQUIRES: width finite floats.
  void add(const Sha256Digest& image, std::span<const float> feature);

  // Sees that there is a folder to write to, before the work is done. Throws Error.
  void make_folder() const;

  // Writes what was added since the last time. Throws Error.
  void flush();

  std::size_t size() const { return index_.size(); }
  const std::string& folder() const { return folder_; }

 private:
  void load(const std::string& path);

  std::string folder_;
  std::size_t width_;
  std::set<std::string> read_;  // paths of files whose features are in the index
  std::map<Sha256Digest, const float*> index_;
  std::vector<std::shared_ptr<const void>> owners_;
  std::vector<Sha256Digest> new_images_;
  std::vector<float> new_features_;
};

}  // namespace openworld
