#include "openworld/pretrain/test_util.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include "openworld/base/random.h"

namespace openworld {

at::Tensor random_tensor(at::IntArrayRef shape, std::uint64_t seed, double spread) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  Random random(seed);
  float* const values = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    values[i] = static_cast<float>(spread * random.normal());
  }
  return tensor;
}

double relative_error(const at::Tensor& got, const at::Tensor& expected) {
  const at::Tensor a = got.detach().to(at::kDouble), b = expected.detach().to(at::kDouble);
  return (a - b).abs().max().item<double>() / (b.abs().max().item<double>() + 1e-30);
}

ClipConfig small_config(std::int64_t side, const std::vector<std::int64_t>& channels,
                        Activation activation) {
  ClipConfig config = pocket_config();
  config.preprocessing.image_size = side;
  config.vision = {32, 2, 2, 64};
  config.text = {32, 1, 2, 64};
  config.embed = 24;
  config.activation = activation;
  config.stem.clear();
  for (std::size_t i = 0; i < channels.size(); ++i) {
    config.stem.push_back({channels[i], i == 1 ? 1 : 2});
  }
  return config;
}

bool equal(const Clip& a, const Clip& b) {
  for (const auto& [name, tensor] : a.tensors) {
    if (!tensor.detach().equal(b.tensors.at(name).detach())) return false;
  }
  return true;
}

}  // namespace openworld
