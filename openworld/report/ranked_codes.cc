#include "openworld/report/ranked_codes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>

namespace openworld {
namespace {

enum Symbol : std::uint8_t { kBaseRight, kBaseWrong, kNewRight, kNewWrong, kUnknownSample };
constexpr std::size_t kSymbols = 5;
constexpr std::uint8_t kTied = 8;

Symbol symbol_of(const Outcomes& outcomes, std::size_t row) {
  const bool right = outcomes.correct[row] != 0;
  switch (static_cast<Side>(outcomes.side[row])) {
    case Side::kBase:
      return right ? kBaseRight : kBaseWrong;
    case Side::kNew:
      return right ? kNewRight : kNewWrong;
    case Side::kUnknown:
      break;
  }
  return kUnknownSample;
}

using Counts = std::array<std::int64_t, kSymbols>;

double share(std::int64_t count, std::int64_t total) {
  return total > 0 ? static_cast<double>(count) / static_cast<double>(total) : 0;
}

// Codes of one byte each, in the fewest bits.
void pack(std::span<const std::uint8_t> codes, RankedCodes& result) {
  result.bits = std::ranges::all_of(codes, [](std::uint8_t code) { return code < 4; }) ? 2 : 4;
  const auto per_byte = static_cast<std::size_t>(8 / result.bits);
  result.codes.assign((codes.size() + per_byte - 1) / per_byte, 0);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto shift = static_cast<std::size_t>(result.bits) * (i % per_byte);
    result.codes[i / per_byte] |= static_cast<std::uint8_t>(codes[i] << shift);
  }
}

// HitRate or RejectRate minus MissRate, where `above` are called base.
double gain(const Counts& above, const Counts& total) {
  const std::int64_t base = total[kBaseRight] + total[kBaseWrong];
  const std::int64_t new_samples = total[kNewRight] + total[kNewWrong];
  const double rate =
      new_samples > 0 ? share(total[kNewRight] - above[kNewRight], new_samples)
                      : share(total[kUnknownSample] - above[kUnknownSample], total[kUnknownSample]);
  return rate - share(base - above[kBaseRight], base);
}

}  // namespace

RankedCodes rank_codes(const Outcomes& outcomes, std::size_t max_values) {
  const std::size_t n = outcomes.size();
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  outcomes.score.visit([&](auto scores) {
    std::ranges::stable_sort(order, [&](auto a, auto b) { return scores[a] > scores[b]; });
  });
  RankedCodes result{
      .samples = n, .codes = {}, .values = {}, .rank = std::vector<std::uint32_t>(n)};
  std::vector<std::uint8_t> codes(n);
  Counts total{}, above{};
  for (std::size_t row = 0; row < n; ++row) ++total[symbol_of(outcomes, row)];
  double most = -2;
  const auto consider = [&](std::size_t k) {
    const double gained = gain(above, total);
    if (gained > most) {
      most = gained;
      result.best = k;
    }
  };
  for (std::size_t i = 0; i < n; ++i) {
    const bool tied = i > 0 && outcomes.score[order[i]] == outcomes.score[order[i - 1]];
    if (!tied) consider(i);
    const Symbol symbol = symbol_of(outcomes, order[i]);
    codes[i] = static_cast<std::uint8_t>(symbol | (tied ? kTied : 0));
    result.rank[order[i]] = tied ? result.rank[order[i - 1]] : static_cast<std::uint32_t>(i);
    ++above[symbol];
  }
  consider(n);
  pack(codes, result);
  const std::size_t stored = std::min(n, max_values);
  for (std::size_t i = 0; i < stored; ++i) {
    const std::size_t at = stored == n ? i : (i * (n - 1) + (stored - 1) / 2) / (stored - 1);
    constexpr double kLargest = std::numeric_limits<float>::max();
    result.values.push_back(
        static_cast<float>(std::clamp(outcomes.score[order[at]], -kLargest, kLargest)));
  }
  return result;
}

std::size_t count_above(const Outcomes& outcomes, double threshold) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) count += outcomes.score[i] > threshold ? 1 : 0;
  return count;
}

}  // namespace openworld
