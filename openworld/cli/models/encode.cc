// openworld encode, behind libtorch.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/cli/models/terminal.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/io/run_cost.h"
#include "openworld/tuning/encode_job.h"

namespace openworld {

void run_encode(const EncodeCommand& command) {
  const RunClock clock;
  const EncodeResult result = run_encoding(command.request, terminal_observer());
  if (command.json) {
    nlohmann::ordered_json json = encode_json(result);
    json["cost"] = run_cost_json(clock.cost());
    return print_json(json);
  }
  print_out("wrote {}: {} of {}", result.out, counted(result.rows, "feature"),
            counted(result.columns, "dimension"));
  if (result.data) {
    // The first three add up to the features.
    print_out(" ({} encoded, {} found in the cache, {} the same as another); {} skipped",
              result.encoded, result.found, result.copies, result.data->skipped);
    if (const std::size_t others = result.data->not_images; others > 0) {
      print_out(", {} not named like an image", counted(others, "file"));
    }
  }
  print_out("\n");
}

}  // namespace openworld
