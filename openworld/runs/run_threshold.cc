#include "openworld/runs/run_threshold.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/io/atomic_file.h"
#include "openworld/runs/run_folder.h"
#include "openworld/runs/threshold_file.h"

namespace openworld {

GuaranteedThreshold require_threshold(const Predictions& predictions, const MissLimit& limit,
                                      const std::string& source, std::string_view function) {
  const RankedScores ranked(predictions.outcomes());
  if (ranked.totals().base() == 0) {
    fail(function, fmt::format("{}: no base samples; the guarantee is about them", source));
  }
  GuaranteedThreshold result = guarantee_threshold(Ranking(ranked), limit);
  if (!result.granted()) fail(function, fmt::format("{}: {}", source, result.refusal));
  return result;
}

GuaranteedThreshold set_run_threshold(const std::string& folder, const MissLimit& limit,
                                      std::string_view function) {
  const RunFolder run(folder);
  run.spec(function);
  run.expect_finished(function);
  const Predictions predictions = load_predictions(predictions_path(folder, function));
  GuaranteedThreshold result = require_threshold(predictions, limit, folder, function);
  write_file_atomically(run.threshold_file(), threshold_json(result, limit, folder).dump(2) + '\n',
                        function);
  return result;
}

}  // namespace openworld
