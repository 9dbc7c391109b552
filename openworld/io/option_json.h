#pragma once

// Values of options (base/option_list.h) as JSON.

#include <nlohmann/json_fwd.hpp>

#include "openworld/base/option_list.h"

namespace openworld {

class JsonFields;

nlohmann::ordered_json option_json(const OptionValue& value);

// {name: value}, in order.
nlohmann::ordered_json option_json(const OptionValues& values);

// The options of a list, each with its default, what is expected and its help.
nlohmann::ordered_json option_rows_json(const OptionList& list);

// The value of a field. Throws Error for one that is neither a boolean, a number nor a text.
OptionValue option_value(const JsonFields& fields, std::string_view key);

// The object `key`. Throws Error for a value that is neither a boolean, a number nor a text.
OptionValues option_values(const JsonFields& fields, std::string_view key);

}  // namespace openworld
