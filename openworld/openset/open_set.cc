#include "openworld/openset/open_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>

#include "openworld/base/error.h"
#include "openworld/base/numpy_random.h"
#include "openworld/openset/tile_loop.h"

namespace openworld {
namespace {

// The classes of one seed as columns to gather: subset by subset, within each what it adds to the
// one before, in ascending order so that the first of equals has the lowest index.
struct SubsetColumns {
  std::vector<std::uint32_t> columns;
  std::vector<std::int32_t> entry;  // of each class: the first subset that has it
};

SubsetColumns subset_columns(const OpenSetPlan& plan, std::uint32_t seed) {
  SubsetColumns subsets{subset_order(plan.classes, seed), {}};
  subsets.entry.assign(static_cast<std::size_t>(plan.classes),
                       static_cast<std::int32_t>(plan.sizes.size()));
  std::int32_t begin = 0;
  for (std::size_t s = 0; s < plan.sizes.size(); ++s) {
    const auto from = subsets.columns.begin() + begin, to = subsets.columns.begin() + plan.sizes[s];
    std::sort(from, to);
    for (auto it = from; it != to; ++it) subsets.entry[*it] = static_cast<std::int32_t>(s);
    begin = plan.sizes[s];
  }
  return subsets;
}

void make_room(OpenSetTest& test, std::size_t measures) {
  const std::size_t n = test.images.size();
  test.closed.resize(n);
  test.open.resize(n);
  test.closed_score.assign(measures, std::vector<double>(n));
  test.open_score.assign(measures, std::vector<double>(n));
}

void fail_about(std::string_view what, std::int64_t value, std::int64_t low, std::int64_t high) {
  fail("openset", fmt::format("{} is {}; expected {} to {}", what, value, low, high));
}

// Ascending, without repeats, each within [low, high].
std::vector<std::int32_t> checked(std::vector<std::int32_t> values, std::string_view what,
                                  std::int32_t low, std::int32_t high) {
  for (const std::int32_t value : values) {
    if (value < low || value > high) fail_about(what, value, low, high);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

class Pass {
 public:
  Pass(const LogitSource& source, std::span<const std::int32_t> label, const OpenSetPlan& plan)
      : source_(source), label_(label), plan_(plan) {
    scores_.plan = plan;
    scores_.images = source.rows();
    scores_.extra = static_cast<std::int32_t>(source.columns()) - plan.classes;
    scores_.closed_answer.resize(scores_.images);
    scores_.open_answer.resize(scores_.images);
    beta_ = std::any_of(plan.measures.begin(), plan.measures.end(),
                        [](const UncertaintyRow* row) { return row->needs_mild; })
                ? plan.form.beta()
                : 0;
    make_extra_tests();
    make_subset_tests();
  }

  OpenSetScores run() {
    for_each_tile(source_, plan_.threads, [&](auto* tile, std::size_t begin, std::size_t count) {
      scan_tile(tile, begin, count);
      report(count);
    });
    if (first_bad_ != kNoRow) source_.refuse_row(first_bad_);
    return std::move(scores_);
  }

 private:
  static constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

  void make_extra_tests() {
    std::vector<std::int32_t> extras = plan_.counts;
    extras.insert(extras.begin(), 0);
    if (extras.back() != scores_.extra) extras.push_back(scores_.extra);
    for (const std::int32_t extra : extras) {
      OpenSetTest test{.classes = plan_.classes,
                       .extra = extra,
                       .seed = 0,
                       .images = std::vector<std::uint32_t>(scores_.images),
                       .closed = {},
                       .open = {},
                       .closed_score = {},
                       .open_score = {}};
      std::iota(test.images.begin(), test.images.end(), 0U);
      make_room(test, plan_.measures.size());
      scores_.by_extra.push_back(std::move(test));
    }
  }

  void make_subset_tests() {
    if (plan_.sizes.empty()) return;
    for (const std::uint32_t seed : plan_.seeds) {
      subsets_.push_back(subset_columns(plan_, seed));
      for (std::size_t s = 0; s < plan_.sizes.size(); ++s) {
        OpenSetTest test{.classes = plan_.sizes[s],
                         .extra = 0,
                         .seed = seed,
                         .images = {},
                         .closed = {},
                         .open = {},
                         .closed_score = {},
                         .open_score = {}};
        for (std::size_t i = 0; i < label_.size(); ++i) {
          const std::int32_t entry = subsets_.back().entry[static_cast<std::size_t>(label_[i])];
          if (entry <= static_cast<std::int32_t>(s)) {
            test.images.push_back(static_cast<std::uint32_t>(i));
          }
        }
        make_room(test, plan_.measures.size());
        scores_.by_subset.push_back(std::move(test));
      }
    }
  }

  template <class T>
  void scan_tile(T* tile, std::size_t begin, std::size_t count) {
    const std::size_t columns = source_.columns();
    std::vector<T> gathered(subsets_.empty() ? 0 : static_cast<std::size_t>(plan_.sizes.back()));
    // Where the images of this tile stand in the tests of subsets.
    std::vector<std::size_t> places;
    for (const OpenSetTest& test : scores_.by_subset) {
      const auto at = std::lower_bound(test.images.begin(), test.images.end(), begin);
      places.push_back(static_cast<std::size_t>(at - test.images.begin()));
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!scan_row(tile + i * columns, begin + i, gathered.data(), places)) note_bad(begin + i);
    }
  }

  // False if a logit is not finite.
  template <class T>
  bool scan_row(T* row, std::size_t image, T* gathered, std::vector<std::size_t>& places) {
    const std::int32_t truth = label_[image];
    const T own = std::exchange(row[truth], kLeftOut<T>);
    const QueryStats mine = one_query(own, truth);
    QueryStats others;
    if (!std::isfinite(own) || !scan_queries(row, plan_.classes, 0, beta_, others)) return false;
    QueryStats extra, open, closed;
    std::int32_t reached = 0;
    for (OpenSetTest& test : scores_.by_extra) {
      if (test.extra > reached) {
        const std::int32_t first = plan_.classes + reached;
        QueryStats added;
        if (!scan_queries(row + first, test.extra - reached, first, beta_, added)) return false;
        extra = merge(extra, added, beta_);
        reached = test.extra;
      }
      open = merge(others, extra, beta_);
      closed = merge(open, mine, beta_);
      record(test, image, truth, closed, open);
    }
    scores_.closed_answer[image] = closed.argmax;
    scores_.open_answer[image] = open.argmax;
    for (std::size_t s = 0; s < subsets_.size(); ++s) {
      scan_subsets(row, mine, subsets_[s], s * plan_.sizes.size(), gathered, places);
    }
    return true;
  }

  // REQUIRES: every logit of the row is finite.
  template <class T>
  void scan_subsets(const T* row, const QueryStats& mine, const SubsetColumns& subsets,
                    std::size_t first_test, T* gathered, std::vector<std::size_t>& places) {
    const std::int32_t entry = subsets.entry[static_cast<std::size_t>(mine.argmax)];
    if (entry == static_cast<std::int32_t>(plan_.sizes.size())) return;
    for (std::int32_t j = 0; j < plan_.sizes.back(); ++j) gathered[j] = row[subsets.columns[j]];
    QueryStats open;
    std::int32_t reached = 0;
    for (std::int32_t s = 0; s < static_cast<std::int32_t>(plan_.sizes.size()); ++s) {
      QueryStats added;
      scan_queries(gathered + reached, plan_.sizes[s] - reached, reached, beta_, added);
      reached = plan_.sizes[s];
      if (added.argmax >= 0) {
        added.argmax = static_cast<std::int32_t>(subsets.columns[added.argmax]);
        open = merge(open, added, beta_);
      }
      if (s < entry) continue;
      const std::size_t test = first_test + static_cast<std::size_t>(s);
      record(scores_.by_subset[test], places[test]++, mine.argmax, merge(open, mine, beta_), open);
    }
  }

  void record(OpenSetTest& test, std::size_t place, std::int32_t truth, QueryStats closed,
              QueryStats open) const {
    const auto rejects = [&](std::int32_t answer) {
      return plan_.role == ExtraRole::kNegative && answer >= plan_.classes;
    };
    test.closed[place] = closed.argmax == truth   ? ClosedOutcome::kRight
                         : rejects(closed.argmax) ? ClosedOutcome::kRejected
                                                  : ClosedOutcome::kWrong;
    test.open[place] = open.argmax < 0        ? OpenOutcome::kNone
                       : rejects(open.argmax) ? OpenOutcome::kRejected
                                              : OpenOutcome::kError;
    if (test.closed[place] != ClosedOutcome::kRejected) write(test.closed_score, place, closed);
    if (test.open[place] == OpenOutcome::kError) write(test.open_score, place, open);
  }

  void write(std::vector<std::vector<double>>& scores, std::size_t place, QueryStats stats) const {
    stats.top += source_.bias();
    stats.second += source_.bias();
    for (std::size_t m = 0; m < scores.size(); ++m) {
      scores[m][place] = plan_.measures[m]->value(stats, plan_.form);
    }
  }

  void note_bad(std::size_t row) {
    std::size_t first = first_bad_;
    while (row < first && !first_bad_.compare_exchange_weak(first, row)) {
    }
  }

  void report(std::size_t count) {
    if (!plan_.progress) return;
    const std::lock_guard lock(mutex_);
    plan_.progress(done_ += count);
  }

  const LogitSource& source_;
  std::span<const std::int32_t> label_;
  const OpenSetPlan& plan_;
  double beta_ = 0;
  std::vector<SubsetColumns> subsets_;
  OpenSetScores scores_;
  std::atomic<std::size_t> first_bad_ = kNoRow;
  std::mutex mutex_;
  std::size_t done_ = 0;  // guarded by mutex_
};

template <class Outcome>
std::int64_t count_of(const std::vector<Outcome>& outcomes, Outcome wanted) {
  return std::count(outcomes.begin(), outcomes.end(), wanted);
}

}  // namespace

std::int64_t OpenSetTest::count(ClosedOutcome outcome) const {
  return count_of(closed, outcome);
}

std::int64_t OpenSetTest::count(OpenOutcome outcome) const {
  return count_of(open, outcome);
}

OpenSetScores run_open_set(const LogitSource& source, std::span<const std::int32_t> label,
                           const OpenSetPlan& plan, const Origin& origin) {
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (label[i] >= 0 && label[i] < plan.classes) continue;
    origin.fail(fmt::format("label[{}] is {}; expected 0 to {}", i, label[i], plan.classes - 1));
  }
  OpenSetPlan mine = plan;
  const auto extra = static_cast<std::int32_t>(source.columns()) - plan.classes;
  mine.counts = checked(plan.counts, "a number of further queries", 1, std::max(extra, 1));
  if (extra == 0 && !mine.counts.empty()) {
    fail("openset", "counts of further queries were given, but there are none of these");
  }
  mine.sizes = checked(plan.sizes, "the size of a query set", 1, plan.classes);
  return Pass(source, label, mine).run();
}

std::vector<std::uint32_t> subset_order(std::int32_t classes, std::uint32_t seed) {
  return NumpyRandom(seed).permutation(static_cast<std::size_t>(classes));
}

std::vector<std::int32_t> published_sizes(std::int32_t classes) {
  std::vector<std::int32_t> sizes;
  switch (classes) {
    case 1000:
      sizes = {5, 10, 25, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900};
      break;
    case 101:
      sizes = {5, 10, 20, 35, 50, 75};
      break;
    case 365:
      sizes = {5, 10, 25, 50, 100, 200, 300};
      break;
    case 43:
      sizes = {5, 10, 15, 20, 30};
      break;
    default:
      for (const std::int32_t size : {5, 10, 25, 50, 100}) sizes.push_back(size);
      for (std::int32_t size = 200; size < classes; size += 100) sizes.push_back(size);
  }
  std::erase_if(sizes, [&](std::int32_t size) { return size >= classes; });
  sizes.push_back(classes);
  return sizes;
}

std::vector<std::int32_t> published_counts(std::int32_t extra) {
  std::vector<std::int32_t> counts = {10, 50, 100, 250, 500, 1000, 2500, 5000};
  std::erase_if(counts, [&](std::int32_t count) { return count > extra; });
  return counts;
}

std::vector<Efficacy> efficacies(const OpenSetScores& scores) {
  std::vector<Efficacy> result(static_cast<std::size_t>(scores.extra));
  const std::int32_t classes = scores.plan.classes;
  const OpenSetTest& without = scores.by_extra.front();
  for (std::size_t i = 0; i < scores.images; ++i) {
    if (const std::int32_t m = scores.closed_answer[i] - classes; m >= 0) {
      ++result[static_cast<std::size_t>(m)].closed;
      result[static_cast<std::size_t>(m)].tp_lost += without.closed[i] == ClosedOutcome::kRight;
    }
    if (const std::int32_t m = scores.open_answer[i] - classes; m >= 0) {
      ++result[static_cast<std::size_t>(m)].open;
    }
  }
  return result;
}

}  // namespace openworld
