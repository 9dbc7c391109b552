#include "openworld/metrics/per_class.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>

#include "openworld/base/error.h"
#include "openworld/metrics/accuracy.h"

namespace openworld {
namespace {

struct Tally {
  std::int64_t right = 0;
  std::int64_t total = 0;
};

std::string_view missing_labels(const Ranking& ranking) {
  if (ranking.ranked().order().empty()) return "needs the order of the rows: rank with kOrder";
  if (ranking.ranked().outcomes().label.empty()) return "needs label, the true class of each row";
  return {};
}

// Table is indexed by label.
template <class Table>
void count(const Ranking& ranking, Side side, Table& table) {
  const RankedScores& ranked = ranking.ranked();
  const Kind wrong = side == Side::kBase ? kBaseWrong : kNewWrong;
  const Kind right = side == Side::kBase ? kBaseRight : kNewRight;
  for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
    const int kind = ranked.codes()[rank] & kKindMask;
    const std::int64_t weight = ranking.weights().empty() ? 1 : ranking.weights()[rank];
    if ((kind != wrong && kind != right) || weight == 0) continue;
    Tally& tally = table[static_cast<std::size_t>(ranked.outcomes().label[ranked.order()[rank]])];
    tally.total += weight;
    tally.right += kind == right ? weight : 0;
  }
}

// f(label, tally) for each class with samples. Where the number of names is unknown a label may be
// arbitrarily large, and one bad row would make a dense table huge.
template <class F>
void for_each_class(const Ranking& ranking, Side side, const F& f) {
  const Outcomes& outcomes = ranking.ranked().outcomes();
  const std::int32_t classes = side == Side::kBase ? outcomes.base_classes : outcomes.new_classes;
  if (classes == 0) {
    std::map<std::size_t, Tally> table;
    count(ranking, side, table);
    for (const auto& [label, tally] : table) f(label, tally);
    return;
  }
  std::vector<Tally> table(static_cast<std::size_t>(classes));
  count(ranking, side, table);
  for (std::size_t label = 0; label < table.size(); ++label) {
    if (table[label].total > 0) f(label, table[label]);
  }
}

MetricValue mean_class_acc(const Ranking& ranking, Side side) {
  if (const auto why = missing_labels(ranking); !why.empty()) return undefined(std::string(why));
  double sum = 0;
  std::int64_t classes = 0;
  for_each_class(ranking, side, [&](std::size_t, const Tally& tally) {
    sum += static_cast<double>(tally.right) / static_cast<double>(tally.total);
    ++classes;
  });
  return fraction(sum, classes, fmt::format("{} samples", side_name(side)));
}

}  // namespace

std::vector<ClassAccuracy> per_class_accuracy(const Ranking& ranking, double level) {
  if (const auto why = missing_labels(ranking); !why.empty()) fail("per_class_accuracy", why);
  std::vector<ClassAccuracy> classes;
  for (const Side side : {Side::kBase, Side::kNew}) {
    for_each_class(ranking, side, [&](std::size_t label, const Tally& tally) {
      const Proportion p = wilson_proportion(tally.right, tally.total, level);
      classes.push_back({.side = side,
                         .label = static_cast<std::int32_t>(label),
                         .right = tally.right,
                         .total = tally.total,
                         .accuracy = p.value,
                         .interval = {p.low, p.high, level, "wilson"}});
    });
  }
  return classes;
}

MetricValue mean_class_acc_base(const Ranking& ranking, const MetricOptions&) {
  return mean_class_acc(ranking, Side::kBase);
}

MetricValue mean_class_acc_new(const Ranking& ranking, const MetricOptions&) {
  return mean_class_acc(ranking, Side::kNew);
}

constinit const MetricRow kMeanClassAccBase = {
    .info =
        {
            .name = "mean_class_acc_base",
            .aliases = "macro_base_acc",
            .family = "accuracy",
            .title = "Mean class accuracy, base",
            .brief = "base accuracy averaged over classes instead of samples",
            .citation =
                "Xian et al., Zero-Shot Learning: the Good, the Bad and the Ugly, CVPR 2017",
        },
    .needs = kNeedsLabel,
    .compute = mean_class_acc_base,
};

constinit const MetricRow kMeanClassAccNew = {
    .info =
        {
            .name = "mean_class_acc_new",
            .aliases = "macro_new_acc",
            .family = "accuracy",
            .title = "Mean class accuracy, new",
            .brief = "new accuracy averaged over classes instead of samples",
            .citation =
                "Xian et al., Zero-Shot Learning: the Good, the Bad and the Ugly, CVPR 2017",
        },
    .open = OpenRule::kNew,
    .needs = kNeedsLabel,
    .compute = mean_class_acc_new,
};

}  // namespace openworld
