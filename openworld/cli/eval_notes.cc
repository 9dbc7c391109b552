#include "openworld/cli/eval_notes.h"

#include <fmt/format.h>

#include "openworld/report/metric_texts.h"

namespace openworld {
namespace {

// Without an interval: far enough that chance is no explanation for a test set of usual size.
constexpr double kClearlyBelow = 0.45;

std::string titles_against(const Evaluation& evaluation, Side side) {
  std::vector<std::string> titles;
  for (const MetricResult& result : evaluation.metrics) {
    if (result.open == side) titles.push_back(metric_result_title(result));
  }
  return fmt::format("{}", fmt::join(titles, ", "));
}

}  // namespace

std::string sides_note(const Evaluation& evaluation) {
  if (evaluation.counts.new_samples() == 0 || evaluation.counts.unknown() == 0) return {};
  std::vector<std::string> parts;
  for (const Side side : {Side::kNew, Side::kUnknown}) {
    const std::string titles = titles_against(evaluation, side);
    if (titles.empty()) continue;
    parts.push_back(fmt::format("base against {} samples: {}", side_name(side), titles));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string reversed_note(const Evaluation& evaluation) {
  const MetricResult* const auroc = evaluation.find("auroc");
  if (auroc == nullptr || !auroc->value.defined()) return {};
  const double bound = auroc->interval ? auroc->interval->high : auroc->value.value;
  if (bound >= (auroc->interval ? 0.5 : kClearlyBelow)) return {};
  return "AUROC is below 50 %: the score may be reversed; larger must mean more base-like";
}

std::string ties_note(std::int64_t tied_answers) {
  if (tied_answers == 0) return {};
  return fmt::format(
      "{} answer{} the first of several names with the same logit; logits in higher precision "
      "would tell them apart",
      tied_answers, tied_answers == 1 ? " is" : "s are");
}

}  // namespace openworld
