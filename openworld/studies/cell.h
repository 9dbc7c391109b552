#pragma once

// Cell: one training and test of a study, and its id.
//
// The id is the SHA-256 of everything that the result depends on: the world, the scenario and its
// version, the learner and its options, the seed, the shots, the hash of the model's weights, and
// the version of the program's protocol. It does not depend on labels, on where the model lies, or
// on when and where the cell is computed. Fields that have their default are left out of what is
// hashed, so that a field added later does not change the ids of cells that do not use it.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/base/option_list.h"

namespace openworld {

class JsonFields;

// Raised when the same cell would give another result: a protocol that was corrected, not a faster
// one.
inline constexpr std::int64_t kProtocolVersion = 1;

// The scenario of open-set training (`openworld osr train`): models are networks, written
// "net:small", learners are methods of `openworld osr ls`, and data have known classes or are a
// published split, "cifar10:0".
inline constexpr std::string_view kOpenSetScenario = "open-set";
inline constexpr std::string_view kNetworkPrefix = "net:";

// Which model. The fields of these structs are the keys of a plan; defaults are the keys' defaults.
struct CellModel {
  std::string path;        // a checkpoint, the name of a bundled one, or a network
  std::string label;       // what tables call it
  std::string activation;  // empty: what the checkpoint says
  std::string vocabulary;  // empty: what lies beside the weights
  double logit_scale = 0;  // 0: the model's own
  std::string sha256;      // of the weights; not a key

  void declare(OptionList& list);
};

struct CellData {
  std::string path;  // a dataset, or the name of a world
  std::string label;
  std::string train_split, test_split, test_data, image_root, names, format;
  std::string looks, targets;  // of scenarios that have them, with commas; empty: the scenario's
  std::string known, unknown, unknown_split;  // of open-set training, as the flags of `osr train`
  std::string base = "half";
  std::string templates;
  bool keep_underscores = false;
  bool allow_duplicate_names = false;
  bool allow_fewer = false;

  void declare(OptionList& list);
};

struct CellScenario {
  std::string name;
  std::string label;
  std::int64_t version = 1;  // of the scenario's protocol; not a key
  // Datasets beside the source, with commas, where the data names none; empty: those that a bundled
  // dataset has.
  std::string looks, targets;
  OptionValues options;  // by name, ascending

  void declare(OptionList& list);
};

struct CellLearner {
  std::string name;
  std::string label;
  std::string shot_rule = "auto";
  std::int64_t views = 0;
  bool augment = false;
  OptionValues options;  // by name, ascending

  void declare(OptionList& list);
};

struct Cell {
  CellModel model = {};
  CellData data = {};
  CellScenario scenario = {};
  CellLearner learner = {};
  std::int64_t shots = 16;  // 0: all
  std::int64_t seed = 1;
};

// What the id is the hash of: JSON in one line, keys sorted.
std::string cell_identity(const Cell& cell);

// 64 hexadecimal digits.
std::string cell_id(const Cell& cell);

// The name of its folder: readable, with the first 8 digits of the id.
// "coop-doodles_animals-recognition-16shots-seed1-1a2b3c4d"
std::string cell_name(const Cell& cell, const std::string& id);

// For people: "coop lr=0.01 on doodles:animals, recognition, 16 shots, seed 1".
std::string cell_text(const Cell& cell);

// A cell in files, with labels and paths. The reader throws Error.
nlohmann::ordered_json cell_json(const Cell& cell);
Cell read_cell(const JsonFields& fields);

// A field in which two cells differ, with its values as JSON, or "not given".
struct CellDifference {
  std::string field;  // "learner.options.lr"
  std::string was, now;
};

// Those that the id depends on.
std::vector<CellDifference> cell_differences(const Cell& was, const Cell& now);

}  // namespace openworld
