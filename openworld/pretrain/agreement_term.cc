// The loss of finding the other view of an image.

#include <ATen/TensorOperators.h>

#include "openworld/base/error.h"
#include "openworld/pretrain/agreement.h"
#include "openworld/pretrain/loss_term.h"
#include "openworld/pretrain/view_pairs.h"
#include "openworld/vlm/index_tensor.h"

namespace openworld {
namespace {

class AgreementTerm : public LossTerm {
 public:
  explicit AgreementTerm(const PretrainOptions& options)
      : LossTerm("agreement", options.weights.agreement), temperature_(options.temperature) {}

  Backward plan(const ShownBatch& batch, std::vector<std::string>&) const override {
    ViewPairs pairs = view_pairs(batch);
    if (pairs.first.size() < 2) return {};  // nothing to be told from
    return [this, pairs = std::move(pairs)](const StepFeatures& step) {
      const at::Device device = step.images.device();
      const AgreementLoss loss = agreement_loss(
          step.images.index_select(0, index_tensor(pairs.first, device)),
          step.images.index_select(0, index_tensor(pairs.second, device)), temperature_);
      (weight() * loss.loss).backward();
      return TermValue{loss.loss.item<double>(), loss.accuracy};
    };
  }

 private:
  double temperature_;
};

}  // namespace

std::unique_ptr<LossTerm> make_agreement_term(const TermInputs& inputs) {
  if (!has_views(inputs.sources)) {
    fail("pretrain", "agreement needs two views of an image; expected a source with views 2");
  }
  return std::make_unique<AgreementTerm>(inputs.options);
}

}  // namespace openworld
