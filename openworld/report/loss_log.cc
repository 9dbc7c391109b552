#include "openworld/report/loss_log.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "openworld/io/json_file.h"
#include "openworld/io/mapped_file.h"

namespace openworld {

std::vector<LossPoint> read_losses(const std::string& path, std::size_t most) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  const Bytes bytes = map_file({"report", path});
  const std::string_view text = as_text(bytes.values);
  std::vector<LossPoint> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view row = text.substr(at, end - at);
    at = end + 1;
    // Parsing takes a microsecond even of an empty line, and a small file has millions.
    if (!row.starts_with('{')) continue;
    const auto line = try_parse_json(row);
    if (!line || !line->is_object()) continue;
    const auto step = line->find("step"), loss = line->find("loss");
    if (step == line->end() || !step->is_number_integer()) continue;
    if (loss == line->end() || !loss->is_number()) continue;
    const LossPoint point{step->get<std::int64_t>(), loss->get<double>()};
    const bool follows = point.step >= (all.empty() ? 0 : all.back().step);
    if (std::isfinite(point.loss) && follows) all.push_back(point);
  }
  if (all.size() <= most) return all;
  std::vector<LossPoint> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return some;
}

}  // namespace openworld
