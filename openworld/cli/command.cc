#include "openworld/cli/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/version.h"

namespace openworld {
namespace {

constexpr int kUserError = 2;
constexpr int kBug = 70;  // EX_SOFTWARE of sysexits.h

constexpr CommandRow kCommands[] = {
    {"eval", "measure prediction files: metrics with intervals", make_eval},
    {"compare", "test whether models differ on the same samples", make_compare},
    {"curve", "trace a curve over all thresholds, as points or as a picture", make_curve},
    {"threshold", "choose a threshold with a guaranteed miss rate", make_threshold},
    {"sensitivity", "how metrics move with the ratio of new to base samples", make_sensitivity},
    {"drc", "dynamic-robustness metrics of accuracy curves", make_drc},
    {"rank", "rank methods over many results: Friedman, Nemenyi", make_rank},
    {"ls", "list what there is: metrics, curves, commands", make_ls},
    {"example", "write small prediction files to try things on", make_example},
};

void print_overview(std::FILE* out) {
  fmt::print(out,
             "openworld {}: measure vision-language models in an open world\n\n"
             "usage: openworld COMMAND [options]\n\n",
             OPENWORLD_VERSION);
  for (const CommandRow& row : kCommands) fmt::print(out, "  {:<12} {}\n", row.name, row.brief);
  fmt::print(
      out,
      "\n`openworld COMMAND --help` explains one; `openworld ls metrics` lists the metrics.\n"
      "Start with: openworld example examples && openworld eval examples/*.npz\n");
}

int complain(std::string_view where, std::string_view what) {
  std::string line(what);
  std::replace(line.begin(), line.end(), '\n', ' ');
  fmt::print(stderr, "{}: {}\n", where, line);
  return kUserError;
}

int run(const CommandRow& row, int argc, const char* const* argv) {
  const std::string name = fmt::format("openworld {}", row.name);
  CLI::App app(std::string(row.brief), name);
  app.get_formatter()->column_width(34);
  const auto command = row.make();
  command->declare(app);
  try {
    app.parse(argc, argv);
    command->run();
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
  } catch (const CLI::ParseError& e) {
    return complain(name, fmt::format("{}; see `{} --help`", e.what(), name));
  } catch (const Error& e) {
    return complain(name, e.what());
  }
  // A full disk must not pass for success.
  if (std::fflush(stdout) != 0) return complain(name, "cannot write to standard output");
  return 0;
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  if (argc < 2) {
    print_overview(stderr);
    return kUserError;
  }
  const std::string_view first = argv[1];
  if (first == "--version" || first == "-V") {
    fmt::print("openworld {}\n", OPENWORLD_VERSION);
    return 0;
  }
  if (first == "--help" || first == "-h" || first == "help") {
    print_overview(stdout);
    return 0;
  }
  for (const CommandRow& row : kCommands) {
    if (row.name != first) continue;
    try {
      return run(row, argc - 1, argv + 1);
    } catch (const std::bad_alloc&) {
      return complain("openworld", "out of memory");
    } catch (const std::exception& e) {
      fmt::print(stderr, "openworld: this is a bug, please report it: {}\n", e.what());
      return kBug;
    }
  }
  return complain("openworld",
                  fmt::format("unknown command '{}'; `openworld --help` lists them", first));
}

}  // namespace openworld
