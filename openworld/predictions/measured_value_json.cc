#include "openworld/predictions/measured_value_json.h"

#include <nlohmann/json.hpp>

#include "openworld/predictions/interval_json.h"

namespace openworld {

nlohmann::ordered_json measured_value_json(const MeasuredValue& measured) {
  if (!measured.value.defined()) {
    return {{"value", nullptr}, {"interval", nullptr}, {"why", measured.value.why}};
  }
  nlohmann::ordered_json json = {{"value", measured.value.value},
                                 {"interval", interval_json(measured.interval)},
                                 {"why", nullptr}};
  if (!measured.no_interval.empty()) json["no_interval"] = measured.no_interval;
  return json;
}

}  // namespace openworld
