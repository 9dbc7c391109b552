#include "openworld/openset/detection_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/base/split_list.h"

namespace openworld {
namespace {

// exp(largest base logit) / sum of exp(logit), with the largest of all logits taken off.
double msp(const SideStats& s) {
  return std::exp(s.base.top - s.all.top) / (1 + s.all.rest);
}

double base_sum(const SideStats& s) {
  return (1 + s.base.rest) * msp(s);
}

double base_over_new(const SideStats& s) {
  return s.base.top - s.new_side.top;
}

std::vector<DetectionScore> make_scores() {
  std::vector<DetectionScore> scores = {
      {.name = "msp",
       .brief = "the largest probability of a base name in the softmax over base and new names",
       .citation = "Hendrycks and Gimpel, A Baseline for Detecting Misclassified and "
                   "Out-of-Distribution Examples in Neural Networks, ICLR 2017",
       .sigmoid = false,
       .own = msp},
      {.name = "base_sum",
       .brief = "the sum of the probabilities of base names in the softmax over base and new names",
       .citation = "after Esmaeilpour et al., Zero-Shot Out-of-Distribution Detection Based on the "
                   "Pre-trained Model CLIP, AAAI 2022",
       .sigmoid = false,
       .needs_new = true,
       .own = base_sum},
      {.name = "base_over_new",
       .brief = "the largest base logit less the largest new logit",
       .citation = "",
       .needs_new = true,
       .own = base_over_new}};
  for (const bool over_all : {false, true}) {
    for (const UncertaintyRow& row : uncertainty_table()) {
      scores.push_back(
          {.name = fmt::format("{}_{}", over_all ? "all" : "base", row.name),
           .brief = fmt::format("{}, over {} names", row.brief, over_all ? "base and new" : "base"),
           .citation = std::string(row.citation),
           .softmax = row.softmax,
           .sigmoid = row.sigmoid,
           .needs_new = over_all,
           .needs_mild = row.needs_mild,
           .measure = &row,
           .over_all = over_all});
    }
  }
  return scores;
}

// What is missing for a score, or "".
std::string missing(const DetectionScore& score, OutputActivation activation, SideSizes sizes) {
  const bool softmax = activation == OutputActivation::kSoftmax;
  if (!(softmax ? score.softmax : score.sigmoid)) {
    return fmt::format("is not defined for {} models; expected activation {}",
                       activation_name(activation), softmax ? "sigmoid" : "softmax");
  }
  if (score.needs_new && sizes.new_side == 0) return "needs new names; every class is base";
  const std::size_t names = sizes.base + (score.over_all ? sizes.new_side : 0);
  if (score.measure != nullptr && names < static_cast<std::size_t>(score.measure->queries)) {
    return fmt::format("needs {} names; there {} {}", score.measure->queries,
                       names == 1 ? "is" : "are", names);
  }
  return "";
}

}  // namespace

double DetectionScore::value(const SideStats& stats, const LogitForm& form) const {
  return own != nullptr ? own(stats) : measure->value(over_all ? stats.all : stats.base, form);
}

std::span<const DetectionScore> detection_scores() {
  static const std::vector<DetectionScore> scores = make_scores();
  return scores;
}

std::vector<const DetectionScore*> find_detection_scores(std::string_view names,
                                                         OutputActivation activation,
                                                         SideSizes sizes,
                                                         const std::string& function) {
  const auto table = detection_scores();
  if (names.empty()) names = activation == OutputActivation::kSoftmax ? "msp" : "base_sigmoid";
  std::vector<const DetectionScore*> found;
  const auto add = [&](const DetectionScore& score) {
    if (std::ranges::find(found, &score) == found.end()) found.push_back(&score);
  };
  for (const std::string& name : split_list(names)) {
    if (name == "all") {
      for (const DetectionScore& score : table) {
        if (missing(score, activation, sizes).empty()) add(score);
      }
      continue;
    }
    const auto score = std::ranges::find_if(
        table, [&](const DetectionScore& s) { return is_same_name(s.name, name); });
    if (score == table.end()) {
      std::vector<std::string> known;
      for (const DetectionScore& s : table) known.push_back(s.name);
      fail(function, fmt::format("unknown score '{}'; {}`openworld ls scores` lists them", name,
                                 did_you_mean(name, known)));
    }
    if (const std::string why = missing(*score, activation, sizes); !why.empty()) {
      fail(function, fmt::format("score {} {}", score->name, why));
    }
    add(*score);
  }
  return found;
}

}  // namespace openworld
