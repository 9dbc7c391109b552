#pragma once

// A command with all its flags declared: its own, and those that every command takes. What is
// parsed, completed by shells and read from configuration files all comes from here.

#include <memory>
#include <string>

#include "openworld/cli/command.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace openworld {

struct CommonFlags {
  bool quiet = false;
  std::string max_memory;  // empty: not given
  std::string config;      // a file instead of openworld.toml
  bool no_config = false;
};

class CommandApp {
 public:
  explicit CommandApp(const CommandRow& row);
  ~CommandApp();

  CLI::App& app() { return *app_; }
  Command& command() { return *command_; }
  const CommonFlags& flags() const { return flags_; }
  // "openworld eval".
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  CommonFlags flags_;
  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<Command> command_;
};

// The words that an option takes, where they are a list; empty otherwise.
std::vector<std::string> choices_of(const CLI::Option& option);

// Whether the option stands alone, without a value.
bool is_flag(const CLI::Option& option);

}  // namespace openworld
