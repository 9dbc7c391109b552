#pragma once

// The flags of evaluation, shared by eval, compare and other commands: declared
// once, with defaults, help and parsing.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "openworld/metrics/evaluate.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace openworld {

class EvalFlags {
 public:
  // --metrics --ties --open --ci --bootstrap --level --resamples --seed --threads --threshold
  // --grid
  void declare(CLI::App& app);

  // What --metrics names; `names` where it was not given.
  std::vector<MetricRequest> requests(const std::string& names = "standard") const;
  EvalOptions options() const;

 private:
  std::string metrics_ = "standard";
  const CLI::Option* metrics_flag_ = nullptr;
  std::string ties_ = "definition";
  std::string open_ = "auto";
  std::string ci_ = "delong";
  std::string bootstrap_ = "bca";
  std::optional<double> threshold_;
  bool grid_ = false;
  BootstrapOptions numbers_;
};

// --json and --format, declared the same way by every command. --format json is --json; others set
// the format of the process (print_out.h).
void declare_json(CLI::App& app, bool& json);

// --threads, 0 for every core.
void declare_threads(CLI::App& app, int& threads);

// --seed; `help` says of what.
void declare_seed(CLI::App& app, std::uint64_t& seed, const char* help);

// --open, and what it says: "new", "unknown" or "auto".
void declare_open(CLI::App& app, std::string& open);
std::optional<Side> parse_open(const std::string& open);

}  // namespace openworld
