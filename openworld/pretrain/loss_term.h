#pragma once

// The loss of a stage is a sum of terms, each with a weight (LossWeights). A term says which texts
// it reads for a batch of images, and when the features of both are there, leaves its gradient in
// them.
//
//   pairs      images and captions find each other (pair_terms.cc)
//   naming     images find their class in the list of all (pair_terms.cc)
//   words      images find the vectors of their name and words (word_terms.cc)
//   texts      texts find the vector of the name they say (word_terms.cc)
//   agreement  two views of an image find each other (agreement_term.cc)
//   guesses    images without names find those that the model gives them (guess_term.cc)

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "openworld/pretrain/spec/pretrain_options.h"
#include "openworld/pretrain/stage_source.h"
#include "openworld/pretrain/trained_model.h"
#include "openworld/pretrain/word_loss.h"
#include "openworld/pretrain/word_table.h"

namespace openworld {

// One image of a batch.
struct ShownImage {
  std::size_t source = 0;
  std::size_t view = 0;
  PairName caption;  // of which pair, and which draw of its captions
};

struct ShownBatch {
  std::vector<ShownImage> images;
  std::uint64_t epoch = 0;
  std::int64_t step = 0;  // of the stage
};

// Leaves: terms add to their gradients.
struct StepFeatures {
  at::Tensor images;  // [n, embed], not normalised
  at::Tensor texts;   // [m, embed]
};

struct TermValue {
  double loss = 0;  // before its weight
  double accuracy = 0;
};

class LossTerm {
 public:
  // `name` is that of its weight: "words".
  LossTerm(const char* name, double weight) : name_(name), weight_(weight) {}
  virtual ~LossTerm() = default;

  const char* name() const { return name_; }
  double weight() const { return weight_; }

  // Adds the texts that it reads to `texts`. What it returns takes the features of all of them and
  // of the images and leaves the gradient of weight * loss in them and in the model; it may be
  // empty, where the batch has nothing for this term.
  using Backward = std::function<TermValue(const StepFeatures&)>;
  virtual Backward plan(const ShownBatch& batch, std::vector<std::string>& texts) const = 0;

 private:
  const char* name_;
  double weight_;
};

// What terms are made from; all of it outlives them.
struct TermInputs {
  std::span<const StageSource> sources;
  const PretrainOptions& options;
  TrainedModel& model;     // whose scales and vectors get gradients
  const WordTable* words;  // null: no term needs it
  const PartRunner& runner;
};

// The terms whose weights are above 0, in the order above. Throws Error for one that the sources
// have nothing for.
std::vector<std::unique_ptr<LossTerm>> make_terms(const TermInputs& inputs);

// Each throws as make_terms does.
std::unique_ptr<LossTerm> make_pair_term(const TermInputs& inputs);
std::unique_ptr<LossTerm> make_naming_term(const TermInputs& inputs);
std::unique_ptr<LossTerm> make_word_term(const TermInputs& inputs);
std::unique_ptr<LossTerm> make_text_term(const TermInputs& inputs);
std::unique_ptr<LossTerm> make_agreement_term(const TermInputs& inputs);
std::unique_ptr<LossTerm> make_guess_term(const TermInputs& inputs);

}  // namespace openworld
