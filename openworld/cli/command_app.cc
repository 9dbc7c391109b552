#include "openworld/cli/command_app.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "openworld/base/split_list.h"
#include "openworld/cli/config_file.h"
#include "openworld/cli/flag_checks.h"

namespace openworld {

CommandApp::CommandApp(const CommandRow& row)
    : name_(fmt::format("openworld {}", row.name)),
      app_(std::make_unique<CLI::App>(std::string(row.brief), name_)),
      command_(row.make()) {
  app_->get_formatter()->column_width(34);
  command_->declare(*app_);
  app_->add_flag("-q,--quiet", flags_.quiet, "no notes and no progress on standard error");
  app_->add_option("--max-memory", flags_.max_memory,
                   "most memory that the contents of a file may take, such as 8G [64 MiB and 16 "
                   "times the file, up to half of the machine's]")
      ->check(byte_count());
  if (!command_->is_configurable()) return;
  app_->add_option("--config-file", flags_.config, "a file of flags instead of openworld.toml");
  app_->add_flag("--no-config", flags_.no_config, "read no file of flags");
  const std::string footer = app_->get_footer();
  app_->footer(fmt::format("{}{}{}", footer, footer.empty() ? "" : "\n\n", config_help(row.name)));
}

CommandApp::~CommandApp() = default;

std::vector<std::string> choices_of(const CLI::Option& option) {
  // As CLI11 describes IsMember: "TEXT:{one,two}".
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  if (begin == std::string::npos || !type.ends_with('}')) return {};
  return split_list(type.substr(begin + 1, type.size() - begin - 2), ',');
}

bool is_flag(const CLI::Option& option) {
  return option.get_items_expected_max() == 0;
}

}  // namespace openworld
