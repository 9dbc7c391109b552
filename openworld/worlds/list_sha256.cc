#include "openworld/worlds/list_sha256.h"

#include <fmt/format.h>

#include <span>

#include "openworld/io/sha256.h"

namespace openworld {

std::string list_sha256(const Dataset& dataset) {
  std::string list;
  for (const Sample& sample : dataset.samples) {
    list += fmt::format("{}\t{}\n", sample.path, sample.label);
  }
  return hex_text(sha256(std::as_bytes(std::span(list))));
}

}  // namespace openworld
