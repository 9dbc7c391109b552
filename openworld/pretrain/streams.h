#pragma once

// Streams of random numbers of a stage, none of which may be another's.

#include <cstdint>

#include "openworld/base/random.h"

namespace openworld {

enum class Stream : std::uint64_t {
  kOrder = 1,  // of the pairs of a pass
  kExtra,      // captions without images
  kRedraw,     // changes of shape
  kLines,      // changes of lines
  kPhase,      // of systematic sampling
  kRound,      // order of a later round
  kTexts,      // texts of names
};

// The seed of a stream in an epoch, or a pass of a source.
inline std::uint64_t stream_seed(Stream stream, std::uint64_t seed, std::uint64_t epoch) {
  return mix64(mix64(mix64(static_cast<std::uint64_t>(stream)) ^ seed) ^ epoch);
}

}  // namespace openworld
