#include "openworld/io/dump_line.h"

#include <nlohmann/json.hpp>

namespace openworld {

std::string dump_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace openworld
