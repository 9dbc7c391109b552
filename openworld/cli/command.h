#pragma once

// A sub-command of `openworld`: a row of the command table in command.cc, and a class.
//
// Every command takes --json (one object on stdout and nothing else there) and --help. Mistakes are
// Errors: one line on stderr, exit code 2. Data goes to stdout, progress to stderr.

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace openworld {

// What a command does once its flags are parsed.
class Command {
 public:
  virtual ~Command() = default;

  // Declares flags and arguments on `app`.
  virtual void declare(CLI::App& app) = 0;
  virtual void run() = 0;
  // Whether flags that are not given are taken from openworld.toml.
  virtual bool is_configurable() const { return true; }
  // Of a run that did not throw; 2 and 70 are taken.
  virtual int exit_code() const { return 0; }
};

struct CommandRow {
  std::string_view name;
  std::string_view brief;  // one line, no full stop
  std::unique_ptr<Command> (*make)();
};

std::unique_ptr<Command> make_eval();
std::unique_ptr<Command> make_score();
std::unique_ptr<Command> make_compare();
std::unique_ptr<Command> make_curve();
std::unique_ptr<Command> make_report();
std::unique_ptr<Command> make_threshold();
std::unique_ptr<Command> make_openset();
std::unique_ptr<Command> make_sensitivity();
std::unique_ptr<Command> make_samplesize();
std::unique_ptr<Command> make_drc();
std::unique_ptr<Command> make_rank();
std::unique_ptr<Command> make_detect();
std::unique_ptr<Command> make_doctor();
std::unique_ptr<Command> make_inspect();
std::unique_ptr<Command> make_encode();
std::unique_ptr<Command> make_zeroshot();
std::unique_ptr<Command> make_pretrain();
std::unique_ptr<Command> make_tune();
std::unique_ptr<Command> make_osr();
std::unique_ptr<Command> make_predict();
std::unique_ptr<Command> make_study();
std::unique_ptr<Command> make_worlds();
std::unique_ptr<Command> make_data();
std::unique_ptr<Command> make_scenario();
std::unique_ptr<Command> make_ls();
std::unique_ptr<Command> make_example();

std::unique_ptr<Command> make_completion();

// Every command, in the order of the overview.
std::span<const CommandRow> command_table();

// Parses and runs `argv`; the exit code. Catches Error.
int run_command_line(int argc, const char* const* argv);

}  // namespace openworld
