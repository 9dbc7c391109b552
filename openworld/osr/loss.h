#pragma once

// A loss of open-set training by itself: its value, the gradients of everything it depends on, and
// the scores, from plain tensors.
//
//   const OsrLoss arpl = osr_loss("arpl", {}, {.features = x, .labels = y,
//                                              .parameters = {{"centers", p}, {"radius", r}}});
//   arpl.gradients.at("centers");

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>
#include <vector>

#include "openworld/osr/head.h"

namespace openworld {

struct OsrLossInput {
  at::Tensor features;           // [n, width], float or double
  at::Tensor labels;             // [n], 64-bit integers
  NamedTensors parameters = {};  // all of the head: weight, or centers and perhaps radius
  at::Tensor generated = {};     // [m, width], features of generated samples, for arpl-cs
  MixDraw mix = {};              // for openauc
};

struct OsrLoss {
  double loss = 0;
  NamedTensors gradients;  // of "features", every parameter and, if given, "generated"
  at::Tensor logits;       // [n, classes]
  at::Tensor scores;       // the same, whose largest is the score of a sample
};

// Options are "key=value". Throws Error, as [osr_loss], for tensors that do not fit each other or
// the method, labels outside the classes, and values that are not finite.
OsrLoss osr_loss(std::string_view method, const std::vector<std::string>& options,
                 const OsrLossInput& input);

}  // namespace openworld
