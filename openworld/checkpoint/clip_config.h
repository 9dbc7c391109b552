#pragma once

// The configuration of a CLIP model: the sizes of its two towers and the image preprocessing.
//
// Inside the project tensors have OpenAI's names and shapes, for every file format; clip_tensors
// lists them for a configuration.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/images/preprocessing.h"

namespace openworld {

enum class Activation {
  kQuickGelu,  // x * sigmoid(1.702 x): OpenAI's weights
  kGelu,       // x * Phi(x) with erf: most OpenCLIP weights
};

// "quick_gelu" and "gelu", as Hugging Face calls them; nothing for any other name.
std::string_view activation_name(Activation activation);
std::optional<Activation> find_activation(std::string_view name);

struct TowerConfig {
  std::int64_t width = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t mlp = 0;  // hidden width, 4 * width in all published models
};

// One 3 x 3 convolution with padding 1 and a bias, followed by the activation.
struct StemLayer {
  std::int64_t channels = 0;  // out
  std::int64_t stride = 1;

  bool operator==(const StemLayer&) const = default;
};

struct ClipConfig {
  TowerConfig vision;
  TowerConfig text;
  std::int64_t patch = 0;       // of the patch embedding, on the stem's output if there is a stem
  std::int64_t embed = 0;       // dimension of the joint space
  std::int64_t context = 0;     // longest token sequence
  std::int64_t vocabulary = 0;  // token ids; the last two are start and end of text
  Activation activation = Activation::kQuickGelu;
  double layer_norm_eps = 1e-5;
  std::vector<StemLayer> stem;  // in front of the patch embedding; empty in CLIP
  Preprocessing preprocessing;  // its image_size is the vision tower's input

  // Side of the grid of patches. A convolution of stride s maps n pixels to ceil(n / s).
  std::int64_t grid() const;
  std::int64_t start_of_text() const { return vocabulary - 2; }
  std::int64_t end_of_text() const { return vocabulary - 1; }
};

// The project's own small model: drawings and icons of 32 pixels, a stem of convolutions down to
// 4 x 4 tokens; made for training with batch normalisation in the stem.
ClipConfig pocket_config();

// The models that OpenAI published with vision transformers.
ClipConfig vit_b32_config();
ClipConfig vit_b16_config();
ClipConfig vit_l14_config();

struct TensorSpec {
  std::string name;
  std::vector<std::int64_t> shape;

  std::int64_t size() const;
};

// Every tensor of such a model, in a fixed order: "logit_scale", "token_embedding.weight",
// "positional_embedding", "transformer.resblocks.0.ln_1.weight", ..., "visual.stem.0.weight",
// "visual.stem.0.bias", ..., "visual.conv1.weight", ... Linear weights are [out, in];
// "text_projection" and "visual.proj" are [width, embed].
std::vector<TensorSpec> clip_tensors(const ClipConfig& config);

// Sum of the sizes.
std::int64_t parameter_count(const ClipConfig& config);

}  // namespace openworld
