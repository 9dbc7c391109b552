#include "openworld/report/page_group.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "openworld/predictions/named_classes.h"

namespace openworld {
namespace {

// With more classes, or labels that no list of names bounds, none are shown.
constexpr std::int64_t kClasses = 1 << 16;

// How a sample ends: 0 right, 1 wrong class, 2 wrong side, 3 unknown called base, 4 kept out.
int ending(const Outcomes& outcomes, const RankedCodes& ranked, std::size_t row) {
  const bool called_base = ranked.rank[row] < ranked.best;
  const auto side = static_cast<Side>(outcomes.side[row]);
  if (side == Side::kUnknown) return called_base ? 3 : 4;
  if (called_base != (side == Side::kBase)) return 2;
  return outcomes.correct[row] != 0 ? 0 : 1;
}

// The class of a row as an index into base names, then new ones; -1 where it has none.
std::int64_t class_of(const Predictions& p, std::size_t row) {
  const int side = p.side.values[row];
  if (side < 0 || p.label.empty()) return -1;
  if (side == 1 && p.base_classes == 0) return -1;
  return p.label.values[row] + (side == 1 ? std::int64_t{p.base_classes} : 0);
}

// Six digits, more than anyone reads; the rank says on which side of a threshold a sample is. Not
// by way of text, which would depend on the locale.
double short_number(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double power = std::pow(10, 5 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(power) && power > 0 ? std::round(value * power) / power : value;
}

template <class T>
std::vector<T> at_rows(const std::vector<T>& values, const std::vector<std::size_t>& rows) {
  std::vector<T> chosen;
  for (const std::size_t row : rows) chosen.push_back(values[row]);
  return chosen;
}

bool all_said(const std::vector<std::int32_t>& answers) {
  return !answers.empty() && std::ranges::all_of(answers, [](auto a) { return a >= 0; });
}

// Empty: classes are not shown.
using ClassTotals = std::vector<std::int64_t>;

// Counts the classes of one method.
class ClassCounter {
 public:
  ClassCounter(std::size_t method, const ClassTotals& total) : total_(total) {
    counts_.method = method;
    counts_.right.resize(total.size());
    counts_.overall.resize(total.size());
  }

  void add(const Predictions& p, const NamedClasses& answers) {
    const bool overall = all_said(answers.overall);
    if (!overall) counts_.overall.clear();
    for (std::size_t row = 0; row < p.side.size() && !total_.empty(); ++row) {
      const std::int64_t truth = class_of(p, row);
      const bool is_unknown = p.side.values[row] < 0;
      unknown_ += is_unknown ? 1 : 0;
      // Without logits of both sides the answer of the right classifier stands in.
      const std::int32_t answer = overall                   ? answers.overall[row]
                                  : p.side.values[row] == 0 ? answers.base[row]
                                  : p.side.values[row] == 1 ? answers.new_side[row]
                                                            : -1;
      if (answer >= 0 && answer != truth) ++wrong_[{truth, answer}];
      if (truth < 0) continue;
      counts_.right[static_cast<std::size_t>(truth)] += p.correct.values[row];
      if (!counts_.overall.empty()) {
        counts_.overall[static_cast<std::size_t>(truth)] += answer == truth ? 1 : 0;
      }
    }
  }

  // With the `most` frequent confusions.
  MethodClasses finish(std::size_t repeats, std::size_t most) {
    for (const auto& [pair, count] : wrong_) {
      const auto [truth, answer] = pair;
      const std::int64_t total =
          truth < 0 ? unknown_
                    : total_[static_cast<std::size_t>(truth)] * static_cast<std::int64_t>(repeats);
      counts_.confusions.push_back({truth, answer, count, total});
    }
    std::ranges::stable_sort(counts_.confusions, std::greater<>(), &Confusion::count);
    if (counts_.confusions.size() > most) counts_.confusions.resize(most);
    return std::move(counts_);
  }

 private:
  const ClassTotals& total_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> wrong_;
  std::int64_t unknown_ = 0;
  MethodClasses counts_;
};

ClassTotals class_totals(const Predictions& p) {
  ClassTotals total;
  for (std::size_t row = 0; row < p.side.size(); ++row) {
    const std::int64_t c = class_of(p, row);
    if (c < 0) continue;
    if (c >= kClasses) return {};
    if (std::cmp_greater_equal(c, total.size())) total.resize(static_cast<std::size_t>(c) + 1);
    ++total[static_cast<std::size_t>(c)];
  }
  return total;
}

}  // namespace

std::vector<std::size_t> choose_rows(const Outcomes& first, const RankedCodes& first_ranked,
                                     const Outcomes& last, const RankedCodes& last_ranked,
                                     std::size_t count) {
  std::map<std::tuple<int, int, int>, std::vector<std::size_t>> ways;
  for (std::size_t row = 0; row < first.size(); ++row) {
    ways[{ending(last, last_ranked, row), ending(first, first_ranked, row), first.side[row]}]
        .push_back(row);
  }
  // (turn, way) of every sample chosen: one of each way in turn, until there are `count`.
  std::vector<std::pair<std::size_t, const std::vector<std::size_t>*>> turns;
  std::map<const std::vector<std::size_t>*, std::size_t> taken;
  for (std::size_t turn = 0; turns.size() < std::min(count, first.size()); ++turn) {
    for (const auto& [key, rows] : ways) {
      if (turn >= rows.size() || turns.size() == count) continue;
      turns.emplace_back(turn, &rows);
      ++taken[&rows];
    }
  }
  std::vector<std::size_t> chosen;
  for (const auto& [turn, rows] : turns) {
    chosen.push_back((*rows)[turn * rows->size() / taken[rows]]);
  }
  return chosen;
}

PageGroup make_group(const TestedGroup& tested, const GroupLimits& limits) {
  const Predictions& first = *tested.runs[0].predictions;
  PageGroup group{.name = tested.name,
                  .samples = first.side.size(),
                  .classes = first.classes.empty() ? tested.classes : first.classes,
                  .base_classes = static_cast<std::size_t>(first.base_classes),
                  .runs = {},
                  .no_pictures = tested.no_pictures};
  for (const TestedRun& run : tested.runs) {
    const Outcomes outcomes = run.predictions->outcomes();
    PageRun& made =
        group.runs.emplace_back(PageRun{run.method, run.seed, rank_codes(outcomes, limits.values)});
    if (run.threshold) made.own = count_above(outcomes, *run.threshold);
  }
  group.repeats = static_cast<std::size_t>(std::ranges::count(
      tested.runs, tested.runs[0].method, [](const TestedRun& run) { return run.method; }));

  const std::uint64_t seed = tested.runs[0].seed;
  std::size_t last = 0;
  for (std::size_t i = 0; i < tested.runs.size(); ++i) {
    if (tested.runs[i].seed == seed) last = i;
  }
  PageSamples shown{.seed = seed};
  shown.row =
      choose_rows(first.outcomes(), group.runs[0].ranked, tested.runs[last].predictions->outcomes(),
                  group.runs[last].ranked, limits.samples);
  for (const std::size_t row : shown.row) {
    shown.side.push_back(first.side.values[row]);
    shown.label.push_back(class_of(first, row));
    shown.pictures.push_back(tested.picture ? tested.picture(row) : "");
  }
  const ClassTotals total = class_totals(first);
  std::vector<MethodClasses> classes;
  std::optional<ClassCounter> counter;
  for (std::size_t i = 0; i < tested.runs.size(); ++i) {
    const TestedRun& run = tested.runs[i];
    const bool begins = i == 0 || run.method != tested.runs[i - 1].method;
    if (begins && counter) classes.push_back(counter->finish(group.repeats, limits.confusions));
    if (begins) counter.emplace(run.method, total);
    const NamedClasses answers = load_named_classes(run.predictions->path);
    counter->add(*run.predictions, answers);
    if (run.seed != seed) continue;
    SampleAnswers& mine = shown.methods.emplace_back(SampleAnswers{.method = run.method});
    mine.rank = at_rows(group.runs[i].ranked.rank, shown.row);
    mine.base = at_rows(answers.base, shown.row);
    mine.new_side = at_rows(answers.new_side, shown.row);
    for (const std::size_t row : shown.row) {
      mine.r.push_back(short_number(run.predictions->outcomes().score[row]));
      mine.correct.push_back(run.predictions->correct.values[row]);
    }
  }
  classes.push_back(counter->finish(group.repeats, limits.confusions));
  if (!total.empty()) group.by_class = PageClasses{total, std::move(classes)};
  if (limits.samples > 0) group.shown = std::move(shown);
  return group;
}

}  // namespace openworld
