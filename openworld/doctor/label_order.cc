#include "openworld/doctor/label_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "openworld/doctor/check.h"

namespace openworld {
namespace {

constexpr std::int64_t kTimes = 5;

std::string class_text(const Predictions& predictions, std::int32_t label) {
  const auto at = static_cast<std::size_t>(label);
  return at < predictions.classes.size() ? in_quotes(predictions.classes[at])
                                         : fmt::format("class {}", label);
}

// True classes as indices into base names, then new names; -1 for unknown samples.
std::vector<std::int32_t> true_classes(const Predictions& predictions) {
  std::vector<std::int32_t> classes(predictions.side.size(), -1);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto side = static_cast<Side>(predictions.side.values[i]);
    if (side == Side::kUnknown) continue;
    classes[i] = predictions.label.values[i] + (side == Side::kNew ? predictions.base_classes : 0);
  }
  return classes;
}

std::vector<Finding> look_at_labels(const Patient& patient) {
  std::vector<Finding> findings;
  for (const Predictions& predictions : patient.predictions) {
    if (predictions.label.empty()) continue;
    const std::vector<MovedClass> moved =
        moved_classes(true_classes(predictions), load_answers(predictions.path));
    if (moved.empty()) continue;
    Finding finding;
    finding.what = fmt::format(
        "{}: samples of {} classes are answered as another class, one to one, and hardly ever as "
        "their own",
        predictions.path, moved.size());
    finding.means =
        "the labels may be in another order than the logits' columns; accuracies are then of a "
        "wrong assignment";
    finding.fix =
        "write label as the index into the names that the columns of base_logits and new_logits "
        "are in; datasets of folders sort the names of folders";
    for (const MovedClass& c : moved) {
      finding.examples.push_back(
          fmt::format("{}: {} of {} answered {}, {} as itself", class_text(predictions, c.label),
                      c.as_other, c.samples, class_text(predictions, c.answered), c.as_itself));
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace

std::vector<MovedClass> moved_classes(std::span<const std::int32_t> labels,
                                      std::span<const std::int32_t> answers) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> counts;
  std::map<std::int32_t, std::int64_t> samples;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || answers[i] < 0) continue;
    ++counts[{labels[i], answers[i]}];
    ++samples[labels[i]];
  }
  // Most frequent first; among equals a class keeps itself.
  std::vector<std::tuple<std::int64_t, bool, std::int32_t, std::int32_t>> pairs;
  for (const auto& [pair, count] : counts) {
    pairs.emplace_back(-count, pair.first != pair.second, pair.first, pair.second);
  }
  std::ranges::sort(pairs);
  std::set<std::int32_t> matched, taken;
  std::vector<MovedClass> moved;
  for (const auto& [negative, differ, label, answer] : pairs) {
    if (matched.contains(label) || taken.contains(answer)) continue;
    matched.insert(label);
    taken.insert(answer);
    if (!differ) continue;
    const auto own = counts.find({label, label});
    const std::int64_t as_itself = own == counts.end() ? 0 : own->second;
    const std::int64_t as_other = -negative;
    if (2 * as_other <= samples[label] || as_other < kTimes * (as_itself + 1)) continue;
    moved.push_back({label, answer, samples[label], as_itself, as_other});
  }
  if (moved.size() < 2) return {};
  std::ranges::sort(moved, {}, &MovedClass::label);
  return moved;
}

const DoctorCheck kLabelOrder = {
    "label-order", "predictions", "labels in another order than the names",
    [](const Patient& patient) {
      return std::ranges::any_of(patient.predictions,
                                 [](const Predictions& p) { return !p.label.empty(); });
    },
    look_at_labels};

}  // namespace openworld
