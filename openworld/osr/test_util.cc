#include "openworld/osr/test_util.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "openworld/base/random.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/safetensors.h"

namespace openworld {

using at::Tensor;

OracleTensors read_oracle(const std::string& name) {
  const Origin origin{"oracle", std::string(OPENWORLD_ORACLE_DIR) + "/" + name + ".safetensors"};
  OracleTensors tensors;
  for (const StoredTensor& stored : parse_safetensors(map_file(origin), origin).tensors) {
    const at::ScalarType type = stored.type == TensorType::kF64   ? at::kDouble
                                : stored.type == TensorType::kF32 ? at::kFloat
                                                                  : at::kLong;
    Tensor value = at::empty(stored.shape, type);
    std::memcpy(value.data_ptr(), stored.bytes.values.data(), stored.bytes.values.size());
    tensors[stored.name] = value;
  }
  return tensors;
}

void expect_close(const Tensor& ours, const Tensor& theirs, double relative,
                  const std::string& what) {
  ASSERT_EQ(ours.sizes(), theirs.sizes()) << what;
  const Tensor expected = theirs.to(at::kDouble);
  const double scale = expected.abs().max().item<double>();
  const double error = (ours.to(at::kDouble) - expected).abs().max().item<double>();
  EXPECT_LE(error, relative * scale + 1e-12) << what << " is off by " << error << " of " << scale;
}

SmallSamples::SmallSamples(bool images, std::size_t count, std::int32_t classes,
                           std::size_t unknown, std::uint64_t seed)
    : seed_(seed), classes_(classes) {
  shape_ = images ? std::vector<std::int64_t>{3, 32, 32} : std::vector<std::int64_t>{16};
  for (std::size_t i = 0; i < count; ++i) {
    const bool known = i + unknown < count;
    labels_.push_back(known ? static_cast<std::int32_t>(i) % classes : -1);
  }
}

void SmallSamples::write(std::size_t i, const std::optional<AugmentationName>& name,
                         std::span<float> to) const {
  Random random(seed_, i);
  for (float& value : to) value = static_cast<float>(0.3 * random.normal());
  const int place = labels_[i] < 0 ? classes_ : labels_[i];
  if (shape_.size() == 1) {
    Random of_class(seed_ + 1, static_cast<std::uint64_t>(place));
    for (float& value : to) value += static_cast<float>(of_class.normal());
  } else {
    for (int channel = 0; channel < 3; ++channel) {
      if (((place + 1) >> channel & 1) == 0) continue;
      for (int y = 8; y < 24; ++y) {
        for (int x = 8; x < 24; ++x) {
          to[static_cast<std::size_t>((channel * 32 + y) * 32 + x)] += 1;
        }
      }
    }
  }
  if (!name) return;
  Random noise(name->seed ^ mix64(name->epoch), name->index);
  for (float& value : to) value += static_cast<float>(0.05 * noise.normal());
}

}  // namespace openworld
