// The losses of images and texts that mean the same: captions of the batch, and the list of all
// classes.

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "openworld/base/error.h"
#include "openworld/pretrain/contrastive.h"
#include "openworld/pretrain/loss_term.h"
#include "openworld/pretrain/streams.h"
#include "openworld/vlm/index_tensor.h"

namespace openworld {
namespace {

// Numbers of what pairs mean, across sources: pairs with one name mean the same wherever they are
// from.
class Concepts {
 public:
  explicit Concepts(std::span<const StageSource> sources) : sources_(sources) {}

  std::uint64_t of(std::size_t source, std::size_t index) const {
    const CaptionSource& pairs = *sources_[source].pairs;
    if (sources_.size() == 1) return pairs.concept_of(index);
    const std::string name = table_word(pairs.name_of(index));
    if (name.empty()) return mix64(mix64(~std::uint64_t{source}) ^ pairs.concept_of(index));
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return mix64(hash);
  }

 private:
  std::span<const StageSource> sources_;
};

at::Tensor rows_of(const at::Tensor& features, const std::vector<std::int64_t>& rows) {
  if (static_cast<std::int64_t>(rows.size()) == features.size(0)) return features;
  return features.index_select(0, index_tensor(rows, features.device()));
}

class PairTerm : public LossTerm {
 public:
  explicit PairTerm(const TermInputs& inputs)
      : LossTerm("pairs", inputs.options.weights.pairs),
        sources_(inputs.sources),
        concepts_(inputs.sources),
        options_(inputs.options),
        model_(inputs.model) {
    for (const StageSource& source : sources_) shares_ += source.share;
  }

  Backward plan(const ShownBatch& batch, std::vector<std::string>& texts) const override {
    const auto first = static_cast<std::int64_t>(texts.size());
    std::vector<std::int64_t> rows;
    std::vector<std::uint64_t> concepts;
    for (std::size_t i = 0; i < batch.images.size(); ++i) {
      const auto& [source, view, caption] = batch.images[i];
      const CaptionSource& pairs = *sources_[source].pairs;
      if (view > 0 || !pairs.has_caption(caption.index)) continue;
      texts.push_back(pairs.caption(caption));
      concepts.push_back(concepts_.of(source, caption.index));
      rows.push_back(static_cast<std::int64_t>(i));
    }
    if (rows.empty()) return {};
    add_extra(batch, texts, concepts);
    const std::int64_t count = static_cast<std::int64_t>(texts.size()) - first;
    return [this, first, count, rows = std::move(rows),
            concepts = std::move(concepts)](const StepFeatures& step) {
      const ContrastiveLoss loss = contrastive_loss(
          rows_of(step.images, rows), step.texts.narrow(0, first, count), model_.clip.logit_scale,
          std::span(concepts).first(rows.size()), concepts, options_.loss);
      (weight() * loss.loss).backward();
      return TermValue{loss.loss.item<double>(), loss.accuracy};
    };
  }

 private:
  // Captions that are wrong answers only.
  void add_extra(const ShownBatch& batch, std::vector<std::string>& texts,
                 std::vector<std::uint64_t>& concepts) const {
    Random random(stream_seed(Stream::kExtra, options_.seed, batch.epoch),
                  static_cast<std::uint64_t>(batch.step));
    for (std::int64_t i = 0; i < options_.extra_captions; ++i) {
      const std::size_t source = draw_source(random);
      const CaptionSource& pairs = *sources_[source].pairs;
      const auto pair = static_cast<std::size_t>(random.below(pairs.size()));
      const PairName name{random.next(), batch.epoch, pair};
      if (!pairs.has_caption(pair)) continue;
      texts.push_back(pairs.caption(name));
      concepts.push_back(concepts_.of(source, pair));
    }
  }

  // By share. The only source takes no random number.
  std::size_t draw_source(Random& random) const {
    if (sources_.size() == 1) return 0;
    double left = random.uniform() * shares_;
    std::size_t source = 0;
    while (source + 1 < sources_.size() && left >= sources_[source].share) {
      left -= sources_[source++].share;
    }
    return source;
  }

  std::span<const StageSource> sources_;
  Concepts concepts_;
  const PretrainOptions& options_;
  TrainedModel& model_;
  double shares_ = 0;
};

class NamingTerm : public LossTerm {
 public:
  explicit NamingTerm(const TermInputs& inputs)
      : LossTerm("naming", inputs.options.weights.naming),
        sources_(inputs.sources),
        concepts_(inputs.sources),
        options_(inputs.options),
        model_(inputs.model) {
    std::string names;
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      const CaptionSource& pairs = *sources_[s].pairs;
      names += (s == 0 ? "" : "; ") + pairs.description();
      auto& own = listed_.emplace_back();
      if (pairs.anchors(0).empty()) continue;
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        own.try_emplace(pairs.concept_of(i), concepts_.of(s, i));
      }
    }
    if (std::ranges::all_of(listed_, [](const auto& own) { return own.empty(); })) {
      fail("pretrain", fmt::format("{}: no list of classes to name images out of, which naming "
                                   "needs; expected labels or doodles",
                                   names));
    }
  }

  Backward plan(const ShownBatch& batch, std::vector<std::string>& texts) const override {
    const auto first = static_cast<std::int64_t>(texts.size());
    std::vector<std::uint64_t> listed;
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      for (auto& [caption, meaning] :
           sources_[s].pairs->anchors(static_cast<std::uint64_t>(batch.step))) {
        texts.push_back(std::move(caption));
        listed.push_back(number_of(s, meaning));
      }
    }
    std::vector<std::int64_t> rows;
    std::vector<std::uint64_t> concepts;
    for (std::size_t i = 0; i < batch.images.size(); ++i) {
      const auto& [source, view, caption] = batch.images[i];
      if (listed_[source].empty()) continue;
      rows.push_back(static_cast<std::int64_t>(i));
      concepts.push_back(concepts_.of(source, caption.index));
    }
    if (rows.empty()) {
      texts.resize(static_cast<std::size_t>(first));
      return {};
    }
    return [this, first, rows = std::move(rows), concepts = std::move(concepts),
            listed = std::move(listed)](const StepFeatures& step) {
      const ContrastiveLoss loss =
          naming_loss(rows_of(step.images, rows),
                      step.texts.narrow(0, first, static_cast<std::int64_t>(listed.size())),
                      model_.clip.logit_scale, concepts, listed, options_.loss.smoothing);
      (weight() * loss.loss).backward();
      return TermValue{loss.loss.item<double>(), loss.accuracy};
    };
  }

 private:
  // The number of a concept on the list of a source; classes without images have one of their own.
  std::uint64_t number_of(std::size_t source, std::uint64_t meaning) const {
    const auto found = listed_[source].find(meaning);
    return found == listed_[source].end() ? mix64(~meaning) : found->second;
  }

  std::span<const StageSource> sources_;
  Concepts concepts_;
  const PretrainOptions& options_;
  TrainedModel& model_;
  // By source: the concepts on its list, as the source numbers them and as Concepts does.
  std::vector<std::unordered_map<std::uint64_t, std::uint64_t>> listed_;
};

}  // namespace

std::unique_ptr<LossTerm> make_pair_term(const TermInputs& inputs) {
  return std::make_unique<PairTerm>(inputs);
}

std::unique_ptr<LossTerm> make_naming_term(const TermInputs& inputs) {
  return std::make_unique<NamingTerm>(inputs);
}

}  // namespace openworld
