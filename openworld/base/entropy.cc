#include "openworld/base/entropy.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <random>

namespace openworld {

std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  if (::getrandom(&bits, sizeof bits, 0) == sizeof bits) return bits;
  std::random_device device;  // a kernel or a sandbox without the call
  return std::uint64_t{device()} << 32 | device();
}

std::string random_name() {
  return fmt::format("{:016x}", random_bits());
}

}  // namespace openworld
