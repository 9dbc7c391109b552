#pragma once

// Scripts by which shells complete the commands of the program, their flags and the words that
// flags take, written from what the commands declare.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace openworld {

struct FlagWords {
  std::vector<std::string> names;  // "--format", "-q"
  std::string help;
  bool takes_value = false;
  std::vector<std::string> choices;  // of the value; empty: anything, completed as files
};

// A command, or a command of one: "study run".
struct CommandWords {
  std::string name;
  std::string brief;
  std::vector<FlagWords> flags;
  std::vector<std::string> arguments;  // words that its arguments may be; empty: files
  std::vector<CommandWords> commands;  // of its own
};

// What all commands declare.
std::vector<CommandWords> declared_words();

struct ShellRow {
  std::string_view name;     // "bash"
  std::string_view install;  // where its script goes, one line
  std::string (*script)(std::span<const CommandWords> commands);
};
std::span<const ShellRow> shells();

}  // namespace openworld
