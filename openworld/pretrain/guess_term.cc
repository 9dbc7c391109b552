// The loss of images without names: both views of one are to find the names that the model itself
// gives it (self-training: Berthelot et al., MixMatch, 2019; Sohn et al., FixMatch, 2020).
//
//   p  = mean over the two views of softmax(scale * cosines with the vectors of names and words)
//   f  = sum of p over the images of the batch
//   q  = p^2 / f^balance, normalised to sum 1, without shares below kSmallest, if max p reaches
//        `confidence`; else the image is left out
//   loss = sum over views and images that are not left out of cross-entropy(q, p of the view) / n
//
// with n the number of views of all. q is a constant, and so are the vectors: only the image tower
// learns from guesses. Dividing by f keeps guesses from falling on few names; with balance 1, q is
// the target of deep embedded clustering (Xie et al., ICML 2016).

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/softmax.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "openworld/base/error.h"
#include "openworld/pretrain/loss_term.h"
#include "openworld/pretrain/view_pairs.h"
#include "openworld/vlm/clip.h"
#include "openworld/vlm/index_tensor.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr float kSmallest = 0.01f;  // share of a target; smaller ones are dropped

// The targets of one image from its mean shares p and the weights f^-balance; empty: not sure
// enough.
std::vector<WordTarget> guess(std::span<const float> shares, std::span<const double> weights,
                              double confidence) {
  const float best = *std::ranges::max_element(shares);
  if (best < confidence) return {};
  const auto sharpened = [&](std::size_t k) {
    return static_cast<double>(shares[k]) * shares[k] * weights[k];
  };
  double all = 0, kept = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) all += sharpened(k);
  std::vector<WordTarget> targets;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const double sharp = sharpened(k) / all;
    if (sharp < kSmallest) continue;
    targets.push_back({static_cast<std::uint32_t>(k), static_cast<float>(sharp)});
    kept += sharp;
  }
  for (WordTarget& target : targets) target.share /= static_cast<float>(kept);
  return targets;
}

// f^-balance of every word, from the shares of all images, one after another.
std::vector<double> balanced(std::span<const float> shares, std::size_t words, double balance) {
  std::vector<double> weights(words, 0);
  for (std::size_t i = 0; i < shares.size(); ++i) weights[i % words] += shares[i];
  for (double& weight : weights) weight = weight > 0 ? std::pow(weight, -balance) : 0;
  return weights;
}

class GuessTerm : public LossTerm {
 public:
  explicit GuessTerm(const TermInputs& inputs)
      : LossTerm("guesses", inputs.options.weights.guesses), in_(inputs) {
    assert(inputs.words != nullptr);
  }

  Backward plan(const ShownBatch& batch, std::vector<std::string>&) const override {
    ViewPairs pairs = view_pairs(batch);
    std::vector<std::int64_t> rows;  // all first views, then all second ones
    for (const std::vector<std::int64_t>* views : {&pairs.first, &pairs.second}) {
      for (const std::int64_t row : *views) {
        if (!is_named(batch.images[static_cast<std::size_t>(row)])) rows.push_back(row);
      }
    }
    if (rows.empty()) return {};
    return [this, rows = std::move(rows)](const StepFeatures& step) { return learn(step, rows); };
  }

 private:
  bool is_named(const ShownImage& image) const {
    return !in_.sources[image.source].pairs->name_of(image.caption.index).empty();
  }

  TermValue learn(const StepFeatures& step, const std::vector<std::int64_t>& rows) const {
    const Tensor features =
        normalized(step.images.index_select(0, index_tensor(rows, step.images.device())));
    const Tensor vectors = normalized(in_.model.word_vectors.detach());
    const double scale = std::exp(in_.model.word_scale.item<double>());
    const auto images = static_cast<std::int64_t>(rows.size() / 2);
    Tensor shares;
    {
      const at::NoGradGuard no_grad;
      shares = at::softmax(at::mm(features, vectors.t()) * scale, 1);
      shares = (shares.narrow(0, 0, images) + shares.narrow(0, images, images)) / 2;
      shares = shares.to(at::kCPU).contiguous();
    }
    std::vector<std::vector<WordTarget>> guesses;
    const auto words = static_cast<std::size_t>(shares.size(1));
    const std::span all(shares.data_ptr<float>(), static_cast<std::size_t>(images) * words);
    const std::vector<double> weights = balanced(all, words, in_.options.balance);
    for (std::size_t i = 0; i < static_cast<std::size_t>(images); ++i) {
      guesses.push_back(guess(all.subspan(i * words, words), weights, in_.options.confidence));
    }
    SoftTargets targets;
    for (int view = 0; view < 2; ++view) {
      for (const std::vector<WordTarget>& row : guesses) targets.add(row, 1);
    }
    const double kept = targets.total_weight() / static_cast<double>(rows.size());
    if (!(kept > 0)) return {};
    const WordLoss loss =
        word_loss(features.detach(), vectors, scale, targets, /*wants_vectors=*/false,
                  static_cast<std::size_t>(in_.options.shards), in_.runner);
    features.backward(weight() * kept * loss.features);
    return {kept * loss.loss, kept};
  }

  TermInputs in_;
};

}  // namespace

std::unique_ptr<LossTerm> make_guess_term(const TermInputs& inputs) {
  if (!has_views(inputs.sources)) {
    fail("pretrain", "guesses need two views of an image; expected a source with views 2");
  }
  return std::make_unique<GuessTerm>(inputs);
}

}  // namespace openworld
