#include "openworld/osr/arpl_cs.h"

namespace openworld {

void ArplCsOptions::declare(OptionList& list) {
  list.add("generated_weight", generated_weight, 1e-9, 1e6, "of being unsure of generated images");
  list.add("gan_lr", gan_lr, 1e-9, 1, "learning rate of generator and discriminator (Adam)");
  ArplOptions::declare(list);
}

}  // namespace openworld
