// The state of a Pretrainer in a safetensors file: the step, the run it belongs to, and weights,
// moments and running means under the names of clip_tensors with a prefix.

#include <fmt/format.h>

#include <cstring>

#include "openworld/base/error.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/safetensors.h"
#include "openworld/pretrain/pretrainer.h"

namespace openworld {
namespace {

constexpr std::string_view kStep = "step", kRun = "run";

// (prefix, tensors), in the order of the file.
using Groups = std::vector<std::pair<std::string, const AdamW::Tensors*>>;

std::span<const std::byte> bytes_of(const at::Tensor& tensor) {
  return {static_cast<const std::byte*>(tensor.data_ptr()),
          static_cast<std::size_t>(tensor.nbytes())};
}

const StoredTensor& find(const Safetensors& file, const std::string& name, const Origin& origin) {
  for (const StoredTensor& tensor : file.tensors) {
    if (tensor.name == name) return tensor;
  }
  origin.fail(fmt::format("has no tensor {}; expected the state of such a training", name));
}

}  // namespace

void Pretrainer::save(const std::string& path, const std::string& run) const {
  const std::int64_t numbers[] = {step_, optimizer_.steps()};
  std::vector<TensorToWrite> tensors = {{std::string(kStep), TensorType::kI64, {2}}};
  std::vector<std::span<const std::byte>> data = {std::as_bytes(std::span(numbers))};
  for (const auto& [prefix, group] : Groups{{"model.", &clip_.tensors},
                                            {"first.", &optimizer_.first_moments()},
                                            {"second.", &optimizer_.second_moments()},
                                            {"average.", &average_}}) {
    for (const auto& [name, tensor] : *group) {
      tensors.push_back(
          {prefix + name, TensorType::kF32, {tensor.sizes().begin(), tensor.sizes().end()}});
      data.push_back(bytes_of(tensor));
    }
  }
  tensors.push_back({std::string(kRun), TensorType::kU8, {static_cast<std::int64_t>(run.size())}});
  data.push_back(std::as_bytes(std::span(run)));
  write_safetensors(
      path, tensors, [&](std::size_t i) { return data[i]; }, "pretrain");
}

void Pretrainer::load(const std::string& path) {
  const Origin origin{"pretrain", path};
  const Safetensors file = parse_safetensors(map_file(origin), origin);
  const StoredTensor& step = find(file, std::string(kStep), origin);
  std::int64_t numbers[2] = {};
  if (step.type != TensorType::kI64 || step.bytes.values.size() != sizeof numbers) {
    origin.fail("step is not two integers; expected the state of such a training");
  }
  std::memcpy(numbers, step.bytes.values.data(), sizeof numbers);
  if (numbers[0] < 0 || numbers[0] > steps() || numbers[1] < 0 || numbers[1] > numbers[0]) {
    origin.fail(fmt::format("has done {} steps; expected 0 to {}", numbers[0], steps()));
  }
  // All of it is checked before any of it is taken.
  std::vector<std::pair<const StoredTensor*, at::Tensor>> copies;
  for (const auto& [prefix, group] : Groups{{"model.", &clip_.tensors},
                                            {"first.", &optimizer_.first_moments()},
                                            {"second.", &optimizer_.second_moments()},
                                            {"average.", &average_}}) {
    for (const auto& [name, tensor] : *group) {
      const StoredTensor& stored = find(file, prefix + name, origin);
      const std::vector<std::int64_t> shape(tensor.sizes().begin(), tensor.sizes().end());
      if (stored.type != TensorType::kF32 || stored.shape != shape) {
        origin.fail(fmt::format("{} is {} {}; expected {} {}", stored.name,
                                tensor_type(stored.type).name, tensor_shape_text(stored.shape),
                                tensor_type(TensorType::kF32).name, tensor_shape_text(shape)));
      }
      copies.emplace_back(&stored, tensor);
    }
  }
  for (const auto& [stored, tensor] : copies) {
    std::memcpy(tensor.data_ptr(), stored->bytes.values.data(), stored->bytes.values.size());
  }
  step_ = numbers[0];
  optimizer_.set_steps(numbers[1]);
  loader_.reset();
}

std::string saved_run(const std::string& path) {
  const Origin origin{"pretrain", path};
  const Safetensors file = parse_safetensors(map_file(origin), origin);
  return std::string(as_text(find(file, std::string(kRun), origin).bytes.values));
}

}  // namespace openworld
