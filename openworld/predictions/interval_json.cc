#include "openworld/predictions/interval_json.h"

#include <nlohmann/json.hpp>

namespace openworld {

nlohmann::ordered_json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {{"low", interval->low},
          {"high", interval->high},
          {"level", interval->level},
          {"method", interval->method}};
}

}  // namespace openworld
