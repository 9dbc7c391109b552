#include "openworld/analysis/sample_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "openworld/base/error.h"
#include "openworld/stats/distributions.h"

namespace openworld {
namespace {

constexpr auto kFunction = "samplesize";
constexpr double kMostSamples = 1e15;          // exact as a double, more than anybody has
constexpr std::size_t kMostSeeds = 1'000'000;  // where searches end
constexpr std::size_t kSeedChoices[] = {2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100};
constexpr std::size_t kAlternatives = 6;

// half^2 = fixed + base / N_b + other / N_o + pairs / (N_b N_o) for a number of seeds.
struct Parts {
  double fixed = 0, base = 0, other = 0, pairs = 0;
};

double squared_t(double level, std::size_t seeds) {
  return std::pow(student_t_quantile(0.5 * (1 - level), static_cast<double>(seeds) - 1), 2);
}

double squared_z(double level) {
  return std::pow(normal_quantile(0.5 * (1 - level)), 2);
}

Parts parts_of(const VarianceComponents& pilot, std::size_t seeds, double level) {
  const double z2 = squared_z(level);
  const double own = seeds == 1 ? z2 : squared_t(level, seeds) / static_cast<double>(seeds);
  return {.fixed = seeds == 1 ? 0 : own * pilot.seed,
          .base = z2 * pilot.base.shared + own * pilot.base.own,
          .other = z2 * pilot.other.shared + own * pilot.other.own,
          .pairs = own * pilot.pairs};
}

double over(double part, std::int64_t samples) {
  return part > 0 ? part / static_cast<double>(samples) : 0;
}

double squared_half(const Parts& parts, const StudySize& size) {
  return parts.fixed + over(parts.base, size.base) + over(parts.other, size.other) +
         over(over(parts.pairs, size.base), size.other);
}

Bounds range_of(const VarianceComponents& pilot, const StudySize& size, const Parts& parts,
                double level) {
  const double squared = squared_half(parts, size);
  double error = std::pow(over(parts.base, size.base) * pilot.base.relative_error, 2) +
                 std::pow(over(parts.other, size.other) * pilot.other.relative_error, 2);
  if (size.seeds > 1) {
    const double between =
        squared_t(level, size.seeds) * pilot.between / static_cast<double>(size.seeds);
    error += 2 * between * between / (static_cast<double>(pilot.seeds) - 1);
  }
  if (!(error > 0)) return {std::sqrt(squared), std::sqrt(squared)};
  // Where the seeds' variance was taken as 0, this may fall below 1, and such a range would not
  // even contain the estimate.
  const double freedom = std::max(1.0, 2 * squared * squared / error);
  const double tail = 0.5 * (1 - level);
  return {std::sqrt(squared * freedom / chi_squared_quantile(1 - tail, freedom)),
          std::sqrt(squared * freedom / chi_squared_quantile(tail, freedom))};
}

// The smallest whole number of at least `n`; `what` it counts.
std::int64_t whole(double n, const char* what) {
  if (!(n <= kMostSamples)) {
    fail(kFunction, fmt::format("that half-width needs {:.3g} {} samples; expected a half-width "
                                "that 1e15 can give",
                                n, what));
  }
  return std::max<std::int64_t>(2, static_cast<std::int64_t>(std::ceil(n)));
}

void check(const SampleSizeRequest& request, const VarianceComponents& pilot) {
  const auto refuse = [](const char* name, auto value, const char* expected) {
    fail(kFunction, fmt::format("{} is {}; expected {}", name, value, expected));
  };
  if (!(request.half_width > 0 && request.half_width < 0.5)) {
    refuse("half-width", request.half_width, "a number between 0 and 0.5");
  }
  if (!(request.level > 0 && request.level < 1)) {
    refuse("level", request.level, "a number between 0 and 1");
  }
  if (request.ratio && !(*request.ratio > 0 && std::isfinite(*request.ratio))) {
    refuse("ratio", *request.ratio, "a number above 0");
  }
  for (const auto& [name, count] : {std::pair{"base", request.base}, {"new", request.other}}) {
    if (count && *count < 2) refuse(name, *count, "two samples or more");
  }
  if (request.seeds && (*request.seeds < 1 || *request.seeds > kMostSeeds)) {
    refuse("seeds", *request.seeds, "1 to 1000000");
  }
  if (request.ratio && (request.base || request.other)) {
    fail(kFunction, "both a ratio and a number of samples; expected one of them");
  }
  if (request.seeds.value_or(1) > 1 && pilot.seeds == 1) {
    fail(kFunction, fmt::format("{} seeds asked for and a pilot of one, which has no variance over "
                                "seeds; expected runs of two seeds or more",
                                *request.seeds));
  }
}

// The fewest seeds, from 2, for which `enough` holds; none up to kMostSeeds.
template <class Enough>
std::optional<std::size_t> fewest_seeds(const Enough& enough) {
  std::size_t high = 2;
  while (!enough(high)) {
    if (high >= kMostSeeds) return std::nullopt;
    high = std::min(2 * high, kMostSeeds);
  }
  std::size_t low = std::max<std::size_t>(2, high / 2);  // none below it is enough, but perhaps it
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (enough(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

class Planner {
 public:
  Planner(const VarianceComponents& pilot, const SampleSizeRequest& request)
      : pilot_(pilot), request_(request), target_(request.half_width * request.half_width) {}

  SampleSize solve() const {
    SampleSize result{.pilot = predicted(pilot_size()), .plan = predicted(plan())};
    if (!request_.base && !request_.other) result.cheapest = cheapest(result.plan.size.seeds);
    if (pilot_.seeds > 1 && !(request_.base && request_.other)) {
      for (const std::size_t seeds : kSeedChoices) {
        if (result.by_seeds.size() == kAlternatives) break;
        if (const auto size = sizes(seeds)) result.by_seeds.push_back(predicted(*size));
      }
    }
    return result;
  }

 private:
  PlannedStudy predicted(const StudySize& size) const {
    return predict_study(pilot_, size, request_.level);
  }

  StudySize pilot_size() const { return {pilot_.base.samples, pilot_.other.samples, pilot_.seeds}; }

  double seed_part(std::size_t seeds) const {
    return parts_of(pilot_, seeds, request_.level).fixed;
  }

  StudySize plan() const {
    if (request_.base && request_.other) return with_samples(*request_.base, *request_.other);
    std::size_t seeds = request_.seeds.value_or(pilot_.seeds);
    if (!(seed_part(seeds) < target_)) {
      const auto least = fewest_seeds([&](std::size_t s) { return seed_part(s) < target_; });
      if (!least) {
        fail(kFunction,
             fmt::format("more than {} seeds needed: their standard deviation is {:.4g}; "
                         "expected a larger half-width",
                         kMostSeeds, std::sqrt(pilot_.seed)));
      }
      if (request_.seeds) {
        fail(
            kFunction,
            fmt::format("{} seeds give a half-width of at least {:.4g} with any number of samples; "
                        "expected {} seeds or more",
                        seeds, std::sqrt(seed_part(seeds)), *least));
      }
      seeds = fewest_seeds([&](std::size_t s) {
                return seed_part(s) <= 0.5 * target_;
              }).value_or(*least);
    }
    const auto size = sizes(seeds);
    if (size) return *size;
    // One side is fixed, and too small.
    const Parts parts = parts_of(pilot_, seeds, request_.level);
    const double part = request_.base ? parts.base : parts.other;
    const std::string_view side = request_.base ? "base" : side_name(pilot_.open);
    fail(kFunction,
         fmt::format("{} {} samples are too few with any number of others; expected more than {}",
                     request_.base.value_or(request_.other.value_or(0)), side,
                     std::floor(part / (target_ - parts.fixed))));
  }

  // Both sides are given; the seeds are found unless they are given, too.
  StudySize with_samples(std::int64_t base, std::int64_t other) const {
    const auto half = [&](std::size_t seeds) {
      return squared_half(parts_of(pilot_, seeds, request_.level), {base, other, seeds});
    };
    if (request_.seeds || pilot_.seeds == 1) return {base, other, request_.seeds.value_or(1)};
    const auto seeds = fewest_seeds([&](std::size_t s) { return half(s) <= target_; });
    if (!seeds) {
      fail(kFunction,
           fmt::format("{} base and {} {} samples give a half-width of at least {:.4g} with any "
                       "number of seeds; expected more samples",
                       base, other, side_name(pilot_.open), std::sqrt(half(kMostSeeds))));
    }
    return {base, other, *seeds};
  }

  // The smallest sizes for a number of seeds; none where none will do.
  std::optional<StudySize> sizes(std::size_t seeds) const {
    const Parts parts = parts_of(pilot_, seeds, request_.level);
    const double room = target_ - parts.fixed;
    if (!(room > 0)) return std::nullopt;
    if (request_.base || request_.other) return beside_fixed(parts, room, seeds);
    const double natural = pilot_.base.samples > 0 ? static_cast<double>(pilot_.other.samples) /
                                                         static_cast<double>(pilot_.base.samples)
                                                   : 1;
    return at_ratio(parts, room, request_.ratio.value_or(natural), seeds);
  }

  std::optional<StudySize> beside_fixed(const Parts& parts, double room, std::size_t seeds) const {
    const bool base_is_fixed = request_.base.has_value();
    const std::int64_t fixed = base_is_fixed ? *request_.base : *request_.other;
    const double rest = room - over(base_is_fixed ? parts.base : parts.other, fixed);
    if (!(rest > 0)) return std::nullopt;
    const double part = (base_is_fixed ? parts.other : parts.base) + over(parts.pairs, fixed);
    const std::int64_t free = part > 0 ? whole(part / rest, name(!base_is_fixed)) : 0;
    return base_is_fixed ? StudySize{fixed, free, seeds} : StudySize{free, fixed, seeds};
  }

  // room N^2 - (base + other / ratio) N - pairs / ratio = 0 for N = N_b; a side that the metric
  // does not read gets no samples.
  StudySize at_ratio(const Parts& parts, double room, double ratio, std::size_t seeds) const {
    if (parts.other == 0 && parts.pairs == 0) return {whole(parts.base / room, "base"), 0, seeds};
    if (parts.base == 0 && parts.pairs == 0) {
      return {0, whole(parts.other / room, name(false)), seeds};
    }
    const double linear = parts.base + parts.other / ratio;
    const double n =
        (linear + std::sqrt(linear * linear + 4 * room * parts.pairs / ratio)) / (2 * room);
    return {whole(n, "base"), whole(n * ratio, name(false)), seeds};
  }

  // By the ratio sqrt(other) / sqrt(base), which minimises N_b + N_o but for the pair term.
  std::optional<PlannedStudy> cheapest(std::size_t seeds) const {
    const Parts parts = parts_of(pilot_, seeds, request_.level);
    if (!(parts.base > 0 && parts.other > 0)) return std::nullopt;
    return predicted(
        at_ratio(parts, target_ - parts.fixed, std::sqrt(parts.other / parts.base), seeds));
  }

  const char* name(bool base) const {
    return base ? "base" : pilot_.open == Side::kNew ? "new" : "unknown";
  }

  const VarianceComponents& pilot_;
  const SampleSizeRequest& request_;
  double target_;  // squared
};

}  // namespace

PlannedStudy predict_study(const VarianceComponents& pilot, const StudySize& size, double level) {
  const Parts parts = parts_of(pilot, size.seeds, level);
  return {.size = size,
          .half_width = std::sqrt(squared_half(parts, size)),
          .range = range_of(pilot, size, parts, level)};
}

SampleSize sample_size(const VarianceComponents& pilot, const SampleSizeRequest& request) {
  check(request, pilot);
  return Planner(pilot, request).solve();
}

}  // namespace openworld
