#pragma once

// Streams of random numbers of a run, none of which may be another's.

#include <cstdint>

#include "openworld/base/random.h"

namespace openworld {

enum class OsrStream : std::uint64_t {
  kHead = 7'000'001,  // first values of the head
  kNetwork = 7'100'001,
  kGenerator = 7'200'001,
  kDiscriminator = 7'300'001,
  kOrder = 7'400'001,    // of the samples in an epoch
  kDropout = 7'500'001,  // of a step
  kMix = 7'600'001,      // the same
  kNoise = 7'700'001,    // the same, of the generator
  kPixels = 7'800'001,   // augmentation
};

inline Random osr_random(OsrStream stream, std::uint64_t seed, std::uint64_t number) {
  return Random(mix64(seed ^ static_cast<std::uint64_t>(stream)), number);
}

}  // namespace openworld
