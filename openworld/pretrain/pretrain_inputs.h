#pragma once

// What a pre-training run starts from: captions, vocabulary and initial weights.

#include <memory>

#include "openworld/pretrain/spec/pretrain_spec.h"
#include "openworld/text/tokenizer.h"
#include "openworld/vlm/clip.h"
#include "openworld/worlds/captions.h"

namespace openworld {

struct PretrainInputs {
  std::unique_ptr<CaptionSource> pairs;
  std::unique_ptr<Tokenizer> tokenizer;
  Clip clip;  // before the first step
};

// Throws Error for what cannot be opened, and for a vocabulary that does not fit the checkpoint.
PretrainInputs open_pretrain_inputs(const PretrainSpec& spec);

// The spec with what was found.
PretrainRecord pretrain_record(const PretrainSpec& spec, const PretrainInputs& inputs);

}  // namespace openworld
