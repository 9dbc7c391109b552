#include "openworld/detection/coco_eval.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <span>

#include "openworld/base/threads.h"

namespace openworld {
namespace {

// Where each threshold stands on its precision-recall curve, and its true positives so far.
struct Lanes {
  struct Hit {
    std::uint32_t live;  // detections that count, up to and with this one
    std::uint32_t at;    // its place in the order of scores
  };
  std::vector<std::vector<Hit>> hits;  // by threshold
  std::vector<std::uint32_t> extra;
  std::uint32_t common = 0;  // live at every threshold and matched at none
  std::uint32_t seen = 0;
  std::uint32_t first = 0;  // place of the first detection
};

void walk(const CategoryMatches& matches, std::size_t area, std::int64_t limit,
          std::size_t thresholds, Lanes& lanes) {
  lanes.hits.resize(thresholds);
  for (auto& hits : lanes.hits) hits.clear();
  lanes.extra.assign(thresholds, 0);
  lanes.common = lanes.seen = 0;
  const auto& verdicts = matches.by_area[area];
  const std::uint64_t every =
      thresholds == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << thresholds) - 1;
  for (std::uint32_t i = 0; i < matches.score.size(); ++i) {
    if (matches.rank[i] >= limit) continue;
    if (lanes.seen++ == 0) lanes.first = i;
    const std::uint64_t live = every & ~verdicts.ignored[i];
    if (live == 0) continue;
    if (live == every && verdicts.matched[i] == 0) {
      ++lanes.common;
      continue;
    }
    for (std::uint64_t rest = live; rest != 0; rest &= rest - 1) {
      const int t = std::countr_zero(rest);
      ++lanes.extra[t];
      if (verdicts.matched[i] >> t & 1) {
        lanes.hits[t].push_back({lanes.common + lanes.extra[t], i});
      }
    }
  }
}

// Reads one curve at the recall thresholds. Precision falls between true positives and recall does
// not rise, so that both are decided at the true positives and, for a recall of 0, at the start.
class CurveReader {
 public:
  CurveReader(const CocoParams& params) : recalls_(params.recall_thresholds) {}

  template <class Store>
  double read(const CategoryMatches& matches, const Lanes& lanes, std::size_t t,
              std::uint32_t objects, const Store& store) {
    const auto& hits = lanes.hits[t];
    if (lanes.seen == 0) return 0;
    best_.resize(hits.size() + 1);
    best_[hits.size()] = 0;
    for (std::size_t j = hits.size(); j-- > 0;) {
      const double precision =
          static_cast<double>(j + 1) /
          (static_cast<double>(hits[j].live) + std::numeric_limits<double>::epsilon());
      best_[j] = std::max(precision, best_[j + 1]);
    }
    std::size_t j = 0;
    double before = 0;
    for (std::size_t r = 0; r < recalls_.size(); ++r) {
      const double wanted = recalls_[r];
      if (wanted <= 0) {  // the first point, whatever it is
        store(r, best_[0], matches.score[lanes.first]);
        continue;
      }
      if (wanted < before) j = 0;
      before = wanted;
      while (j < hits.size() && static_cast<double>(j + 1) / objects < wanted) ++j;
      if (j == hits.size()) break;
      store(r, best_[j], matches.score[hits[j].at]);
    }
    return static_cast<double>(hits.size()) / objects;
  }

 private:
  const std::vector<double>& recalls_;
  std::vector<double> best_;  // largest precision from here on
};

// Sum of one buffer of NumPy: eight sums in blocks of 128, halves above.
double buffer_sum(std::span<const double> values) {
  const std::size_t n = values.size();
  if (n < 8) {
    double sum = -0.0;
    for (const double value : values) sum += value;
    return sum;
  }
  if (n <= 128) {
    double r[8];
    for (int k = 0; k < 8; ++k) r[k] = values[k];
    std::size_t i = 8;
    for (; i + 8 <= n; i += 8) {
      for (int k = 0; k < 8; ++k) r[k] += values[i + k];
    }
    double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; ++i) sum += values[i];
    return sum;
  }
  std::size_t half = n / 2;
  half -= half % 8;
  return buffer_sum(values.first(half)) + buffer_sum(values.subspan(half));
}

// numpy.mean, which reduces 8,192 values at a time; -1 where there are none.
double numpy_mean(std::span<const double> values) {
  constexpr std::size_t kBuffer = 8192;
  if (values.empty()) return -1;
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); i += kBuffer) {
    sum += buffer_sum(values.subspan(i, std::min(kBuffer, values.size() - i)));
  }
  return sum / static_cast<double>(values.size());
}

// [first, last) of one dimension: all of it, or one.
std::pair<std::size_t, std::size_t> range(std::size_t one, std::size_t count) {
  return one == kAllOf ? std::pair<std::size_t, std::size_t>(0, count) : std::pair(one, one + 1);
}

// The same for the categories that were kept; empty for one that was not.
std::pair<std::size_t, std::size_t> kept_range(std::size_t one, const CocoEvaluation& e) {
  if (one == kAllOf) return {0, e.kept.size()};
  const auto at = std::ranges::lower_bound(e.kept, one);
  const auto place = static_cast<std::size_t>(at - e.kept.begin());
  return {place, place + (at != e.kept.end() && *at == one ? 1 : 0)};
}

bool has_objects(const CategoryMatches& matches) {
  return std::ranges::any_of(matches.by_area,
                             [](const auto& area) { return !area.objects.empty(); });
}

}  // namespace

std::uint64_t means_bytes(const std::vector<CategoryMatches>& matches, const CocoParams& params) {
  const auto kept = static_cast<std::uint64_t>(std::ranges::count_if(matches, has_objects));
  return kept * params.iou_thresholds.size() * params.area_ranges.size() *
         (params.recall_thresholds.size() + params.max_dets.size()) * sizeof(double);
}

CocoEvaluation accumulate(const std::vector<CategoryMatches>& matches, const CocoParams& params,
                          CocoArrays arrays) {
  const bool all = arrays == CocoArrays::kAll;
  CocoEvaluation result;
  result.thresholds = params.iou_thresholds.size();
  result.recalls = params.recall_thresholds.size();
  result.categories = matches.size();
  result.areas = params.area_ranges.size();
  result.limits = params.max_dets.size();
  for (std::size_t k = 0; k < matches.size(); ++k) {
    if (all || has_objects(matches[k])) result.kept.push_back(k);
  }
  result.first_limit = all ? 0 : result.limits - 1;
  const std::size_t rows = result.kept.size() * result.areas;
  const std::size_t cells = rows * result.limits;
  const std::size_t curves = rows * (result.limits - result.first_limit);
  result.precision.assign(result.thresholds * result.recalls * curves, -1.0);
  if (all) result.scores = result.precision;
  result.recall.assign(result.thresholds * cells, -1.0);
  parallel_for(result.kept.size(), params.threads, [&](std::size_t place) {
    const std::size_t k = result.kept[place];
    Lanes lanes;
    CurveReader reader(params);
    for (std::size_t a = 0; a < result.areas; ++a) {
      std::uint32_t objects = 0;
      for (const auto& [image, count] : matches[k].by_area[a].objects) objects += count;
      if (objects == 0) continue;
      for (std::size_t m = 0; m < result.limits; ++m) {
        walk(matches[k], a, params.max_dets[m], result.thresholds, lanes);
        const std::size_t row = place * result.areas + a;
        const bool drawn = m >= result.first_limit;
        const std::size_t curve =
            row * (result.limits - result.first_limit) + (m - result.first_limit);
        for (std::size_t t = 0; t < result.thresholds; ++t) {
          const auto at = [&](std::size_t r) { return (t * result.recalls + r) * curves + curve; };
          for (std::size_t r = 0; drawn && r < result.recalls; ++r) {
            result.precision[at(r)] = 0;
            if (all) result.scores[at(r)] = 0;
          }
          result.recall[t * cells + row * result.limits + m] = reader.read(
              matches[k], lanes, t, objects, [&](std::size_t r, double precision, double score) {
                if (drawn) result.precision[at(r)] = precision;
                if (all) result.scores[at(r)] = score;
              });
        }
      }
    }
  });
  return result;
}

double mean_precision(const CocoEvaluation& e, std::size_t area, std::size_t limit,
                      std::size_t threshold, std::size_t category) {
  assert(limit >= e.first_limit);
  std::vector<double> values;
  const std::size_t limits = e.limits - e.first_limit, categories = e.kept.size();
  const auto [t_first, t_last] = range(threshold, e.thresholds);
  const auto [k_first, k_last] = kept_range(category, e);
  for (std::size_t t = t_first; t < t_last; ++t) {
    for (std::size_t r = 0; r < e.recalls; ++r) {
      for (std::size_t k = k_first; k < k_last; ++k) {
        const double value =
            e.precision[(((t * e.recalls + r) * categories + k) * e.areas + area) * limits + limit -
                        e.first_limit];
        if (value > -1) values.push_back(value);
      }
    }
  }
  return numpy_mean(values);
}

double mean_recall(const CocoEvaluation& e, std::size_t area, std::size_t limit,
                   std::size_t threshold, std::size_t category) {
  std::vector<double> values;
  const auto [t_first, t_last] = range(threshold, e.thresholds);
  const auto [k_first, k_last] = kept_range(category, e);
  for (std::size_t t = t_first; t < t_last; ++t) {
    for (std::size_t k = k_first; k < k_last; ++k) {
      const double value = e.recall[((t * e.kept.size() + k) * e.areas + area) * e.limits + limit];
      if (value > -1) values.push_back(value);
    }
  }
  return numpy_mean(values);
}

}  // namespace openworld
