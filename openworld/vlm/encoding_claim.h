#pragma once

// EncodingClaim: of several processes that share a feature store and are asked for the same images,
// one encodes them.
//
// The claim is a lease (io/lease.h) in the folder of the features, named by the hash of the images.
// It is renewed while its owner encodes, and lost when the owner dies: at once on the same machine,
// else five minutes later. Sets that overlap without being equal are claimed apart, and an image of
// both may be encoded twice, with the same bits.

#include <map>
#include <optional>
#include <string>

#include "openworld/io/lease_keeper.h"
#include "openworld/io/sha256.h"
#include "openworld/vlm/feature_store.h"

namespace openworld {

class EncodingClaim {
 public:
  // Images by their hashes; `samples` are not looked at.
  EncodingClaim(FeatureStore& store, const std::map<Sha256Digest, std::size_t>& images);

  // Claims the images, and reads what others wrote to the store before. False if another process
  // has them. Throws Error if the folder cannot be written.
  bool take();

  // Who has them; none if nobody does.
  std::optional<std::string> owner();

  // Also by the destructor.
  void release() { keeper_.release(); }

 private:
  FeatureStore& store_;
  std::string path_;
  FolderClock clock_;
  LeaseKeeper keeper_;
};

}  // namespace openworld
