#pragma once

// A head: what turns the features of a network into one logit for each known class, and the loss
// that both are trained with. Functions of features, labels and a few learned tensors, in float or
// double, so that a loss can be checked by itself (loss.h).
//
// The largest logit of a sample says how much it looks like its class; the score of the method is
// that logit, or its softmax. Larger is more known.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "openworld/base/random.h"
#include "openworld/vlm/tensor_state.h"

namespace openworld {

struct HeadShape {
  std::int64_t classes = 0;
  std::int64_t width = 0;  // of a feature
};

// What a loss draws at random for a batch: which features are mixed, and how. Most draw nothing.
struct MixDraw {
  std::vector<std::int64_t> order;  // a permutation; empty: nothing is mixed
  double share = 1;                 // of the feature itself; the rest is the other's
};

class OsrHead {
 public:
  virtual ~OsrHead() = default;

  // What is learned: leaves that require gradients, with their first values.
  const NamedTensors& parameters() const { return parameters_; }

  // Other values for one of them, also in double. Throws Error, as [osr], for a name that is not
  // there or another shape.
  void set_parameter(const std::string& name, const at::Tensor& value);

  // [n, classes] of features [n, width].
  virtual at::Tensor logits(const at::Tensor& features) const = 0;

  // What loss() takes for a batch of n samples.
  virtual MixDraw draw(std::int64_t n, Random& random) const;

  // A scalar; labels [n] are 64-bit integers from 0 on.
  virtual at::Tensor loss(const at::Tensor& features, const at::Tensor& labels,
                          const MixDraw& draw) const = 0;

  // How sure the head is of generated samples, to be made small: a scalar, weighted. Undefined for
  // methods that generate none.
  virtual at::Tensor confusion(const at::Tensor& features) const;

 protected:
  void add_parameter(const std::string& name, at::Tensor value);

  NamedTensors parameters_;
};

// The mean over rows of the cross-entropy with a target of 1 - smoothing on the label and smoothing
// / (classes - 1) on each other class.
at::Tensor smoothed_cross_entropy(const at::Tensor& logits, const at::Tensor& labels,
                                  double smoothing);

}  // namespace openworld
