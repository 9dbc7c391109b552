#include "openworld/osr/arpl_plus.h"

namespace openworld {

ArplPlusOptions::ArplPlusOptions() {
  use_strong_recipe();
}

}  // namespace openworld
