#include "openworld/osr/samples.h"

namespace openworld {

std::size_t OsrSamples::values() const {
  std::size_t product = 1;
  for (const std::int64_t side : shape_) product *= static_cast<std::size_t>(side);
  return product;
}

}  // namespace openworld
