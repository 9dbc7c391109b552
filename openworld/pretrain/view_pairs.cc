#include "openworld/pretrain/view_pairs.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace openworld {

ViewPairs view_pairs(const ShownBatch& batch) {
  using Key = std::tuple<std::size_t, std::size_t, std::uint64_t>;
  const auto key_of = [](const ShownImage& image) {
    return Key{image.source, image.caption.index, image.caption.epoch};
  };
  std::map<Key, std::int64_t> firsts;
  for (std::size_t i = 0; i < batch.images.size(); ++i) {
    if (batch.images[i].view == 0) firsts[key_of(batch.images[i])] = static_cast<std::int64_t>(i);
  }
  ViewPairs pairs;
  for (std::size_t i = 0; i < batch.images.size(); ++i) {
    if (batch.images[i].view != 1) continue;
    const auto found = firsts.find(key_of(batch.images[i]));
    if (found == firsts.end()) continue;
    pairs.first.push_back(found->second);
    pairs.second.push_back(static_cast<std::int64_t>(i));
  }
  return pairs;
}

bool has_views(std::span<const StageSource> sources) {
  return std::ranges::any_of(sources,
                             [](const StageSource& source) { return source.options.views > 1; });
}

}  // namespace openworld
