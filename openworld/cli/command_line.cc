#include "openworld/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/base/split_list.h"
#include "openworld/cli/command_app.h"
#include "openworld/cli/config_file.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/memory_limit.h"

namespace openworld {
namespace {

constexpr int kUserError = 2;
constexpr int kBug = 70;  // EX_SOFTWARE of sysexits.h

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

// "unknown flag --metrcs; did you mean --metrics? " of the first argument that was not expected and
// looks like a flag, or of a command of a command; "" where there is none.
std::string unknown_word(CLI::App& app) {
  for (const std::string& argument : app.remaining(true)) {
    if (!argument.starts_with("--")) continue;
    const std::string flag = argument.substr(2, argument.find('=') - 2);
    std::vector<std::string> known;
    const auto add = [&](const CLI::App& owner) {
      for (const CLI::Option* option : owner.get_options()) {
        for (const std::string& name : option->get_lnames()) known.push_back(name);
      }
    };
    add(app);
    for (const CLI::App* chosen : app.get_subcommands()) add(*chosen);
    const std::string near = nearest_name(flag, known);
    return fmt::format("unknown flag --{}; {}", flag,
                       near.empty() ? "" : fmt::format("did you mean --{}? ", near));
  }
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  const std::vector<std::string> left = app.remaining();
  if (commands.empty() || !app.get_subcommands().empty() || left.empty()) return "";
  return fmt::format("unknown command '{}'; {}", left[0], did_you_mean(left[0], commands));
}

// "did you mean metrics? " where CLI11 says "WHAT: metricss not in {metrics,curves}", or "".
std::string nearest_member(const std::string& message) {
  constexpr std::string_view kNotIn = " not in {";
  const std::size_t list = message.find(kNotIn);
  const std::size_t flag = message.find(": ");
  if (list == std::string::npos || flag > list || !message.ends_with('}')) return "";
  const std::size_t first = list + kNotIn.size();
  const std::vector<std::string> known =
      split_list(std::string_view(message).substr(first, message.size() - 1 - first));
  if (known.size() == 1) return fmt::format("the word {} comes first: ", known[0]);
  return did_you_mean(message.substr(flag + 2, list - flag - 2), known);
}

// Which file set the flag that an error is about: "; openworld.toml: line 3 sets it", or "".
std::string config_place(const std::vector<ConfiguredFlag>& flags, std::string_view error) {
  for (const ConfiguredFlag& flag : flags) {
    const std::size_t at = error.find(flag.flag);
    if (at == std::string_view::npos) continue;
    const std::size_t end = at + flag.flag.size();
    if (end < error.size() && (error[end] == '-' || std::isalnum(error[end]) != 0)) continue;
    return fmt::format("; {}: line {} sets {}", flag.file, flag.line, flag.flag);
  }
  return "";
}

// The same for an error of the command itself, which may quote a word that a flag was given instead
// of naming the flag. Numbers are no sign: other things have the same.
std::string quoted_config_place(const std::vector<ConfiguredFlag>& flags, std::string_view error) {
  const auto is_quoted = [&](const std::string& word) {
    const bool is_word =
        std::ranges::any_of(word, [](unsigned char c) { return std::isalpha(c) != 0; });
    return is_word && word != "true" && error.find(fmt::format("'{}'", word)) != error.npos;
  };
  std::string place = config_place(flags, error);
  for (const ConfiguredFlag& flag : flags) {
    for (const std::string& argument : flag.arguments) {
      if (!place.empty()) return place;
      const std::size_t value = argument.starts_with("--") ? argument.find('=') + 1 : 0;
      if (std::ranges::any_of(split_list(std::string_view(argument).substr(value)), is_quoted)) {
        place = config_place({flag}, flag.flag);
      }
    }
  }
  return place;
}

bool asks_for_help(const std::vector<std::string>& arguments) {
  return std::ranges::any_of(arguments, [](const std::string& argument) {
    return argument == "-h" || argument == "--help";
  });
}

int run(const CommandRow& row, int argc, const char* const* argv) {
  CommandApp declared(row);
  CLI::App& app = declared.app();
  const std::string& name = declared.name();
  std::vector<ConfiguredFlag> configured;
  try {
    const std::vector<std::string> given(argv + 1, argv + argc);
    // Help is for those whose file of flags is wrong, too.
    if (declared.command().is_configurable() && !asks_for_help(given)) {
      configured = configured_flags(app, row.name, given);
    }
    std::vector<std::string> arguments = with_config(given, configured);
    std::ranges::reverse(arguments);  // as CLI11 takes them
    app.parse(arguments);
    const CommonFlags& flags = declared.flags();
    if (flags.quiet) set_output({output_settings().format, true});
    if (!flags.max_memory.empty()) set_memory_limit(parse_byte_count(flags.max_memory));
    const int printed = print_to_the_end(name, [&] { declared.command().run(); });
    return printed != 0 ? printed : declared.command().exit_code();
  } catch (const CLI::CallForHelp&) {
    set_output({});
    return print_to_the_end(name, [&] { print_out("{}", app.help()); });
  } catch (const CLI::ParseError& e) {
    // A misspelled flag that is required is told as such, not as missing.
    const std::string unknown = unknown_word(app);
    const bool misspelled = dynamic_cast<const CLI::ExtrasError*>(&e) != nullptr ||
                            dynamic_cast<const CLI::RequiredError*>(&e) != nullptr;
    if (misspelled && !unknown.empty()) {
      return complain(name, fmt::format("{}see `{} --help`", unknown, name));
    }
    return complain(
        name, fmt::format("{}{}; {}see `{} --help`", e.what(), config_place(configured, e.what()),
                          nearest_member(e.what()), name));
  } catch (const Error& e) {
    end_output();
    return complain(name, fmt::format("{}{}", e.what(), quoted_config_place(configured, e.what())));
  }
}

}  // namespace

int complain(std::string_view where, std::string_view what) {
  print_error(fmt::format("{}: {}", where, what));
  return kUserError;
}

int print_to_the_end(std::string_view name, const std::function<void()>& print) {
  try {
    print();
    end_output();
  } catch (const std::system_error&) {
    if (std::ferror(stdout) == 0) throw;  // not from fmt::print
  }
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  return complain(name, "cannot write to standard output");
}

void prepare_process() {
  std::set_terminate(on_terminate);
  exit_when_mapped_files_shrink();
  std::signal(SIGXFSZ, SIG_IGN);  // writing past `ulimit -f` is then an error like a full disk
}

int run_command(const CommandRow& row, int argc, const char* const* argv) {
  try {
    return run(row, argc, argv);
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

}  // namespace openworld
