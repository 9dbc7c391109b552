#pragma once

// How every command is parsed, run and ended; command.cc has the table of them.

#include <functional>
#include <string_view>

#include "openworld/cli/command.h"

namespace openworld {

// What has to be set before anything runs. Twice does no harm.
void prepare_process();

// Runs one command: `argv` begins with its name. The exit code.
int run_command(const CommandRow& row, int argc, const char* const* argv);

// Calls `print` and checks that the output was written: a full disk must not look like success. The
// exit code.
int print_to_the_end(std::string_view name, const std::function<void()>& print);

// One line on standard error; the exit code of a mistake of the user.
int complain(std::string_view where, std::string_view what);

}  // namespace openworld
