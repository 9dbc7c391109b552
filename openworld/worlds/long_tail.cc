#include "openworld/worlds/long_tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numeric>

#include "openworld/base/random.h"

namespace openworld {
namespace {

class LongTail : public CaptionSource {
 public:
  LongTail(std::unique_ptr<CaptionSource> all, std::vector<std::size_t> kept, double factor)
      : all_(std::move(all)), kept_(std::move(kept)), factor_(factor) {}

  std::size_t size() const override { return kept_.size(); }
  Bytes image(const PairName& name) const override { return all_->image(inner(name)); }
  std::optional<Image> pixels(const PairName& name) const override {
    return all_->pixels(inner(name));
  }
  std::string caption(const PairName& name) const override { return all_->caption(inner(name)); }
  bool has_caption(std::size_t index) const override { return all_->has_caption(kept_[index]); }
  std::uint64_t concept_of(std::size_t index) const override {
    return all_->concept_of(kept_[index]);
  }
  std::string name_of(std::size_t index) const override { return all_->name_of(kept_[index]); }
  std::vector<std::string> words_of(std::size_t index) const override {
    return all_->words_of(kept_[index]);
  }
  double weight(std::size_t index) const override { return all_->weight(kept_[index]); }
  std::string place(std::size_t index) const override { return all_->place(kept_[index]); }

  // Of all pairs, so that the vocabulary has the words of rare concepts.
  std::vector<std::string> corpus() const override { return all_->corpus(); }
  std::vector<Anchor> anchors(std::uint64_t draw) const override { return all_->anchors(draw); }
  std::string description() const override {
    return fmt::format("{}, a long tail of {} pairs, 1 : {:g}", all_->description(), size(),
                       factor_);
  }

 private:
  PairName inner(const PairName& name) const { return {name.seed, name.epoch, kept_[name.index]}; }

  std::unique_ptr<CaptionSource> all_;
  std::vector<std::size_t> kept_;
  double factor_;
};

}  // namespace

std::unique_ptr<CaptionSource> long_tail(std::unique_ptr<CaptionSource> pairs, double factor,
                                         std::uint64_t seed) {
  assert(factor >= 1);
  std::map<std::uint64_t, std::size_t> number_of;  // of a concept, in the order of appearance
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i < pairs->size(); ++i) {
    const auto [at, is_new] = number_of.emplace(pairs->concept_of(i), counts.size());
    if (is_new) counts.push_back(0);
    ++counts[at->second];
  }
  std::vector<std::uint32_t> ranks(counts.size());
  std::iota(ranks.begin(), ranks.end(), 0u);
  Random random(seed);
  shuffle(ranks, random);
  const double last = std::max<double>(1, static_cast<double>(counts.size()) - 1);
  std::vector<std::size_t> left(counts.size());
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const double share = std::pow(factor, -static_cast<double>(ranks[c]) / last);
    left[c] =
        static_cast<std::size_t>(std::max(1.0, std::round(share * static_cast<double>(counts[c]))));
  }
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < pairs->size(); ++i) {
    std::size_t& more = left[number_of.at(pairs->concept_of(i))];
    if (more == 0) continue;
    --more;
    kept.push_back(i);
  }
  return std::make_unique<LongTail>(std::move(pairs), std::move(kept), factor);
}

}  // namespace openworld
