#pragma once

// Samples that networks are trained and measured on: images in memory, or features.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "openworld/images/transform.h"

namespace openworld {

class OsrSamples {
 public:
  virtual ~OsrSamples() = default;

  std::size_t size() const { return labels_.size(); }
  // Of the known classes; -1: unknown.
  const std::vector<std::int32_t>& labels() const { return labels_; }
  // Of one sample: {3, 32, 32}, or {width}.
  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::size_t values() const;

  // Sample i as the network reads it, with the augmentation that belongs to `name`, or without one.
  // Safe from several threads. REQUIRES: to.size() == values(). Throws Error.
  virtual void write(std::size_t i, const std::optional<AugmentationName>& name,
                     std::span<float> to) const = 0;

 protected:
  std::vector<std::int32_t> labels_;
  std::vector<std::int64_t> shape_;
};

}  // namespace openworld
