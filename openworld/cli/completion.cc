// openworld completion: a script for bash, zsh or fish.

#include "openworld/cli/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "openworld/cli/command_app.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"

namespace openworld {
namespace {

// The first line of a help text, without what a shell would take for its own.
std::string plain_help(std::string_view text) {
  std::string plain;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (std::string_view("'\"`$\\[]{}:").find(c) == std::string_view::npos) plain += c;
  }
  return plain;
}

CommandWords words_of(CLI::App& app, std::string name) {
  CommandWords words{.name = std::move(name),
                     .brief = plain_help(app.get_description()),
                     .flags = {},
                     .arguments = {},
                     .commands = {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      for (std::string& choice : choices_of(*option)) words.arguments.push_back(std::move(choice));
      continue;
    }
    FlagWords& flag = words.flags.emplace_back();
    for (const std::string& long_name : option->get_lnames()) {
      flag.names.push_back("--" + long_name);
    }
    for (const std::string& short_name : option->get_snames()) {
      flag.names.push_back("-" + short_name);
    }
    flag.help = plain_help(option->get_description());
    flag.takes_value = !is_flag(*option);
    flag.choices = choices_of(*option);
  }
  for (CLI::App* sub : app.get_subcommands({})) {
    CommandWords inner = words_of(*sub, sub->get_name());
    // Flags of the command may stand behind the inner one too.
    inner.flags.insert(inner.flags.end(), words.flags.begin(), words.flags.end());
    words.commands.push_back(std::move(inner));
  }
  return words;
}

std::vector<std::string> names_of(std::span<const CommandWords> commands) {
  std::vector<std::string> names;
  for (const CommandWords& command : commands) names.push_back(command.name);
  return names;
}

// Calls f(path, command) for every command and its own, "study" and "study run".
template <class F>
void for_all(std::span<const CommandWords> commands, const F& f) {
  for (const CommandWords& command : commands) {
    f(command.name, command);
    for (const CommandWords& inner : command.commands) {
      f(fmt::format("{} {}", command.name, inner.name), inner);
    }
  }
}

std::string bash_script(std::span<const CommandWords> commands) {
  std::string flags, values, arguments;
  for_all(commands, [&](const std::string& path, const CommandWords& command) {
    std::vector<std::string> names;
    for (const FlagWords& flag : command.flags) {
      names.insert(names.end(), flag.names.begin(), flag.names.end());
      if (!flag.takes_value) continue;
      for (const std::string& name : flag.names) {
        values += fmt::format(
            "    '{} {}') words='{}' ;;\n", path, name,
            flag.choices.empty() ? "<file>" : fmt::format("{}", fmt::join(flag.choices, " ")));
      }
    }
    flags += fmt::format("    '{}') words='{}' ;;\n", path, fmt::join(names, " "));
    std::vector<std::string> plain = names_of(command.commands);
    plain.insert(plain.end(), command.arguments.begin(), command.arguments.end());
    if (plain.empty()) return;
    arguments += fmt::format("    '{}') words='{}' ;;\n", path, fmt::join(plain, " "));
  });
  std::string inner;
  for (const CommandWords& command : commands) {
    for (const CommandWords& sub : command.commands) {
      inner += fmt::format("{}'{} {}'", inner.empty() ? "" : " | ", command.name, sub.name);
    }
  }
  return fmt::format(
      R"(# Completes openworld in bash. Written by `openworld completion bash`.
_openworld() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local words='' path=${{COMP_WORDS[1]}} i
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W '{0} help --help --version' -- "$current"))
    return
  fi
  for ((i = 2; i < COMP_CWORD; ++i)); do
    case "${{COMP_WORDS[1]}} ${{COMP_WORDS[i]}}" in
    {1}) path="${{COMP_WORDS[1]}} ${{COMP_WORDS[i]}}" ;;
    esac
  done
  # bash makes a word of the = in --flag=value.
  if [[ $current == = ]]; then current=''; previous=${{COMP_WORDS[COMP_CWORD-1]}}
  elif [[ $previous == = ]]; then previous=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  case "$path $previous" in
{2}  esac
  if [[ -z $words && $current == -* ]]; then
    case "$path" in
{3}    esac
  elif [[ -z $words ]]; then
    case "$path" in
{4}    esac
  fi
  if [[ -n $words && $words != '<file>' ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    compopt -o filenames 2>/dev/null
    local IFS=$'\n'
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -F _openworld openworld
)",
      fmt::join(names_of(commands), " "), inner.empty() ? "''" : inner, values, flags, arguments);
}

std::string zsh_flags(const CommandWords& command, std::string_view indent) {
  std::string text;
  for (const FlagWords& flag : command.flags) {
    for (const std::string& name : flag.names) {
      text += fmt::format("{}'{}{}[{}]", indent, name, flag.takes_value ? "=" : "", flag.help);
      if (flag.takes_value) {
        text += flag.choices.empty() ? ":value:_files"
                                     : fmt::format(":value:({})", fmt::join(flag.choices, " "));
      }
      text += "' \\\n";
    }
  }
  text += fmt::format("{}'*:argument:{}'\n", indent,
                      command.arguments.empty()
                          ? "_files"
                          : fmt::format("({})", fmt::join(command.arguments, " ")));
  return text;
}

std::string zsh_list(std::span<const CommandWords> commands, std::string_view indent) {
  std::string text;
  for (const CommandWords& command : commands) {
    text += fmt::format("{}'{}:{}'\n", indent, command.name, command.brief);
  }
  return text;
}

std::string zsh_script(std::span<const CommandWords> commands) {
  std::string cases;
  for (const CommandWords& command : commands) {
    cases += fmt::format("    {})\n", command.name);
    if (!command.commands.empty()) {
      cases += fmt::format(
          "      if (( CURRENT == 3 )); then\n        commands=(\n{}        )\n"
          "        _describe command commands\n        return\n      fi\n"
          "      case $words[3] in\n",
          zsh_list(command.commands, "          "));
      for (const CommandWords& inner : command.commands) {
        cases += fmt::format("        {})\n          _arguments \\\n{}          return ;;\n",
                             inner.name, zsh_flags(inner, "            "));
      }
      cases += "      esac\n";
    }
    cases += fmt::format("      _arguments \\\n{}      ;;\n", zsh_flags(command, "        "));
  }
  return fmt::format(
      R"(#compdef openworld
# Completes openworld in zsh. Written by `openworld completion zsh`.
_openworld() {{
  local -a commands
  if (( CURRENT == 2 )); then
    commands=(
{}    )
    _describe command commands
    return
  fi
  case $words[2] in
{}  esac
}}
if [ "$funcstack[1]" = _openworld ]; then
  _openworld "$@"
else
  compdef _openworld openworld
fi
)",
      zsh_list(commands, "      "), cases);
}

std::string fish_script(std::span<const CommandWords> commands) {
  std::string text = "# Completes openworld in fish. Written by `openworld completion fish`.\n";
  for (const CommandWords& command : commands) {
    fmt::format_to(std::back_inserter(text),
                   "complete -c openworld -n __fish_use_subcommand -f -a {} -d '{}'\n",
                   command.name, command.brief);
  }
  const auto add = [&](const std::string& condition, const CommandWords& command) {
    for (const FlagWords& flag : command.flags) {
      text += fmt::format("complete -c openworld -n '{}'", condition);
      for (const std::string& name : flag.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (flag.takes_value && flag.choices.empty()) text += " -r";
      if (!flag.choices.empty()) text += fmt::format(" -x -a '{}'", fmt::join(flag.choices, " "));
      text += fmt::format(" -d '{}'\n", flag.help);
    }
    if (command.arguments.empty()) return;
    text += fmt::format("complete -c openworld -n '{}' -f -a '{}'\n", condition,
                        fmt::join(command.arguments, " "));
  };
  for (const CommandWords& command : commands) {
    const std::string seen = "__fish_seen_subcommand_from " + command.name;
    if (command.commands.empty()) {
      add(seen, command);
      continue;
    }
    const std::string inner = fmt::format("{}", fmt::join(names_of(command.commands), " "));
    for (const CommandWords& sub : command.commands) {
      text += fmt::format(
          "complete -c openworld -n '{}; and not __fish_seen_subcommand_from {}' -f -a {} -d "
          "'{}'\n",
          seen, inner, sub.name, sub.brief);
      add(fmt::format("{}; and __fish_seen_subcommand_from {}", seen, sub.name), sub);
    }
  }
  return text;
}

constexpr ShellRow kShells[] = {
    {"bash", "source <(openworld completion bash), in ~/.bashrc", bash_script},
    {"zsh", "openworld completion zsh > DIR/_openworld, for a DIR of $fpath", zsh_script},
    {"fish", "openworld completion fish > ~/.config/fish/completions/openworld.fish", fish_script}};

class Completion : public Command {
 public:
  void declare(CLI::App& app) override {
    std::vector<std::string> names;
    std::string install = "To install:";
    for (const ShellRow& shell : shells()) {
      names.emplace_back(shell.name);
      install += fmt::format("\n  {:<5} {}", shell.name, shell.install);
    }
    app.add_option("SHELL", shell_, "bash, zsh or fish")->required()->check(CLI::IsMember(names));
    declare_json(app, json_);
    app.footer(install);
  }

  // The script is the same in every folder: shells ask for it where they start.
  bool is_configurable() const override { return false; }

  void run() override {
    const std::vector<CommandWords> commands = declared_words();
    for (const ShellRow& shell : shells()) {
      if (shell.name != shell_) continue;
      const std::string script = shell.script(commands);
      if (json_) return print_json({{"shell", shell_}, {"script", script}});
      print_data(script);
    }
  }

 private:
  std::string shell_;
  bool json_ = false;
};

}  // namespace

std::vector<CommandWords> declared_words() {
  std::vector<CommandWords> commands;
  for (const CommandRow& row : command_table()) {
    CommandApp declared(row);
    commands.push_back(words_of(declared.app(), std::string(row.name)));
  }
  return commands;
}

std::span<const ShellRow> shells() {
  return kShells;
}

std::unique_ptr<Command> make_completion() {
  return std::make_unique<Completion>();
}

}  // namespace openworld
