#include "openworld/vlm/load_clip.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "openworld/base/error.h"
#include "openworld/base/threads.h"
#include "openworld/checkpoint/save_clip.h"

namespace openworld {
namespace {

using at::Tensor;

// REQUIRES: on the CPU.
std::span<float> values_of(const Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

}  // namespace

Clip load_clip(const ClipCheckpoint& checkpoint, at::Device device) {
  Clip clip = make_clip(checkpoint.config(),
                        [](const TensorSpec& spec) { return at::empty(spec.shape, at::kFloat); });
  const std::vector<TensorSpec>& specs = checkpoint.tensors();
  parallel_for(specs.size(), 0, [&](std::size_t i) {
    checkpoint.read(specs[i].name, values_of(clip.tensors.at(specs[i].name)));
  });
  return device.is_cpu() ? clip : clip_on(clip, device);
}

Clip load_clip(const std::string& path, const CheckpointOptions& options, at::Device device) {
  return load_clip(open_clip_checkpoint(path, options), device);
}

Clip clip_on(const Clip& clip, at::Device device) {
  return make_clip(clip.config, [&](const TensorSpec& spec) {
    return clip.tensors.at(spec.name).detach().to(device);
  });
}

Tokenizer load_tokenizer(const ClipCheckpoint& checkpoint, const std::string& vocabulary) {
  const std::string path = vocabulary.empty() ? checkpoint.vocabulary_path() : vocabulary;
  if (path.empty()) {
    fail("load_tokenizer",
         fmt::format("{}: no vocabulary beside the weights, and its {} tokens are not those of "
                     "CLIP, whose vocabulary is bundled; expected merges.txt and vocab.json there, "
                     "or a vocabulary given apart",
                     checkpoint.files().front(), checkpoint.config().vocabulary));
  }
  return Tokenizer(load_vocabulary(path, static_cast<std::size_t>(checkpoint.config().vocabulary)));
}

void save_clip(const Clip& clip, const Vocabulary& vocabulary, const std::string& folder,
               TensorType type) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail("save_clip", fmt::format("{}: cannot be made: {}", folder, error.message()));
  // The weights come last: without them nothing loads.
  save_vocabulary(vocabulary, folder, static_cast<std::size_t>(clip.config.context));
  Tensor row_major;
  save_clip_checkpoint(
      folder, clip.config,
      [&](const TensorSpec& spec) -> std::span<const float> {
        row_major = clip.tensors.at(spec.name).detach().to(at::kCPU).contiguous();
        return values_of(row_major);
      },
      type);
}

}  // namespace openworld
