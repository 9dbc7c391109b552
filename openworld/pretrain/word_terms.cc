// The losses with vectors of names and words: images find theirs, texts find that of what they say.

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <set>

#include "openworld/base/error.h"
#include "openworld/pretrain/loss_term.h"
#include "openworld/pretrain/streams.h"
#include "openworld/vlm/clip.h"

namespace openworld {
namespace {

using at::Tensor;

// What cosines of texts and vectors are multiplied by. Fixed: the vectors do not move, and a scale
// that may grow would let texts stop short of them.
constexpr double kTextScale = 20;

class WordTerm : public LossTerm {
 public:
  explicit WordTerm(const TermInputs& inputs)
      : LossTerm("words", inputs.options.weights.words), in_(inputs) {
    assert(inputs.words != nullptr);
  }

  Backward plan(const ShownBatch& batch, std::vector<std::string>&) const override {
    SoftTargets targets;
    for (const auto& [source, view, caption] : batch.images) {
      const StageSource& from = in_.sources[source];
      targets.add(in_.words->targets(*from.pairs, caption.index), from.options.word_weight);
    }
    if (!(targets.total_weight() > 0)) return {};
    return [this, targets = std::move(targets)](const StepFeatures& step) {
      TrainedModel& model = in_.model;
      const Tensor features = normalized(step.images), vectors = normalized(model.word_vectors);
      const double scale = std::exp(model.word_scale.item<double>());
      const WordLoss loss =
          word_loss(features.detach(), vectors.detach(), scale, targets, /*wants_vectors=*/true,
                    static_cast<std::size_t>(in_.options.shards), in_.runner);
      features.backward(weight() * loss.features);
      vectors.backward(weight() * loss.vectors);
      // In the log of the scale, the parameter.
      const Tensor of_scale =
          at::full({}, weight() * loss.scale * scale, model.word_scale.options());
      Tensor& gradient = model.word_scale.mutable_grad();
      gradient = gradient.defined() ? gradient + of_scale.detach() : of_scale.detach();
      return TermValue{loss.loss, loss.accuracy};
    };
  }

 private:
  TermInputs in_;
};

// "an apple", "a cat".
std::string with_article(const std::string& name) {
  const bool vowel = std::string_view("aeiou").find(name[0]) != std::string_view::npos;
  return (vowel ? "an " : "a ") + name;
}

class TextTerm : public LossTerm {
 public:
  explicit TextTerm(const TermInputs& inputs)
      : LossTerm("texts", inputs.options.weights.texts), in_(inputs), named_(inputs.words->size()) {
    for (std::size_t s = 0; s < in_.sources.size(); ++s) {
      const CaptionSource& pairs = *in_.sources[s].pairs;
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (!pairs.has_caption(i)) continue;
        const auto word = in_.words->find(pairs.name_of(i));
        if (word) named_[*word].push_back({s, i});
      }
    }
    // Roots of counts: frequent names are asked more often, but rare ones too.
    double sum = 0;
    for (std::uint32_t word = 0; word < in_.words->size(); ++word) {
      sum += std::sqrt(static_cast<double>(in_.words->count(word)));
      sums_.push_back(sum);
    }
  }

  Backward plan(const ShownBatch& batch, std::vector<std::string>& texts) const override {
    Random random(stream_seed(Stream::kTexts, in_.options.seed, batch.epoch),
                  static_cast<std::uint64_t>(batch.step));
    const auto first = static_cast<std::int64_t>(texts.size());
    std::set<std::uint32_t> asked;  // each once
    for (std::int64_t i = 0; i < in_.options.batch_texts; ++i) {
      const double at = random.uniform() * sums_.back();
      const auto found = std::upper_bound(sums_.begin(), sums_.end() - 1, at) - sums_.begin();
      asked.insert(static_cast<std::uint32_t>(found));
    }
    SoftTargets targets;
    for (const std::uint32_t word : asked) {
      texts.push_back(text_of(word, batch.epoch, random));
      targets.add(std::vector<WordTarget>{{word, 1}}, 1);
    }
    return [this, first, targets = std::move(targets)](const StepFeatures& step) {
      const Tensor features =
          normalized(step.texts.narrow(0, first, static_cast<std::int64_t>(targets.rows())));
      const WordLoss loss = word_loss(
          features.detach(), normalized(in_.model.word_vectors.detach()), kTextScale, targets,
          /*wants_vectors=*/false, static_cast<std::size_t>(in_.options.shards), in_.runner);
      features.backward(weight() * loss.features);
      return TermValue{loss.loss, loss.accuracy};
    };
  }

 private:
  struct Pair {
    std::size_t source = 0, index = 0;
  };

  // A caption of an image of that name, or the word alone, with or without an article.
  std::string text_of(std::uint32_t word, std::uint64_t epoch, Random& random) const {
    const std::string& text = in_.words->words()[word];
    const std::vector<Pair>& pairs = named_[word];
    const std::uint64_t kind = random.below(4);
    const std::uint64_t draw = random.next(), choice = random.next();
    if (kind == 0) return text;
    if (pairs.empty()) return kind == 1 ? "the " + text : with_article(text);
    const Pair& pair = pairs[static_cast<std::size_t>(choice % pairs.size())];
    return in_.sources[pair.source].pairs->caption({draw, epoch, pair.index});
  }

  TermInputs in_;
  std::vector<std::vector<Pair>> named_;  // by word: pairs with that name
  std::vector<double> sums_;              // of the weights of words up to each
};

}  // namespace

std::unique_ptr<LossTerm> make_word_term(const TermInputs& inputs) {
  return std::make_unique<WordTerm>(inputs);
}

std::unique_ptr<LossTerm> make_text_term(const TermInputs& inputs) {
  return std::make_unique<TextTerm>(inputs);
}

}  // namespace openworld
