#pragma once

// Files of flags: openworld.toml in the working folder, or the file of --config-file; and for every
// folder, openworld/openworld.toml in $XDG_CONFIG_HOME or ~/.config.
//
//   threads = 2                # for every command that has --threads
//   [eval]
//   metrics = "auroc,hm"
//   per-class = true
//   [study.run]                # a command of commands
//   jobs = 2
//
// A key is a flag without its dashes; - and _ are the same. Flags on the command line win over the
// working folder's file, and that one over the user's. A key that no command has is refused with
// its line, whichever command runs.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace openworld {

// The footer of --help: where values come from.
std::string config_help(std::string_view command);

// A flag that a file sets.
struct ConfiguredFlag {
  std::string flag;                    // "--metrics"
  std::vector<std::string> arguments;  // as on the command line: "--metrics=auroc,hm"
  std::string file;
  std::int64_t line = 0;
};

// What one file sets for a command, given its name and, where it is a command of commands, the one
// that is called: what stands in its section first, then what is for all commands. Throws Error as
// [config].
std::vector<ConfiguredFlag> read_config(std::string_view text, const std::string& file,
                                        CLI::App& app, std::string_view name,
                                        std::string_view subcommand);

// What the files set for a command that is called with `arguments`, each flag once, without those
// that are given there or exclude one that is. Throws Error as [config].
std::vector<ConfiguredFlag> configured_flags(CLI::App& app, std::string_view name,
                                             const std::vector<std::string>& arguments);

// The arguments with those of the flags behind them, where no flag with a list takes what follows.
std::vector<std::string> with_config(const std::vector<std::string>& arguments,
                                     const std::vector<ConfiguredFlag>& flags);

}  // namespace openworld
