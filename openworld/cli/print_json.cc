#include "openworld/cli/print_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace openworld {

void print_json(const nlohmann::ordered_json& json, int indent) {
  using Handler = nlohmann::ordered_json::error_handler_t;
  fmt::print("{}\n", json.dump(indent, ' ', false, Handler::replace));
}

}  // namespace openworld
