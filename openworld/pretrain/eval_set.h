#pragma once

// Labelled images on which a model is measured while it is trained.

#include <string>
#include <vector>

#include "openworld/pretrain/spec/pretrain_result.h"
#include "openworld/pretrain/word_table.h"
#include "openworld/text/tokenizer.h"
#include "openworld/vlm/clip.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

struct EvalSet {
  std::string name;
  Dataset dataset;
  std::vector<std::string> templates;
};

// A split, or the default one if it is empty, with the dataset's own template or CLIP's first.
// Throws Error.
EvalSet open_eval_set(const std::string& name, const std::string& split);

// Zero-shot accuracy: the share of images whose nearest prompt is that of their class. Throws Error
// if no image can be read.
double zeroshot_accuracy(const Clip& clip, const Tokenizer& tokenizer, const EvalSet& set,
                         int threads);

// The same by the vectors of names [words, embed] instead of prompts, for a model without a text
// tower yet: among the classes whose names have one, of images of these. The name of the result
// says how many they are. Throws Error if there are none, or no image can be read.
NamedAccuracy vector_accuracy(const Clip& clip, const WordTable& words, const at::Tensor& vectors,
                              const EvalSet& set, int threads);

}  // namespace openworld
