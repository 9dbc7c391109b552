#pragma once

// What the tests of this layer share: the oracle's tensors, and small samples.

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "openworld/osr/osr_model.h"
#include "openworld/osr/samples.h"

namespace openworld {

using OracleTensors = std::map<std::string, at::Tensor>;

// Of OUT/NAME.safetensors, which oracle.py wrote, with their own types.
OracleTensors read_oracle(const std::string& name);

// "expected" within `relative` of its largest value.
void expect_close(const at::Tensor& ours, const at::Tensor& theirs, double relative,
                  const std::string& what);

// Images of 32 x 32 with a bright square whose colour tells the class, and noise; or rows of 16
// features around a point for each class. Labels 0, 1, ..., 0, 1, ...; the last `unknown` samples
// have -1 and a colour of their own. Augmentation adds noise that depends on its name.
class SmallSamples : public OsrSamples {
 public:
  SmallSamples(bool images, std::size_t count, std::int32_t classes, std::size_t unknown = 0,
               std::uint64_t seed = 3);
  void write(std::size_t i, const std::optional<AugmentationName>& name,
             std::span<float> to) const override;

 private:
  std::uint64_t seed_;
  std::int32_t classes_;
};

}  // namespace openworld
