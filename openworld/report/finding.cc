#include "openworld/report/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "openworld/report/text_table.h"

namespace openworld {
namespace {

std::string number(const FindingInput& input, double value) {
  return fmt::format("{:.2f}", value * input.scale);
}

std::string change(const FindingInput& input, double value) {
  return fmt::format("{:+.2f}", value * input.scale);
}

std::string p_clause(const std::optional<double>& p) {
  if (!p) return "";
  const std::string text = p_text(*p);
  return text.starts_with('<') ? ", p " + text : ", p = " + text;
}

// "95 % interval +0.53 to +1.27, p = 0.0080"; "" where there is neither.
std::string certainty(const FindingInput& input, const FindingEntry& entry) {
  if (!entry.difference_interval)
    return p_clause(entry.p).empty() ? "" : p_clause(entry.p).substr(2);
  return fmt::format("{:g} % interval {} to {}{}", input.level * 100,
                     change(input, entry.difference_interval->low),
                     change(input, entry.difference_interval->high), p_clause(entry.p));
}

std::string bracketed(const std::string& text) {
  return text.empty() ? "" : " (" + text + ")";
}

std::string placed(const FindingInput& input) {
  return input.where.empty() ? "" : " " + input.where;
}

std::string own_interval(const FindingInput& input, const FindingEntry& entry) {
  if (!entry.interval) return "";
  return fmt::format("{:g} % interval {} to {}", input.level * 100,
                     number(input, entry.interval->low), number(input, entry.interval->high));
}

bool is_better(const FindingInput& input, double a, double b) {
  return input.higher_is_better ? a > b : a < b;
}

// The best of the entries but `without`.
std::optional<std::size_t> best_of(const FindingInput& input,
                                   std::optional<std::size_t> without = std::nullopt) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < input.entries.size(); ++i) {
    if (without && i == *without) continue;
    if (!best || is_better(input, input.entries[i].value, input.entries[*best].value)) best = i;
  }
  return best;
}

bool is_sure(const FindingInput& input, const FindingEntry& entry) {
  return entry.p && *entry.p < 1 - input.level;
}

std::string over_datasets(const FindingInput& input, const FindingEntry& entry) {
  if (!entry.over_datasets) return "";
  const bool holds = entry.over_datasets->low > 0 || entry.over_datasets->high < 0;
  return fmt::format(
      " On a new dataset {}: {} to {}.", holds ? "the same is expected" : "that is not certain",
      change(input, entry.over_datasets->low), change(input, entry.over_datasets->high));
}

std::string beside_reference(const FindingInput& input) {
  const FindingEntry& reference = input.entries[*input.reference];
  const FindingEntry& other = input.entries[*best_of(input, input.reference)];
  const std::string metric = input.metric + placed(input);
  const std::string sure = certainty(input, other);
  if (!other.difference) return "";
  const bool better =
      is_better(input, *other.difference, 0) && is_better(input, other.value, reference.value);
  if (better && is_sure(input, other)) {
    return fmt::format("{} {} {} from {} ({}) to {}: {} points, {}.{}", other.name,
                       input.higher_is_better ? "raises" : "lowers", metric,
                       number(input, reference.value), reference.name, number(input, other.value),
                       change(input, *other.difference), sure, over_datasets(input, other));
  }
  if (sure.empty()) {
    const FindingEntry& best = input.entries[*best_of(input)];
    const FindingEntry& rest = &best == &reference ? other : reference;
    return fmt::format("{} has the best {}: {} against {} of {}. No interval was computed.",
                       best.name, metric, number(input, best.value), number(input, rest.value),
                       rest.name);
  }
  if (is_sure(input, other)) {
    return fmt::format("No method comes up to {} in {}: {}. The next, {}, is {} points away ({}).",
                       reference.name, metric, number(input, reference.value), other.name,
                       change(input, *other.difference), sure);
  }
  return fmt::format(
      "No method {} significantly better than {} in {}: {}. The {}, {}, differs by {} points ({}).",
      input.too_few_resamples ? "can be shown by so few resamples to be" : "is", reference.name,
      metric, number(input, reference.value), better ? "best" : "next", other.name,
      change(input, *other.difference), sure);
}

}  // namespace

std::string finding_text(const FindingInput& input) {
  if (input.entries.empty()) return "";
  const FindingEntry& best = input.entries[*best_of(input)];
  if (input.entries.size() == 1) {
    return fmt::format("{} has {} {}{}{}.", best.name, input.metric, number(input, best.value),
                       placed(input), bracketed(own_interval(input, best)));
  }
  if (input.reference) {
    std::string text = beside_reference(input);
    if (!text.empty()) return text;
  }
  if (!input.same_samples) {
    const auto [low, high] =
        std::ranges::minmax(input.entries, std::ranges::less{}, &FindingEntry::value);
    return fmt::format(
        "The {} files are of different samples and are not compared: {} is between {} ({}) and {} "
        "({}).",
        input.entries.size(), input.metric, number(input, low.value), low.name,
        number(input, high.value), high.name);
  }
  return fmt::format(
      "{} has the best {}{} among {} methods: {}{}; the differences were not tested.", best.name,
      input.metric, placed(input), input.entries.size(), number(input, best.value),
      bracketed(own_interval(input, best)));
}

}  // namespace openworld
