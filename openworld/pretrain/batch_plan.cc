#include "openworld/pretrain/batch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/pretrain/streams.h"

namespace openworld {
namespace {

// Further draws of a pair within a pass, and captions of later rounds, are far from those of later
// passes, of which there are fewer than 2^32.
constexpr int kRepeatShift = 32, kRoundShift = 48;

// `total` in proportion to the shares, each at least 1; the largest remainders get what is left.
std::vector<std::int64_t> split(std::int64_t total, const std::vector<PlannedSource>& sources) {
  double sum = 0;
  for (const PlannedSource& source : sources) sum += source.share;
  std::vector<std::int64_t> counts;
  std::vector<std::pair<double, std::size_t>> remainders;  // negative: the largest come first
  std::int64_t left = total;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const double exact = static_cast<double>(total) * sources[i].share / sum;
    const auto count = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(exact)));
    counts.push_back(count);
    remainders.emplace_back(static_cast<double>(count) - exact, i);
    left -= count;
  }
  std::sort(remainders.begin(), remainders.end());
  for (std::size_t k = 0; left > 0; ++k, --left) ++counts[remainders[k % counts.size()].second];
  // Sources below 1 were rounded up: the largest ones give.
  for (; left < 0; ++left) --*std::max_element(counts.begin(), counts.end());
  return counts;
}

bool all_equal(const std::vector<double>& weights) {
  return std::ranges::all_of(weights, [&](double weight) { return weight == weights[0]; });
}

// Adds the images of a step so that each of `parts` neighbouring parts has its share of every
// source.
void deal(const std::vector<PlannedImage>& step, std::int64_t parts,
          std::vector<PlannedImage>& images) {
  for (std::int64_t part = 0; part < parts; ++part) {
    for (auto i = static_cast<std::size_t>(part); i < step.size();
         i += static_cast<std::size_t>(parts)) {
      images.push_back(step[i]);
    }
  }
}

}  // namespace

std::vector<PassEntry> pass_order(const PlannedSource& source, std::uint64_t seed,
                                  std::uint64_t pass) {
  std::vector<PassEntry> entries;
  entries.reserve(source.size);
  if (source.weights.empty()) {
    for (std::size_t i = 0; i < source.size; ++i) {
      entries.push_back({static_cast<std::uint32_t>(i), 0});
    }
  } else {
    const double sum = std::accumulate(source.weights.begin(), source.weights.end(), 0.0);
    const auto size = static_cast<double>(source.size);
    Random random(stream_seed(Stream::kPhase, seed, pass));
    const double phase = random.uniform();
    double reached = 0;
    auto before = static_cast<std::uint64_t>(phase);
    for (std::size_t i = 0; i < source.size; ++i) {
      reached += source.weights[i];
      // The last entry ends the pass, whatever the rounding before it.
      const double place = i + 1 == source.size ? size : std::min(size, reached / sum * size);
      const auto now = static_cast<std::uint64_t>(place + phase);
      for (std::uint64_t k = before; k < now; ++k) {
        entries.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k - before)});
      }
      before = now;
    }
  }
  std::vector<std::uint32_t> order(entries.size());
  std::iota(order.begin(), order.end(), 0u);
  Random random(stream_seed(Stream::kOrder, seed, pass));
  shuffle(order, random);
  std::vector<PassEntry> shuffled;
  shuffled.reserve(entries.size());
  for (const std::uint32_t i : order) shuffled.push_back(entries[i]);
  return shuffled;
}

BatchPlan::BatchPlan(std::vector<PlannedSource> sources, const PlanOptions& options)
    : sources_(std::move(sources)), options_(options) {
  assert(!sources_.empty() && options.rounds >= 1 && options.parts >= 1);
  std::int64_t pairs = 0;
  for (PlannedSource& source : sources_) {
    if (!source.weights.empty() && all_equal(source.weights)) source.weights.clear();
    pairs += static_cast<std::int64_t>(source.size);
  }
  if (sources_.size() == 1) options_.batch = std::min(options.batch, pairs);
  if (options_.batch < static_cast<std::int64_t>(sources_.size())) {
    fail("pretrain", fmt::format("batch is {}; expected at least a pair of each of the {} sources",
                                 options_.batch, sources_.size()));
  }
  counts_ = split(options_.batch, sources_);
  for (std::size_t s = 0; s < sources_.size(); ++s) images_ += counts_[s] * sources_[s].views;
  const std::int64_t shown = options.epoch_pairs > 0 ? options.epoch_pairs : pairs;
  round_steps_ = std::max<std::int64_t>(1, shown / options_.batch);
}

std::uint64_t BatchPlan::source_seed(std::size_t source) const {
  return source == 0 ? options_.seed : mix64(options_.seed ^ mix64(0x5eed0000 + source));
}

std::vector<PlannedImage> BatchPlan::items_of(std::size_t source, std::int64_t first_step,
                                              std::int64_t steps) const {
  const PlannedSource& row = sources_[source];
  const std::int64_t count = counts_[source];
  const auto size = static_cast<std::int64_t>(row.size);
  // Pairs of a pass that are used: whole steps of them, or all where a step takes several passes.
  const std::int64_t used = size >= count ? size / count * count : size;
  std::vector<PlannedImage> items;
  items.reserve(static_cast<std::size_t>(steps * count));
  std::vector<PassEntry> order;
  std::int64_t pass_of_order = -1;
  for (std::int64_t i = first_step * count; i < (first_step + steps) * count; ++i) {
    const std::int64_t pass = i / used;
    if (pass != pass_of_order) {
      order = pass_order(row, source_seed(source), static_cast<std::uint64_t>(pass));
      pass_of_order = pass;
    }
    const PassEntry& entry = order[static_cast<std::size_t>(i % used)];
    PlannedImage image;
    image.draw = static_cast<std::uint64_t>(pass) + (std::uint64_t{entry.repeat} << kRepeatShift);
    image.caption_draw = image.draw;
    image.index = entry.index;
    image.source = static_cast<std::uint16_t>(source);
    items.push_back(image);
  }
  return items;
}

std::vector<PlannedImage> BatchPlan::items(std::int64_t epoch) const {
  std::vector<PlannedImage> items;
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    for (PlannedImage item : items_of(s, epoch * round_steps_, round_steps_)) {
      item.place = static_cast<std::uint32_t>(items.size());
      items.push_back(item);
    }
  }
  return items;
}

std::vector<PlannedImage> BatchPlan::epoch(std::int64_t epoch) const {
  std::vector<PlannedImage> items = this->items(epoch);
  std::vector<PlannedImage> images, step;
  images.reserve(static_cast<std::size_t>(steps_per_epoch() * images_));
  for (std::int64_t round = 0; round < options_.rounds; ++round) {
    if (round > 0) shuffle_items(items, epoch, round);
    for (std::int64_t t = 0; t < round_steps_; ++t) {
      step.clear();
      auto of_source = items.begin();
      for (std::size_t s = 0; s < sources_.size(); of_source += counts_[s] * round_steps_, ++s) {
        for (std::int64_t j = 0; j < counts_[s]; ++j) {
          PlannedImage image = of_source[t * counts_[s] + j];
          image.caption_draw += static_cast<std::uint64_t>(round) << kRoundShift;
          for (std::int64_t view = 0; view < sources_[s].views; ++view) {
            image.view = static_cast<std::uint16_t>(view);
            step.push_back(image);
          }
        }
      }
      deal(step, sources_.size() == 1 ? 1 : options_.parts, images);
    }
  }
  return images;
}

// The items of each source among themselves.
void BatchPlan::shuffle_items(std::vector<PlannedImage>& items, std::int64_t epoch,
                              std::int64_t round) const {
  std::size_t first = 0;
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const auto count = static_cast<std::size_t>(counts_[s] * round_steps_);
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    Random random(stream_seed(Stream::kRound, source_seed(s), static_cast<std::uint64_t>(epoch)),
                  static_cast<std::uint64_t>(round));
    shuffle(order, random);
    const std::vector<PlannedImage> before(
        items.begin() + static_cast<std::ptrdiff_t>(first),
        items.begin() + static_cast<std::ptrdiff_t>(first + count));
    for (std::size_t i = 0; i < count; ++i) items[first + i] = before[order[i]];
    first += count;
  }
}

}  // namespace openworld
