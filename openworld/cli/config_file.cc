#include "openworld/cli/config_file.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/cli/command_app.h"
#include "openworld/io/column.h"
#include "openworld/io/is_file.h"
#include "openworld/io/mapped_file.h"
#include "openworld/studies/toml_entry.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

constexpr auto kFileName = "openworld.toml";
// What says where files are cannot stand in one.
constexpr std::string_view kNotConfigured[] = {"help", "config-file", "no-config"};

std::string user_file() {
  if (const char* home = std::getenv("XDG_CONFIG_HOME"); home != nullptr && *home != '\0') {
    return (fs::path(home) / "openworld" / kFileName).string();
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return (fs::path(home) / ".config/openworld" / kFileName).string();
  }
  return "";
}

// The long names of the options of an app.
std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (std::ranges::find(kNotConfigured, name) == std::end(kNotConfigured)) {
        names.push_back(name);
      }
    }
  }
  return names;
}

std::vector<std::string> subcommands_of(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  return names;
}

const CLI::Option* find_option(const CLI::App& app, std::string_view key) {
  for (const std::string& name : flags_of(app)) {
    if (is_same_name(name, key)) return app.get_option_no_throw("--" + name);
  }
  return nullptr;
}

// One value as text.
std::string value_text(const toml::node& node, std::string_view key, const Origin& origin) {
  return option_text(toml_value(node, key, origin));
}

std::vector<std::string> arguments_of(const CLI::Option& option, const std::string& flag,
                                      const toml::node& node, std::string_view key,
                                      const Origin& origin) {
  if (is_flag(option)) {
    if (!node.is_boolean()) {
      fail_at(origin, line_of(node),
              fmt::format("{} is {}; expected true or false", in_quotes(key), type_text(node)));
    }
    return node.as_boolean()->get() ? std::vector{flag} : std::vector<std::string>{};
  }
  const toml::array* list = node.as_array();
  if (list == nullptr) return {fmt::format("{}={}", flag, value_text(node, key, origin))};
  std::vector<std::string> values;
  for (const toml::node& item : *list) values.push_back(value_text(item, key, origin));
  // Where one text is expected, a list stands for its items with commas, as flags are written.
  const bool joined = option.get_delimiter() != '\0' || option.get_items_expected_max() == 1;
  if (joined) return {fmt::format("{}={}", flag, fmt::join(values, ","))};
  for (std::string& value : values) value = fmt::format("{}={}", flag, value);
  return values;
}

// A key with its value, in the order of the file.
struct Entry {
  std::string key;
  const toml::node* value;
  std::int64_t line;
};

std::vector<Entry> entries_of(const toml::table& table) {
  std::vector<Entry> entries;
  for (const auto& [key, value] : table) {
    entries.push_back({std::string(key.str()), &value, key.source().begin.line});
  }
  std::ranges::stable_sort(entries, {}, &Entry::line);
  return entries;
}

[[noreturn]] void refuse_key(const Entry& entry, const std::vector<std::string>& known,
                             std::string_view section, const Origin& origin) {
  const std::string near = nearest_name(entry.key, known);
  fail_at(origin, entry.line,
          fmt::format("unknown key {}{}; {}expected a flag without its dashes",
                      in_quotes(entry.key), section.empty() ? "" : fmt::format(" in [{}]", section),
                      near.empty() ? "" : fmt::format("did you mean {}? ", near)));
}

// Adds what a table sets for an app: keys that are flags.
void add_flag(const CLI::App& app, const Entry& entry, const Origin& origin,
              std::vector<ConfiguredFlag>& flags) {
  const CLI::Option* option = find_option(app, entry.key);
  const std::string flag = "--" + option->get_lnames()[0];
  auto arguments = arguments_of(*option, flag, *entry.value, entry.key, origin);
  flags.push_back({flag, std::move(arguments), origin.file, entry.line});
}

// Checks a section and returns what it sets. Its own sections are those of the app's commands, of
// which `subcommand` is taken.
std::vector<ConfiguredFlag> read_section(const toml::table& table, CLI::App& app,
                                         const std::string& section, std::string_view subcommand,
                                         const Origin& origin) {
  const std::vector<std::string> subcommands = subcommands_of(app);
  std::vector<ConfiguredFlag> inner_flags, flags;
  for (const Entry& entry : entries_of(table)) {
    const toml::table* inner = entry.value->as_table();
    if (inner == nullptr) {
      if (find_option(app, entry.key) == nullptr) refuse_key(entry, flags_of(app), section, origin);
      add_flag(app, entry, origin, flags);
      continue;
    }
    if (std::ranges::find(subcommands, entry.key) == subcommands.end()) {
      fail_at(origin, entry.line,
              fmt::format("unknown section [{}.{}]; {}", section, entry.key,
                          subcommands.empty() ? fmt::format("{} has no commands", section)
                                              : known_names(entry.key, subcommands)));
    }
    auto found = read_section(*inner, *app.get_subcommand(entry.key),
                              fmt::format("{}.{}", section, entry.key), "", origin);
    if (entry.key == subcommand) inner_flags = std::move(found);
  }
  inner_flags.insert(inner_flags.end(), flags.begin(), flags.end());
  return inner_flags;
}

bool is_given(const CLI::Option& option, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") return false;
    for (const std::string& name : option.get_lnames()) {
      if (argument == "--" + name || argument.starts_with("--" + name + "=")) return true;
    }
    for (const std::string& name : option.get_snames()) {
      if (argument == "-" + name) return true;
    }
  }
  return false;
}

// Whether the command line says otherwise: the flag is given, or one that it excludes.
bool is_overridden(const CLI::Option& option, const std::vector<std::string>& arguments) {
  if (is_given(option, arguments)) return true;
  return std::ranges::any_of(option.get_excludes(),
                             [&](const CLI::Option* other) { return is_given(*other, arguments); });
}

// The one of a command's commands that is called, or "".
std::string chosen_subcommand(CLI::App& app, const std::vector<std::string>& arguments) {
  const std::vector<std::string> names = subcommands_of(app);
  const auto found = std::ranges::find_if(arguments, [&](const std::string& argument) {
    return std::ranges::find(names, argument) != names.end();
  });
  return found == arguments.end() ? "" : *found;
}

// The value of --config-file in `arguments`, or "".
std::string config_argument(const std::vector<std::string>& arguments) {
  constexpr std::string_view kFlag = "--config-file";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--") break;
    if (arguments[i] == kFlag && i + 1 < arguments.size()) return arguments[i + 1];
    if (arguments[i].starts_with(std::string(kFlag) + "=")) {
      return arguments[i].substr(kFlag.size() + 1);
    }
  }
  return "";
}

const CommandRow* find_command(std::string_view name) {
  for (const CommandRow& row : command_table()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandRow& row : command_table()) names.emplace_back(row.name);
  return names;
}

// Every flag of every command, for keys above all sections.
const std::vector<std::string>& all_flags() {
  static const std::vector<std::string> kFlags = [] {
    std::set<std::string> names;
    for (const CommandRow& row : command_table()) {
      CommandApp declared(row);
      for (std::string& name : flags_of(declared.app())) names.insert(std::move(name));
    }
    return std::vector<std::string>(names.begin(), names.end());
  }();
  return kFlags;
}

}  // namespace

std::string config_help(std::string_view command) {
  return fmt::format(
      "Values of flags that are not given come from [{}] in openworld.toml of the working folder, "
      "then\nfrom openworld/openworld.toml in $XDG_CONFIG_HOME or ~/.config.",
      command);
}

std::vector<ConfiguredFlag> read_config(std::string_view text, const std::string& file,
                                        CLI::App& app, std::string_view name,
                                        std::string_view subcommand) {
  const Origin origin{"config", file};
  const toml::table table = parse_plan_table(text, origin);
  const CLI::App* inner =
      subcommand.empty() ? nullptr : app.get_subcommand(std::string(subcommand));
  std::vector<ConfiguredFlag> own, common;
  for (const Entry& entry : entries_of(table)) {
    const toml::table* section = entry.value->as_table();
    if (section != nullptr && entry.key == name) {
      own = read_section(*section, app, entry.key, subcommand, origin);
    } else if (section != nullptr) {
      const CommandRow* row = find_command(entry.key);
      if (row == nullptr) {
        fail_at(origin, entry.line,
                fmt::format("unknown section [{}]; {}expected the name of a command", entry.key,
                            did_you_mean(entry.key, command_names())));
      }
      read_section(*section, CommandApp(*row).app(), entry.key, "", origin);
    } else if (inner != nullptr && find_option(*inner, entry.key) != nullptr) {
      add_flag(*inner, entry, origin, common);
    } else if (find_option(app, entry.key) != nullptr) {
      add_flag(app, entry, origin, common);
    } else {
      const auto same = [&](const std::string& flag) { return is_same_name(flag, entry.key); };
      if (std::ranges::none_of(all_flags(), same)) refuse_key(entry, all_flags(), "", origin);
    }
  }
  own.insert(own.end(), common.begin(), common.end());
  return own;
}

std::vector<ConfiguredFlag> configured_flags(CLI::App& app, std::string_view name,
                                             const std::vector<std::string>& arguments) {
  if (std::ranges::find(arguments, "--no-config") != arguments.end()) return {};
  const std::string given = config_argument(arguments);
  const std::string subcommand = chosen_subcommand(app, arguments);
  std::vector<ConfiguredFlag> flags;
  std::set<std::string> seen;
  for (const std::string& file : {given.empty() ? std::string(kFileName) : given, user_file()}) {
    if (given != file && !is_file(file)) continue;
    const Bytes bytes = map_file({"config", file});
    for (ConfiguredFlag& flag : read_config(as_text(bytes.values), file, app, name, subcommand)) {
      const CLI::Option* option = nullptr;
      if (!subcommand.empty())
        option = app.get_subcommand(subcommand)->get_option_no_throw(flag.flag);
      if (option == nullptr) option = app.get_option_no_throw(flag.flag);
      if (!seen.insert(flag.flag).second || is_overridden(*option, arguments)) continue;
      flags.push_back(std::move(flag));
    }
  }
  return flags;
}

std::vector<std::string> with_config(const std::vector<std::string>& arguments,
                                     const std::vector<ConfiguredFlag>& flags) {
  const auto end = std::ranges::find(arguments, "--");
  std::vector<std::string> all(arguments.begin(), end);
  for (const ConfiguredFlag& flag : flags) {
    all.insert(all.end(), flag.arguments.begin(), flag.arguments.end());
  }
  all.insert(all.end(), end, arguments.end());
  return all;
}

}  // namespace openworld
