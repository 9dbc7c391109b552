#include "openworld/detection/coco_resampling.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace openworld {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// True positives of one threshold in one walk: how many weighted ones so far, and how many
// detections counted. Copies of a detection follow one another, and precision rises over them, so
// that the last one speaks for all.
struct Hit {
  std::uint32_t right;
  std::uint32_t live;
};

struct Curve {
  std::vector<Hit> hits;
  std::uint32_t extra = 0;
  std::uint32_t right = 0;
};

// The sum of the precisions at the recall thresholds.
double precision_sum(std::vector<Hit>& hits, std::vector<double>& best, std::uint64_t objects,
                     const std::vector<double>& recalls) {
  if (hits.empty()) return 0;
  best.resize(hits.size());
  double largest = 0;
  for (std::size_t j = hits.size(); j-- > 0;) {
    largest = std::max(largest, hits[j].right / (static_cast<double>(hits[j].live) +
                                                 std::numeric_limits<double>::epsilon()));
    best[j] = largest;
  }
  double sum = 0;
  std::size_t j = 0;
  for (const double wanted : recalls) {
    while (j < hits.size() && hits[j].right / static_cast<double>(objects) < wanted) ++j;
    if (j == hits.size()) break;
    sum += best[j];
  }
  return sum;
}

std::size_t index_of(const std::vector<double>& values, double wanted) {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), wanted) - values.begin());
}

}  // namespace

// Sums over categories with objects, and how many those are.
struct CocoResampling::Sums {
  std::array<double, kCocoStats> sum{};
  std::array<std::uint32_t, kCocoStats> count{};

  void add(std::size_t statistic, double value) {
    sum[statistic] += value;
    ++count[statistic];
  }
};

CocoResampling::CocoResampling(const std::vector<CategoryMatches>& matches,
                               const CocoParams& params)
    : matches_(matches), params_(params) {}

void CocoResampling::add_category(std::size_t k, std::span<const std::uint8_t> weights, Sums& sums,
                                  double& category_ap) const {
  thread_local std::vector<Curve> curves;
  thread_local std::vector<double> best;
  const CategoryMatches& matches = matches_[k];
  const std::size_t thresholds = params_.iou_thresholds.size();
  const double cells = static_cast<double>(thresholds * params_.recall_thresholds.size());
  const std::uint64_t every =
      thresholds == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << thresholds) - 1;
  for (std::size_t a = 0; a < params_.area_ranges.size(); ++a) {
    const auto& verdicts = matches.by_area[a];
    std::uint64_t objects = 0;
    for (const auto& [image, count] : verdicts.objects) {
      objects += std::uint64_t{count} * weights[image];
    }
    if (objects == 0) continue;
    curves.resize(thresholds);
    for (Curve& curve : curves) {
      curve.hits.clear();
      curve.extra = curve.right = 0;
    }
    std::uint32_t common = 0;
    std::uint64_t right_1 = 0, right_10 = 0;
    for (std::size_t i = 0; i < matches.score.size(); ++i) {
      const std::uint32_t weight = weights[matches.image[i]];
      const std::uint64_t live = every & ~verdicts.ignored[i];
      const std::uint64_t matched = verdicts.matched[i];
      if (live == every && matched == 0) {
        common += weight;
        continue;
      }
      if (weight == 0) continue;
      for (std::uint64_t rest = live; rest != 0; rest &= rest - 1) {
        Curve& curve = curves[std::countr_zero(rest)];
        curve.extra += weight;
        if (!(matched & (rest & -rest))) continue;
        curve.right += weight;
        curve.hits.push_back({curve.right, common + curve.extra});
      }
      if (a == 0) {
        const auto right = static_cast<std::uint64_t>(std::popcount(live & matched)) * weight;
        if (matches.rank[i] < params_.max_dets[0]) right_1 += right;
        if (matches.rank[i] < params_.max_dets[1]) right_10 += right;
      }
    }
    double all = 0, recall = 0;
    const double total = static_cast<double>(objects) * static_cast<double>(thresholds);
    for (std::size_t t = 0; t < thresholds; ++t) {
      const double sum = precision_sum(curves[t].hits, best, objects, params_.recall_thresholds);
      all += sum;
      recall += curves[t].right;
      const double mean = sum / static_cast<double>(params_.recall_thresholds.size());
      if (a == 0 && t == index_of(params_.iou_thresholds, 0.5)) sums.add(1, mean);
      if (a == 0 && t == index_of(params_.iou_thresholds, 0.75)) sums.add(2, mean);
    }
    if (a == 0) {
      category_ap = all / cells;
      sums.add(0, category_ap);
      sums.add(6, static_cast<double>(right_1) / total);
      sums.add(7, static_cast<double>(right_10) / total);
      sums.add(8, recall / total);
    } else {
      sums.add(2 + a, all / cells);
      sums.add(8 + a, recall / total);
    }
  }
}

void CocoResampling::evaluate(std::span<const std::uint8_t> weights,
                              std::span<double> values) const {
  Sums sums;
  for (std::size_t k = 0; k < matches_.size(); ++k) {
    values[kCocoStats + k] = kNaN;
    add_category(k, weights, sums, values[kCocoStats + k]);
  }
  for (std::size_t s = 0; s < kCocoStats; ++s) {
    values[s] = sums.count[s] > 0 ? sums.sum[s] / sums.count[s] : kNaN;
  }
}

std::vector<BootstrapResult> coco_intervals(const CocoResampling& resampling, std::size_t images,
                                            const BootstrapOptions& options) {
  const Resampler resampler(std::vector<std::uint8_t>(images, 0), options.seed);
  const std::size_t statistics = resampling.statistics();
  const Replicates replicates = replicate(
      resampler, statistics,
      [&](std::span<const std::uint8_t> weights, std::span<double> values) {
        resampling.evaluate(weights, values);
      },
      options);
  std::vector<double> estimates(statistics);
  resampling.evaluate(std::vector<std::uint8_t>(images, 1), estimates);
  std::vector<BootstrapResult> results;
  for (std::size_t s = 0; s < statistics; ++s) {
    results.push_back(interval_from_replicates(estimates[s], replicates, s, options));
  }
  return results;
}

std::vector<CocoDifference> coco_differences(const CocoResampling& first,
                                             const CocoResampling& second, std::size_t images,
                                             const BootstrapOptions& options) {
  const Resampler resampler(std::vector<std::uint8_t>(images, 0), options.seed);
  const std::size_t statistics = first.statistics();
  const auto difference = [&](std::span<const std::uint8_t> weights, std::span<double> values) {
    thread_local std::vector<double> other;
    other.resize(statistics);
    first.evaluate(weights, other);
    second.evaluate(weights, values);
    for (std::size_t s = 0; s < statistics; ++s) values[s] -= other[s];
  };
  const Replicates replicates = replicate(resampler, statistics, difference, options);
  const std::vector<std::uint8_t> once(images, 1);
  std::vector<double> a(statistics), b(statistics);
  first.evaluate(once, a);
  second.evaluate(once, b);
  std::vector<CocoDifference> results(statistics);
  for (std::size_t s = 0; s < statistics; ++s) {
    results[s] = {a[s], b[s], b[s] - a[s],
                  interval_from_replicates(b[s] - a[s], replicates, s, options),
                  bootstrap_p_value(replicates.drawn[s])};
  }
  return results;
}

}  // namespace openworld
