#pragma once

// Which model to load, and how to run it.

#include <cstddef>
#include <string>

namespace openworld {

struct ModelSpec {
  std::string path;            // a checkpoint, or the name of a bundled one
  std::string activation;      // "quick_gelu" or "gelu"; empty: what the checkpoint says
  std::string vocabulary;      // a file or folder; empty: what lies beside the weights
  std::string device = "cpu";  // "cpu", "cuda", "cuda:1"
  std::size_t batch = 32;      // images in one pass
  int threads = 0;             // 0: every core
};

// Where features of images are kept.
struct FeatureCacheSpec {
  std::string folder;  // empty: the user's cache folder
  bool off = false;
};

}  // namespace openworld
