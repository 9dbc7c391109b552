#include "openworld/osr/ce_plus.h"

namespace openworld {

CePlusOptions::CePlusOptions() {
  use_strong_recipe();
}

}  // namespace openworld
