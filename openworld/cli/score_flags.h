#pragma once

// Features of images and of class names as the input of a command: the flags of `openworld score`,
// which `openworld eval` takes too.

#include <string>
#include <vector>

#include "openworld/openset/score_features.h"

namespace CLI {
class App;
}

namespace openworld {

class ScoreFlags {
 public:
  // --images --texts --unknown --labels --names --base --new --score --logit-scale --logit-bias
  // --activation --ensemble --keep-lengths --mcm-temperature
  void declare(CLI::App& app);

  // Whether --images or --texts was given. Throws Error as [function] for one without the other,
  // and for other flags of the list without them.
  bool given(const std::string& function) const;

  // Reads the files and scores the images, with progress. Throws Error as [function].
  struct Named {
    std::string name;  // of the score
    Predictions predictions;
  };
  struct Result {
    std::vector<Named> scored;
    ScoredFeatures features;
  };
  Result score(const std::string& function, int threads) const;

 private:
  ScoreOptions options(const std::string& function, int threads) const;

  ScoreFiles files_;
  ScoreOptions options_;
  std::string base_ = "half", new_names_;
  std::string activation_ = "softmax", ensemble_ = "features";
  bool keep_lengths_ = false;
  const CLI::App* app_ = nullptr;
};

}  // namespace openworld
