#pragma once

// Flags from options (base/option_list.h), so that an option is declared once: --weight-decay for
// weight_decay, with its help, default and check. A boolean is a flag without a value: --half, or
// --no-centre for one that is true by default.

#include "openworld/base/option_list.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace openworld {

// The name of the flag of a row: "--weight-decay".
std::string option_flag_name(const OptionRow& row);

// Declares one flag under any name. The fields of the row have to outlive the parsing.
CLI::Option* declare_option(CLI::App& app, const OptionRow& row, const std::string& flag);

// Declares a flag for every row.
void declare_options(CLI::App& app, const OptionList& list);

}  // namespace openworld
