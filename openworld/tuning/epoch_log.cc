#include "openworld/tuning/epoch_log.h"

#include <nlohmann/json.hpp>

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

// Nothing for a line that is not one of ours: the log is not part of what a run depends on.
std::optional<EpochLine> line_of(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto number = [&](const char* key) {
    return json.contains(key) && json[key].is_number() ? json[key].get<double>() : 0.0;
  };
  EpochLine line{.step = static_cast<std::int64_t>(number("step")),
                 .stage = {},
                 .epoch = static_cast<std::int64_t>(number("epoch")),
                 .loss = number("loss"),
                 .lr = number("lr"),
                 .seconds = number("seconds")};
  if (json.contains("stage") && json["stage"].is_string()) {
    line.stage = json["stage"].get<std::string>();
  }
  return line;
}

}  // namespace

EpochLog::EpochLog(const std::string& path, std::int64_t step, const std::string& function)
    : last_(line_of(cut_log(path, step, function))), log_(path, function) {}

void EpochLog::add(const EpochLine& line) {
  last_ = line;
  log_.add({{"step", line.step},
            {"stage", line.stage},
            {"epoch", line.epoch},
            {"loss", line.loss},
            {"lr", line.lr},
            {"seconds", line.seconds}});
}

}  // namespace openworld
