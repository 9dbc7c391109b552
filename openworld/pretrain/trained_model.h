#pragma once

// A CLIP model while it is trained: its towers, and what a finished model no longer needs: batch
// normalisation of the stem, and a free vector for each name and word of the corpus.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/pretrain/spec/pretrain_options.h"
#include "openworld/pretrain/stem.h"
#include "openworld/vlm/clip.h"

namespace openworld {

// The tower that a tensor belongs to; the logit scale and the vectors of words belong to neither.
Tower tower_of_tensor(std::string_view name);

struct TrainedModel {
  using Tensors = std::map<std::string, at::Tensor>;

  Clip clip;
  std::vector<StemNorm> norms;  // of the layers of the stem; none: it has biases only
  at::Tensor word_vectors;      // [words, embed], not normalised; undefined: none
  at::Tensor word_scale;        // log of what cosines with them are multiplied by

  // All of it by name: those of clip_tensors; "visual.stem.0.norm.weight", ".mean" and ".variance";
  // "words.vectors" and "words.scale". Changing one in place changes the model.
  Tensors tensors() const;

  // Those that a training with `locked` changes by gradients, and the running statistics, which it
  // changes without.
  Tensors trained(Tower locked, bool words) const;
  Tensors running(Tower locked) const;

  // The finished model: a copy, in which norms are folded into the stem.
  Clip finished() const;

  // A copy in which the tensors named in `other` are those.
  TrainedModel with(const Tensors& other) const;
};

// With norms whose running statistics are those of the identity.
TrainedModel make_trained_model(Clip clip, bool batch_norm);

// Gives the model vectors for so many words, with a random init.
void add_word_vectors(TrainedModel& model, std::int64_t words, std::uint64_t seed);

}  // namespace openworld
