#pragma once

// A batch computed in parts, side by side, forward and backward: the matrix products of a small
// model do not fill several cores, whole towers do. Each part works on weights that are those of
// the model but have gradients of their own, which are then summed in the order of the parts. So
// the result depends on how many parts there are, and not on how many threads, as long as there are
// no more threads than parts.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "openworld/base/worker_pool.h"
#include "openworld/pretrain/loss_term.h"
#include "openworld/pretrain/trained_model.h"
#include "openworld/text/tokenizer.h"

namespace openworld {

class BatchParts {
 public:
  // REQUIRES: model, tokenizer and pool outlive it; the weights of a locked tower do not change.
  BatchParts(const TrainedModel& model, const Tokenizer& tokenizer, const PretrainOptions& options,
             WorkerPool& pool);
  ~BatchParts();

  // Features of pixels [n, 3, size, size] and texts, as leaves. Each may be without items.
  StepFeatures forward(const at::Tensor& pixels, const std::vector<std::string>& texts);

  // The same for images whose features are known and have no gradient.
  StepFeatures forward_texts(const at::Tensor& image_features,
                             const std::vector<std::string>& texts);

  // From the gradients of these features to those of the model's tensors, and moves its running
  // statistics. Once after each forward.
  void backward(const StepFeatures& features);

  // Features without gradients [n, embed], of the images of a locked tower.
  at::Tensor locked_features(const at::Tensor& pixels);

  // Calls work(i) for i in [0, n), each on its share of the threads.
  void run(std::size_t n, const std::function<void(std::size_t)>& work) const;

  // The weights of a locked tower were changed from outside all the same.
  void weights_changed();

  // Floating-point operations of the matrix products since the last call.
  double take_flops();

 private:
  struct Part;

  void for_each_part(const std::function<void(Part&)>& work);
  StepFeatures gather(const at::Tensor& image_features);
  void encode_texts(const std::vector<std::string>& texts, Part& part) const;

  const TrainedModel& model_;
  const Tokenizer& tokenizer_;
  const PretrainOptions options_;
  WorkerPool& pool_;
  TrainedModel::Tensors trained_;
  std::vector<std::string> names_;  // of these
  Clip finished_;                   // that images of a locked tower are encoded with
  std::vector<std::unique_ptr<Part>> parts_;
  double flops_ = 0;
};

// [n, embed], not normalised. `rows`, unless null, is set to the rows that the tower computed.
at::Tensor encode_captions(const Clip& clip, const Tokenizer& tokenizer,
                           std::span<const std::string> captions, std::size_t* rows = nullptr);

}  // namespace openworld
