#include "openworld/metrics/result_notes.h"

#include <fmt/format.h>

#include <algorithm>

namespace openworld {
namespace {

// Without an interval: far enough that chance is no explanation for a test set of usual size.
constexpr double kClearlyBelow = 0.45;

// Titles by the side that they are compared with.
class SideTitles {
 public:
  void add(const MetricRequest& request, const std::optional<Side>& open) {
    if (!open) return;
    (*open == Side::kNew ? new_ : unknown_)
        .push_back(metric_title(request.row->info, request.params));
  }

  std::string text() const {
    std::vector<std::string> parts;
    for (const auto& [side, titles] : {std::pair(Side::kNew, &new_), {Side::kUnknown, &unknown_}}) {
      if (titles->empty()) continue;
      parts.push_back(
          fmt::format("base against {} samples: {}", side_name(side), fmt::join(*titles, ", ")));
    }
    return fmt::format("{}", fmt::join(parts, "; "));
  }

 private:
  std::vector<std::string> new_, unknown_;
};

bool has_side(std::span<const std::int8_t> side, Side wanted) {
  return std::ranges::find(side, static_cast<std::int8_t>(wanted)) != side.end();
}

}  // namespace

std::optional<Side> compared_side(const MetricRequest& request, std::span<const std::int8_t> side,
                                  const EvalOptions& options) {
  if (request.row->open == OpenRule::kNone) return std::nullopt;
  // Which sides there are is all that the choice depends on.
  KindCounts counts;
  counts.of[kBaseWrong] = has_side(side, Side::kBase) ? 1 : 0;
  counts.of[kNewWrong] = has_side(side, Side::kNew) ? 1 : 0;
  counts.of[kUnknownKind] = has_side(side, Side::kUnknown) ? 1 : 0;
  return open_side(*request.row, counts, metric_options(request, options));
}

std::string sides_note(const Evaluation& evaluation) {
  if (evaluation.counts.new_samples() == 0 || evaluation.counts.unknown() == 0) return {};
  SideTitles titles;
  for (const MetricResult& result : evaluation.metrics) titles.add(result.request, result.open);
  return titles.text();
}

std::string sides_note(std::span<const MetricRequest> requests, std::span<const std::int8_t> side,
                       const EvalOptions& options) {
  if (!has_side(side, Side::kNew) || !has_side(side, Side::kUnknown)) return {};
  SideTitles titles;
  for (const MetricRequest& request : requests) {
    titles.add(request, compared_side(request, side, options));
  }
  return titles.text();
}

std::string reversed_note(double auroc, const std::optional<Interval>& interval) {
  if (interval ? interval->high >= 0.5 : auroc >= kClearlyBelow) return {};
  return "AUROC is below 50 %: the score may be reversed; larger must mean more base-like";
}

std::string reversed_note(const Evaluation& evaluation) {
  const MetricResult* const auroc = evaluation.find("auroc");
  if (auroc == nullptr || !auroc->value.defined()) return {};
  return reversed_note(auroc->value.value, auroc->interval);
}

std::string ties_note(std::int64_t tied_answers) {
  if (tied_answers == 0) return {};
  return fmt::format(
      "{} answer{} the first of several names with the same logit; logits in higher precision "
      "would tell them apart",
      tied_answers, tied_answers == 1 ? " is" : "s are");
}

std::vector<std::string> result_notes(const Evaluation& evaluation, std::int64_t tied_answers) {
  std::vector<std::string> notes;
  for (std::string note :
       {sides_note(evaluation), reversed_note(evaluation), ties_note(tied_answers)}) {
    if (!note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace openworld
