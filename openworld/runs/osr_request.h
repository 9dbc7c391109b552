#pragma once

// What a user asks of open-set training, before datasets are opened.

#include <cstdint>
#include <string>
#include <vector>

#include "openworld/runs/data_spec.h"

namespace openworld {

struct OsrTrainRequest {
  std::string method;
  std::vector<std::string> options = {};  // "key=value"
  std::int64_t epochs = 0;                // 0: the method's own
  std::string net = "vgg32";

  DataSpec data = {};            // options.split is not used
  std::string train_split = "";  // empty: train
  std::string test_split = "";   // empty: test, else val
  std::string test_data = "";    // where test samples are a dataset of their own
  std::string known = "";        // labels or names, with commas between them
  std::string split = "";        // a published split, "cifar10:0", instead
  std::string unknown = "";      // a dataset of unknown samples instead of the other classes
  std::string unknown_split = "";

  std::string label = "";       // what tables call it
  std::int64_t test_every = 0;  // epochs between tests that go to the log; 0: none but the last
  int threads = 0;              // 0: every core
  bool restart = false;         // instead of resuming what is in the folder

  // A run for each.
  struct Run {
    std::uint64_t seed = 1;
    std::string folder;
  };
  std::vector<Run> runs = {};
};

// A finished run on unknown samples of another dataset, or on its own.
struct OsrEvalRequest {
  std::string run;
  DataSpec unknown = {};  // an empty path: the unknown samples of the run
  std::string out = "";   // predictions to write; empty: none
  int threads = 0;
};

// Scores of any samples, by a run or by weights of published code.
struct OsrScoreRequest {
  std::string run = "";
  std::string net = "vgg32", method = "softmax", weights = "", criterion = "";
  std::vector<std::string> options = {};  // "key=value", of the method
  DataSpec data = {};
  std::string known = "", split = "";  // which labels are the network's classes; empty: all
  std::string out = "";                // an .npz
  int threads = 0;
};

}  // namespace openworld
