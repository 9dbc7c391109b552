// The loss of finding the other view of an image.

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "openworld/base/error.h"
#include "openworld/pretrain/agreement.h"
#include "openworld/pretrain/loss_term.h"
#include "openworld/vlm/index_tensor.h"

namespace openworld {
namespace {

class AgreementTerm : public LossTerm {
 public:
  explicit AgreementTerm(const PretrainOptions& options)
      : LossTerm("agreement", options.weights.agreement), temperature_(options.temperature) {}

  Backward plan(const ShownBatch& batch, std::vector<std::string>&) const override {
    // Rows of the first views by what they show; one without its second view is left out.
    using Key = std::tuple<std::size_t, std::size_t, std::uint64_t>;
    std::map<Key, std::int64_t> firsts;
    std::vector<std::int64_t> first, second;
    const auto key_of = [](const ShownImage& image) {
      return Key{image.source, image.caption.index, image.caption.epoch};
    };
    for (std::size_t i = 0; i < batch.images.size(); ++i) {
      if (batch.images[i].view == 0) {
        firsts[key_of(batch.images[i])] = static_cast<std::int64_t>(i);
      }
    }
    for (std::size_t i = 0; i < batch.images.size(); ++i) {
      if (batch.images[i].view != 1) continue;
      const auto found = firsts.find(key_of(batch.images[i]));
      if (found == firsts.end()) continue;
      first.push_back(found->second);
      second.push_back(static_cast<std::int64_t>(i));
    }
    if (first.size() < 2) return {};  // nothing to be told from
    return [this, first = std::move(first), second = std::move(second)](const StepFeatures& step) {
      const at::Device device = step.images.device();
      const AgreementLoss loss =
          agreement_loss(step.images.index_select(0, index_tensor(first, device)),
                         step.images.index_select(0, index_tensor(second, device)), temperature_);
      (weight() * loss.loss).backward();
      return TermValue{loss.loss.item<double>(), loss.accuracy};
    };
  }

 private:
  double temperature_;
};

}  // namespace

std::unique_ptr<LossTerm> make_agreement_term(const TermInputs& inputs) {
  const bool has_views = std::ranges::any_of(
      inputs.sources, [](const StageSource& source) { return source.options.views > 1; });
  if (!has_views) {
    fail("pretrain", "agreement needs two views of an image; expected a source with views 2");
  }
  return std::make_unique<AgreementTerm>(inputs.options);
}

}  // namespace openworld
