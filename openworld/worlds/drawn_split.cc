#include "openworld/worlds/drawn_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "openworld/base/random.h"

namespace openworld {
namespace {

template <class T>
bool parse(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string DrawnSplit::name() const {
  return fmt::format("{}:{}#{}", test ? "test" : "train", fraction, seed);
}

std::optional<DrawnSplit> parse_drawn_split(const std::string& name, const Origin& origin) {
  const std::size_t colon = name.find(':');
  const std::string_view kind = std::string_view(name).substr(0, colon);
  if (colon == std::string::npos || (kind != "test" && kind != "train")) return std::nullopt;
  DrawnSplit split{.test = kind == "test"};
  std::string_view rest = std::string_view(name).substr(colon + 1);
  const std::size_t hash = rest.find('#');
  const bool seed_fits = hash == std::string_view::npos || parse(rest.substr(hash + 1), split.seed);
  const bool fits = parse(rest.substr(0, hash), split.fraction) && seed_fits;
  if (!fits || !(split.fraction > 0 && split.fraction < 1)) {
    origin.fail(fmt::format("the split is {}; expected {}:F#SEED with F between 0 and 1",
                            in_quotes(name), kind));
  }
  return split;
}

std::vector<std::size_t> draw_test_samples(const Dataset& dataset, double fraction,
                                           std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> by_class(dataset.classes.size());
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
    const std::int32_t label = dataset.samples[i].label;
    (label < 0 ? chosen : by_class[static_cast<std::size_t>(label)]).push_back(i);
  }
  for (std::size_t c = 0; c < by_class.size(); ++c) {
    std::vector<std::size_t>& samples = by_class[c];
    if (samples.size() < 2) continue;
    const auto wanted =
        static_cast<std::size_t>(std::llround(fraction * static_cast<double>(samples.size())));
    const std::size_t count = std::clamp<std::size_t>(wanted, 1, samples.size() - 1);
    Random random(seed, c);
    // The first steps of a shuffle.
    for (std::size_t k = 0; k < count; ++k) {
      std::swap(samples[k], samples[k + random.below(samples.size() - k)]);
      chosen.push_back(samples[k]);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Dataset take_drawn_split(Dataset whole, const DrawnSplit& split, const Origin& origin) {
  if (!whole.splits.empty()) {
    origin.fail(fmt::format("has the splits {}; a part is drawn of a dataset without splits",
                            fmt::join(whole.splits, ", ")));
  }
  const std::vector<std::size_t> tested = draw_test_samples(whole, split.fraction, split.seed);
  std::vector<Sample> kept;
  std::size_t next = 0;
  for (std::size_t i = 0; i < whole.samples.size(); ++i) {
    const bool is_tested = next < tested.size() && tested[next] == i;
    next += is_tested ? 1 : 0;
    if (is_tested == split.test) kept.push_back(std::move(whole.samples[i]));
  }
  whole.samples = std::move(kept);
  DrawnSplit other = split;
  other.test = !split.test;
  whole.splits = {split.test ? split.name() : other.name(),
                  split.test ? other.name() : split.name()};
  whole.split = split.name();
  return whole;
}

}  // namespace openworld
