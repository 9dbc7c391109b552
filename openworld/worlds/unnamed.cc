#include "openworld/worlds/unnamed.h"

namespace openworld {
namespace {

class Unnamed : public CaptionSource {
 public:
  explicit Unnamed(std::unique_ptr<CaptionSource> pairs) : pairs_(std::move(pairs)) {}

  std::size_t size() const override { return pairs_->size(); }
  Bytes image(const PairName& name) const override { return pairs_->image(name); }
  std::optional<Image> pixels(const PairName& name) const override { return pairs_->pixels(name); }
  std::string caption(const PairName&) const override { return {}; }
  bool has_caption(std::size_t) const override { return false; }
  std::uint64_t concept_of(std::size_t index) const override { return index; }
  std::vector<std::string> words_of(std::size_t) const override { return {}; }
  double weight(std::size_t index) const override { return pairs_->weight(index); }
  std::string place(std::size_t index) const override { return pairs_->place(index); }
  std::vector<std::string> corpus() const override { return {}; }
  std::string description() const override { return pairs_->description() + ", without names"; }

 private:
  std::unique_ptr<CaptionSource> pairs_;
};

}  // namespace

std::unique_ptr<CaptionSource> unnamed(std::unique_ptr<CaptionSource> pairs) {
  return std::make_unique<Unnamed>(std::move(pairs));
}

}  // namespace openworld
