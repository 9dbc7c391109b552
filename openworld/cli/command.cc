#include "openworld/cli/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/version.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/print_out.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/memory_limit.h"

namespace openworld {
namespace {

constexpr int kUserError = 2;
constexpr int kBug = 70;  // EX_SOFTWARE of sysexits.h

constexpr CommandRow kCommands[] = {
    {"eval", "measure prediction files: metrics with intervals", make_eval},
    {"compare", "test whether models differ on the same samples", make_compare},
    {"curve", "compute a curve over all thresholds, as points or as a plot", make_curve},
    {"report", "write runs and predictions as one HTML page: tables, curves, costs, samples",
     make_report},
    {"threshold", "choose a threshold with a guaranteed miss rate", make_threshold},
    {"openset", "test whether a classifier knows when none of its names is there", make_openset},
    {"sensitivity", "how metrics move with the ratio of new to base samples", make_sensitivity},
    {"drc", "dynamic-robustness metrics of accuracy curves", make_drc},
    {"rank", "rank methods over many results: Friedman, Nemenyi", make_rank},
    {"detect", "COCO AP and AR of detections, and the open-set test of detectors", make_detect},
    {"inspect", "describe a CLIP checkpoint of any supported format", make_inspect},
    {"encode", "write features of images or texts as arrays", make_encode},
    {"zeroshot", "classify images by the names of their classes", make_zeroshot},
    {"tune", "tune prompts on a few images and measure them in the open world", make_tune},
    {"predict", "predict with a tuned model: base or new, and which class", make_predict},
    {"pretrain", "train a CLIP model on images with captions", make_pretrain},
    {"worlds", "list the bundled worlds, and draw pictures of them", make_worlds},
    {"ls", "list learners, metrics, curves, templates, datasets, checkpoints", make_ls},
    {"example", "write small prediction files to try things on", make_example},
};

void print_overview() {
  print_out(
      "openworld {}: vision-language models in an open world\n\n"
      "usage: openworld COMMAND [options]\n\n",
      OPENWORLD_VERSION);
  for (const CommandRow& row : kCommands) print_out("  {:<12} {}\n", row.name, row.brief);
  print_out(
      "\n`openworld COMMAND --help` explains one; `openworld ls metrics` lists the metrics.\n"
      "Start with: openworld example examples && openworld eval examples/*.npz\n");
}

int complain(std::string_view where, std::string_view what) {
  print_error(fmt::format("{}: {}", where, what));
  return kUserError;
}

// Without destructors of libraries: their threads that could not start may be waited for forever.
[[noreturn]] void exit_now(std::string_view what) {
  complain("openworld", what);
  std::fflush(nullptr);
  std::_Exit(kUserError);
}

// Where no handler is reached, as in the initialisers of a library that is loaded.
[[noreturn]] void on_terminate() {
  try {
    if (const std::exception_ptr e = std::current_exception()) std::rethrow_exception(e);
  } catch (const std::bad_alloc&) {
    exit_now("out of memory");
  } catch (...) {
  }
  std::abort();
}

// Calls `print` and checks that the output was written: a full disk must not look like success.
template <class Print>
int print_to_the_end(std::string_view name, Print&& print) {
  try {
    print();
  } catch (const std::system_error&) {
    if (std::ferror(stdout) == 0) throw;  // not from fmt::print
  }
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  return complain(name, "cannot write to standard output");
}

int run(const CommandRow& row, int argc, const char* const* argv) {
  const std::string name = fmt::format("openworld {}", row.name);
  CLI::App app(std::string(row.brief), name);
  app.get_formatter()->column_width(34);
  const auto command = row.make();
  command->declare(app);
  std::string max_memory;
  app.add_option("--max-memory", max_memory,
                 "most memory that the contents of a file may take, such as 8G [64 MiB and 16 "
                 "times the file, up to half of the machine's]")
      ->check(byte_count());
  try {
    app.parse(argc, argv);
    if (!max_memory.empty()) set_memory_limit(parse_byte_count(max_memory));
    return print_to_the_end(name, [&] { command->run(); });
  } catch (const CLI::CallForHelp&) {
    return print_to_the_end(name, [&] { print_out("{}", app.help()); });
  } catch (const CLI::ParseError& e) {
    return complain(name, fmt::format("{}; see `{} --help`", e.what(), name));
  } catch (const Error& e) {
    return complain(name, e.what());
  }
}

// `help learner NAME` shows a row of the table, `help COMMAND` is COMMAND --help.
std::vector<const char*> help_arguments(int argc, const char* const* argv) {
  const std::string_view what = argv[2];
  if (what != "learner" && what != "learners") return {argv[0], argv[2], "--help"};
  std::vector<const char*> arguments = {argv[0], "ls", "learners"};
  arguments.insert(arguments.end(), argv + 3, argv + argc);
  return arguments;
}

int run_command_line_of(const std::vector<const char*>& arguments) {
  return run_command_line(static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  std::set_terminate(on_terminate);
  exit_when_mapped_files_shrink();
  std::signal(SIGXFSZ, SIG_IGN);  // writing past `ulimit -f` is then an error like a full disk
  if (argc < 2) return complain("openworld", "no command; `openworld --help` lists them");
  const std::string_view first = argv[1];
  if (first == "--version" || first == "-V") {
    return print_to_the_end("openworld", [] { print_out("openworld {}\n", OPENWORLD_VERSION); });
  }
  if (first == "--help" || first == "-h" || (first == "help" && argc == 2)) {
    return print_to_the_end("openworld", print_overview);
  }
  if (first == "help") return run_command_line_of(help_arguments(argc, argv));
  for (const CommandRow& row : kCommands) {
    if (row.name != first) continue;
    try {
      return run(row, argc - 1, argv + 1);
    } catch (const std::bad_alloc&) {
      exit_now("out of memory");
    } catch (const std::system_error& e) {
      if (e.code() != std::errc::resource_unavailable_try_again) throw;
      exit_now("cannot start a thread: too many processes, or out of memory");
    } catch (const std::exception& e) {
      complain("openworld", fmt::format("this is a bug, please report it: {}", e.what()));
      return kBug;
    }
  }
  return complain("openworld",
                  fmt::format("unknown command '{}'; `openworld --help` lists them", first));
}

}  // namespace openworld
