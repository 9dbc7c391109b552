#pragma once

// What DeCoOp and GMoP share: K detectors that know different base classes, and the detection score
// they give together.

#include <memory>
#include <vector>

#include "openworld/learners/common/partitions.h"
#include "openworld/learners/common/prompts.h"
#include "openworld/learners/text_classifier.h"

namespace openworld {

// Of the option `init` of learners with several contexts.
inline constexpr char kInitHelp[] =
    "words that all contexts start from, with noise; auto: those before the name in a plain "
    "sentence; empty: noise alone";

class Detectors {
 public:
  // Throws Error for more detectors than there are classes.
  Detectors(const TuningTask& task, std::int64_t count);

  // Lays out the prompts of every detector around contexts of `tokens` rows.
  void make_prompts(const TuningTask& task, std::int64_t tokens);

  std::size_t size() const { return partitions_.size(); }
  const Partition& partition(std::size_t k) const { return partitions_[k]; }

  // The names that detector k is trained on.
  ContextPrompts& prompts(std::size_t k) { return *prompts_[k]; }

  // Which rows of a batch are pseudo-base for detector k, with their columns, and which pseudo-new.
  struct Sides {
    at::Tensor base, columns, new_side;
  };
  Sides sides(std::size_t k, const at::Tensor& labels) const;

  // q[n, K]: for each detector the largest probability of its columns among base names, given the
  // features [base names, embed] that each has of them.
  at::Tensor scores(const Clip& clip, const at::Tensor& images,
                    const std::vector<at::Tensor>& texts) const;

  // The same in a test view: of the base names that r compares, those that the detector knows,
  // among all names of the view; 0 where it knows none. Given the logits [n, names] of each
  // detector by column, and the base class that a column is a name of.
  at::Tensor scores(const std::vector<at::Tensor>& logits, const NameColumns& view,
                    const std::vector<std::int64_t>& classes) const;

 private:
  std::vector<Partition> partitions_;
  std::vector<at::Tensor> columns_;  // as indices
  std::vector<std::unique_ptr<ContextPrompts>> prompts_;
};

// Names of tensors: "detector.0".
std::string numbered(const std::string& name, std::size_t number);

}  // namespace openworld
