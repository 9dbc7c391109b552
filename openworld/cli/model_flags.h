#pragma once

// The flags of commands that run a model, declared once. What they hold is plain data: it crosses
// into the library of models (model_library.h), which this program opens only when it is needed.

#include <cstddef>
#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace openworld {

struct ModelFlags {
  std::string model;
  std::string activation;
  std::string vocabulary;
  std::size_t batch = 32;
  int threads = 0;

  void declare(CLI::App& app);
};

struct DataFlags {
  std::string data;
  std::string split;
  std::string image_root;
  std::string names;
  std::string format;
  bool allow_duplicate_names = false;

  // The flags; --data is for the command to require.
  void declare(CLI::App& app);
};

struct CacheFlags {
  std::string folder;
  bool off = false;

  void declare(CLI::App& app);
};

struct EncodeFlags {
  ModelFlags model;
  DataFlags data;
  CacheFlags cache;
  std::string texts;
  std::string out;
  std::int64_t memory = 1024;
  bool json = false;
};

struct ZeroshotFlags {
  ModelFlags model;
  DataFlags data;
  CacheFlags cache;
  std::string templates;  // empty: the dataset's own, else photo
  std::string ensemble = "features";
  std::string base = "all";
  std::string out;
  double level = 0.95;
  std::int64_t memory = 1024;
  bool keep_underscores = false;
  bool json = false;
};

// --memory, the budget of the text encoder in MiB.
void declare_memory(CLI::App& app, std::int64_t& mib);

}  // namespace openworld
