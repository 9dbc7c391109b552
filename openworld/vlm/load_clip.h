#pragma once

// CLIP models from checkpoints and back.

#include <string>
#include <vector>

#include "openworld/checkpoint/clip_checkpoint.h"
#include "openworld/io/tensor_file.h"
#include "openworld/text/tokenizer.h"
#include "openworld/vlm/clip.h"

namespace openworld {

// The model in a file or folder of any format of checkpoint_formats(), in fp32, on `device`
// (device.h). Tensors are read on all cores. Throws Error.
Clip load_clip(const ClipCheckpoint& checkpoint, at::Device device = at::kCPU);
Clip load_clip(const std::string& path, const CheckpointOptions& options = {},
               at::Device device = at::kCPU);

// The same model on another device; shares the tensors if it is there.
Clip clip_on(const Clip& clip, at::Device device);

// The tokenizer of a checkpoint: from `vocabulary`, a file or folder, or, if that is empty, from
// its vocabulary_path(). Throws Error if there is none or it is of another size.
Tokenizer load_tokenizer(const ClipCheckpoint& checkpoint, const std::string& vocabulary = "");

// Writes the model in the layout of Hugging Face (save_clip.h), with its vocabulary.
void save_clip(const Clip& clip, const Vocabulary& vocabulary, const std::string& folder,
               TensorType type = TensorType::kF32);

}  // namespace openworld
