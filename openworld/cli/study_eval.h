#pragma once

// `openworld study eval`: measures finished cells again from their predictions.

#include <string>

#include "openworld/studies/worker.h"

namespace CLI {
class App;
}

namespace openworld {

class StudyEvalCommand {
 public:
  void declare(CLI::App& app);

  // The exit code: 1 if a cell could not be evaluated.
  int run(bool json) const;

 private:
  std::string study_, metrics_;
  WorkOptions options_;
};

}  // namespace openworld
