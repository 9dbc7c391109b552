#pragma once

// What a pre-training run starts from: sources of images, vocabulary, names and words, and initial
// weights.

#include <memory>
#include <vector>

#include "openworld/pretrain/pretrainer.h"
#include "openworld/pretrain/spec/pretrain_record.h"
#include "openworld/pretrain/spec/pretrain_spec.h"
#include "openworld/pretrain/trained_model.h"
#include "openworld/pretrain/word_table.h"
#include "openworld/text/tokenizer.h"
#include "openworld/worlds/captions.h"

namespace openworld {

struct PretrainInputs {
  std::vector<std::unique_ptr<CaptionSource>> sources;  // as the spec lists them
  std::unique_ptr<Tokenizer> tokenizer;
  std::unique_ptr<WordTable> words;  // null if no stage needs it
  TrainedModel model;                // before the first step

  // What a stage learns from.
  StageInputs of_stage(const PretrainSpec& spec, const StageSpec& stage) const;
};

// Throws Error for what cannot be opened, and for a vocabulary that does not fit the checkpoint.
PretrainInputs open_pretrain_inputs(const PretrainSpec& spec);

// The spec with what was found.
PretrainRecord pretrain_record(const PretrainSpec& spec, const PretrainInputs& inputs);

}  // namespace openworld
