#include "openworld/cli/scenario_flags.h"

namespace openworld {

void declare_other_datasets(CLI::App& app, std::vector<std::string>& looks,
                            std::vector<std::string>& targets) {
  app.add_option("--looks", looks,
                 "datasets with classes of --data in other looks, separated by commas; of a "
                 "bundled world their names, as chalk [all others of a bundled world]")
      ->delimiter(',');
  app.add_option("--targets", targets,
                 "datasets with other classes, separated by commas; of the same bundled world "
                 "their names, as food@chalk [all others of a bundled world, in another look]")
      ->delimiter(',');
}

}  // namespace openworld
