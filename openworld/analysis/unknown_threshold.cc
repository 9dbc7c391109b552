#include "openworld/analysis/unknown_threshold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "openworld/base/error.h"

namespace openworld {
namespace {

constexpr auto kFunction = "threshold";

std::string refusal_text(const UnknownThreshold& result) {
  return fmt::format(
      "{} listed samples, base and new; to show that at most {} of such are called unknown with "
      "confidence {} it takes {}",
      result.listed, result.limit.max_unknown, result.limit.confidence, *result.samples_needed);
}

AnswerCounts& counts_of(UnknownThreshold& result, std::int8_t side) {
  return side == 0 ? result.of_base : side == 1 ? result.of_new : result.of_unknown;
}

}  // namespace

Side answer_of(double r, double fit, double t, double u) {
  if (r > t) return Side::kBase;
  return fit <= u ? Side::kUnknown : Side::kNew;
}

UnknownThreshold guarantee_unknown(const Outcomes& outcomes, std::span<const double> fit, double t,
                                   const UnknownLimit& limit, std::int64_t next) {
  if (fit.size() != outcomes.size()) {
    fail(kFunction, fmt::format("fit has {} rows; expected {}, one per row of side", fit.size(),
                                outcomes.size()));
  }
  // The same test for both thresholds.
  const MissLimit as_misses{.max_miss = limit.max_unknown, .confidence = limit.confidence};
  if (!(limit.max_unknown >= 1e-9 && limit.max_unknown < 1)) {
    fail(kFunction,
         fmt::format("max_unknown is {}; expected a fraction, 1e-9 to below 1", limit.max_unknown));
  }
  UnknownThreshold result{.limit = limit};
  std::vector<double> listed;
  for (std::size_t i = 0; i < fit.size(); ++i) {
    if (!std::isfinite(fit[i])) {
      fail(kFunction, fmt::format("fit[{}] is {}; it must be finite", i, fit[i]));
    }
    if (outcomes.side[i] >= 0) listed.push_back(fit[i]);
  }
  if (listed.empty()) fail(kFunction, "no base or new samples; max_unknown is about them");
  result.listed = static_cast<std::int64_t>(listed.size());
  const auto allowed = allowed_misses(result.listed, as_misses);
  if (!allowed) {
    result.samples_needed = minimum_samples(as_misses);
    result.refusal = refusal_text(result);
    return result;
  }
  result.allowed = *allowed;
  const auto first_too_many = listed.begin() + static_cast<std::ptrdiff_t>(*allowed);
  std::nth_element(listed.begin(), first_too_many, listed.end());
  result.threshold = just_below(*first_too_many);
  const auto is_unfit = [&](double value) { return value <= result.threshold; };
  result.unfit = share_of(std::ranges::count_if(listed, is_unfit), result.listed, limit.confidence);
  for (std::size_t i = 0; i < fit.size(); ++i) {
    AnswerCounts& counts = counts_of(result, outcomes.side[i]);
    const Side said = answer_of(outcomes.score[i], fit[i], t, result.threshold);
    ++(said == Side::kBase ? counts.base : said == Side::kNew ? counts.new_side : counts.unknown);
  }
  const AnswerCounts& unknown = result.of_unknown;
  const std::int64_t unknown_samples = unknown.base + unknown.new_side + unknown.unknown;
  if (unknown_samples > 0) {
    result.kept_out = share_of(unknown.unknown, unknown_samples, limit.confidence);
  }
  if (next != 0) {
    result.next = promise_next(result.listed, result.allowed, next, limit.confidence);
  }
  return result;
}

}  // namespace openworld
