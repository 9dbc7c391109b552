#pragma once

// Python's keywords as options.

#include <string>
#include <utility>
#include <vector>

#include "openworld/base/option_list.h"
#include "openworld/runs/request_options.h"

namespace openworld::python {

// In the order they were given.
using Keywords = std::vector<std::pair<std::string, OptionValue>>;

inline OptionValues to_options(const Keywords& keywords) {
  OptionValues options;
  for (const auto& [name, value] : keywords) options.push_back({name, value});
  return options;
}

// Throw Error as [function].
template <class Options>
void set_keywords(Options& options, const Keywords& keywords, const std::string& function) {
  OptionList list;
  options.declare(list);
  for (const NamedOption& option : to_options(keywords)) set_named_option(list, option, function);
}

inline ModelSpec model_spec(const std::string& path, const Keywords& keywords,
                            const std::string& function) {
  ModelSpecOptions options;
  set_keywords(options, keywords, function);
  return options.spec(path);
}

}  // namespace openworld::python
