#include "openworld/detection/coco_matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <numeric>
#include <span>

#include "openworld/base/error.h"
#include "openworld/base/sort.h"
#include "openworld/base/threads.h"
#include "openworld/detection/work_limit.h"

namespace openworld {
namespace {

constexpr std::size_t kMaxThresholds = 64;

// `count` numbers from `first` to `last`, rounded as numpy.linspace rounds them.
std::vector<double> linspace(double first, double last, int count) {
  std::vector<double> values;
  const double step = (last - first) / (count - 1);
  for (int i = 0; i < count; ++i) {
    const double offset = i * step;
    values.push_back(offset + first);
  }
  values.back() = last;
  return values;
}

void check(const CocoParams& params) {
  const auto refuse = [](std::string message) { fail("detect", message); };
  if (params.iou_thresholds.empty() || params.iou_thresholds.size() > kMaxThresholds) {
    refuse(fmt::format("{} IoU thresholds; expected 1 to {}", params.iou_thresholds.size(),
                       kMaxThresholds));
  }
  for (const auto& [name, values] :
       {std::pair{"IoU", &params.iou_thresholds}, std::pair{"recall", &params.recall_thresholds}}) {
    for (const double value : *values) {
      if (!(value >= 0 && value <= 1)) {
        refuse(fmt::format("{} threshold {}; expected 0 to 1", name, value));
      }
    }
  }
  if (params.area_ranges.empty()) refuse("no area ranges; expected one or more");
  if (params.max_dets.empty() || !std::is_sorted(params.max_dets.begin(), params.max_dets.end()) ||
      params.max_dets[0] < 1) {
    refuse("max_dets is not a list of ascending numbers of detections, 1 or more");
  }
}

std::vector<std::uint32_t> all_of(std::size_t count) {
  std::vector<std::uint32_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0u);
  return indices;
}

// Position of each wanted index, or kUnwanted.
constexpr std::uint32_t kUnwanted = std::numeric_limits<std::uint32_t>::max();
std::vector<std::uint32_t> places(const std::vector<std::uint32_t>& wanted, std::size_t count) {
  std::vector<std::uint32_t> places(count, kUnwanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) places[wanted[i]] = static_cast<std::uint32_t>(i);
  return places;
}

// Indices of items, grouped by category and, within it, by image; in the order of the file within
// an image, or by category and then in the order of the file where all categories are one.
struct Groups {
  std::vector<std::uint32_t> order;
  std::vector<std::size_t> begin;  // of each category, and the end
};

// Stable counting sort of `order` by key(index) < keys.
template <class Key>
void counting_sort(std::vector<std::uint32_t>& order, std::size_t keys, const Key& key,
                   std::vector<std::size_t>& begin) {
  begin.assign(keys + 1, 0);
  for (const std::uint32_t i : order) ++begin[key(i) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> sorted(order.size());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (const std::uint32_t i : order) sorted[next[key(i)]++] = i;
  order.swap(sorted);
}

template <class Item>
Groups group(const std::vector<Item>& items, const std::vector<std::uint32_t>& image_place,
             std::size_t images, const std::vector<std::uint32_t>& category_place,
             std::size_t categories, bool use_categories) {
  Groups groups;
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    if (image_place[items[i].image] != kUnwanted &&
        category_place[items[i].category] != kUnwanted) {
      groups.order.push_back(i);
    }
  }
  const auto by_image = [&](std::uint32_t i) { return image_place[items[i].image]; };
  const auto by_category = [&](std::uint32_t i) { return category_place[items[i].category]; };
  std::vector<std::size_t> unused;
  if (use_categories) {
    counting_sort(groups.order, images, by_image, unused);
    counting_sort(groups.order, categories, by_category, groups.begin);
  } else {
    counting_sort(groups.order, categories, by_category, unused);
    counting_sort(groups.order, images, by_image, unused);
    groups.begin = {0, groups.order.size()};
  }
  return groups;
}

// Bits whose unsigned order is the descending order of scores; -0.0 equals 0.0.
std::uint64_t descending_key(double score) {
  const auto bits = std::bit_cast<std::uint64_t>(score + 0.0);
  const std::uint64_t ascending = bits >> 63 ? ~bits : bits | (std::uint64_t{1} << 63);
  return ~ascending;
}

// Matches the detections of one category, image after image.
class CategoryMatcher {
 public:
  // `steps` counts those of all categories.
  CategoryMatcher(const CocoAnnotations& annotations, const CocoResults& results,
                  const CocoParams& params, std::atomic<std::uint64_t>& steps)
      : annotations_(annotations), results_(results), params_(params), steps_(steps) {
    found_.by_area.resize(params.area_ranges.size());
  }

  // REQUIRES: `objects` and `detections` are those of one image, whose place is `image`.
  void match(std::uint32_t image, std::span<const std::uint32_t> objects,
             std::span<const std::uint32_t> detections) {
    best_.assign(detections.begin(), detections.end());
    std::stable_sort(best_.begin(), best_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return results_.detections[a].score > results_.detections[b].score;
    });
    const auto limit = static_cast<std::size_t>(params_.max_dets.back());
    if (best_.size() > limit) best_.resize(limit);
    for (std::size_t d = 0; d < best_.size(); ++d) {
      found_.score.push_back(results_.detections[best_[d]].score);
      found_.image.push_back(image);
      found_.rank.push_back(static_cast<std::uint32_t>(d));
    }
    if (params_.type == IouType::kMask) request_runs(objects);
    fill_ious(objects);
    for (std::size_t a = 0; a < params_.area_ranges.size(); ++a) match_area(a, image, objects);
  }

  // In descending order of score.
  CategoryMatches finish() {
    const std::size_t size = found_.score.size();
    std::vector<Word128> words(size);
    for (std::size_t i = 0; i < size; ++i) words[i] = {i, descending_key(found_.score[i])};
    sort_words(std::span<Word128>(words));
    const auto reorder = [&](auto& values) {
      auto sorted = values;
      for (std::size_t i = 0; i < size; ++i) sorted[i] = values[words[i].low];
      values.swap(sorted);
    };
    reorder(found_.score);
    reorder(found_.image);
    reorder(found_.rank);
    for (auto& verdicts : found_.by_area) {
      reorder(verdicts.matched);
      reorder(verdicts.ignored);
    }
    return std::move(found_);
  }

 private:
  // Two masks are compared run by run.
  void request_runs(std::span<const std::uint32_t> objects) {
    std::uint64_t of_detections = 0, of_objects = 0;
    for (const std::uint32_t d : best_) of_detections += results_.masks[d].runs.size();
    for (const std::uint32_t g : objects) of_objects += annotations_.masks[g].runs.size();
    const std::uint64_t steps = of_detections * objects.size() + of_objects * best_.size();
    request_steps(steps_ += steps, annotations_.file_bytes + results_.file_bytes, "masks");
  }

  void fill_ious(std::span<const std::uint32_t> objects) {
    ious_.resize(best_.size() * objects.size());
    double* iou = ious_.data();
    for (const std::uint32_t d : best_) {
      for (const std::uint32_t g : objects) {
        const bool crowd = annotations_.objects[g].crowd;
        *iou++ = params_.type == IouType::kBox
                     ? box_iou(results_.detections[d].box, annotations_.objects[g].box, crowd)
                     : mask_iou(results_.masks[d], annotations_.masks[g], crowd);
      }
    }
  }

  void match_area(std::size_t area, std::uint32_t image, std::span<const std::uint32_t> objects) {
    const auto [low, high] = params_.area_ranges[area];
    const auto outside = [&, low = low, high = high](double size) {
      return size < low || size > high;
    };
    // Objects that count first, each part in the order of the file.
    order_.clear();
    ignored_.resize(objects.size());
    std::uint32_t counting = 0;
    for (std::size_t g = 0; g < objects.size(); ++g) {
      const CocoObject& object = annotations_.objects[objects[g]];
      ignored_[g] = object.crowd || outside(object.area);
      if (!ignored_[g]) order_.push_back(static_cast<std::uint32_t>(g));
    }
    counting = static_cast<std::uint32_t>(order_.size());
    for (std::size_t g = 0; g < objects.size(); ++g) {
      if (ignored_[g]) order_.push_back(static_cast<std::uint32_t>(g));
    }
    auto& verdicts = found_.by_area[area];
    if (counting > 0) verdicts.objects.emplace_back(image, counting);
    const std::size_t first = verdicts.matched.size();
    verdicts.matched.resize(first + best_.size());
    verdicts.ignored.resize(first + best_.size());
    if (!objects.empty()) {
      for (std::size_t t = 0; t < params_.iou_thresholds.size(); ++t) {
        match_threshold(t, objects, &verdicts.matched[first], &verdicts.ignored[first]);
      }
    }
    const std::size_t thresholds = params_.iou_thresholds.size();
    const std::uint64_t every =
        thresholds == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << thresholds) - 1;
    for (std::size_t d = 0; d < best_.size(); ++d) {
      if (outside(results_.area(best_[d]))) {
        verdicts.ignored[first + d] |= every & ~verdicts.matched[first + d];
      }
    }
  }

  void match_threshold(std::size_t t, std::span<const std::uint32_t> objects,
                       std::uint64_t* matched, std::uint64_t* ignored) {
    const std::uint64_t bit = std::uint64_t{1} << t;
    taken_.assign(objects.size(), 0);
    for (std::size_t d = 0; d < best_.size(); ++d) {
      const double* iou = &ious_[d * objects.size()];
      double bound = std::min(params_.iou_thresholds[t], 1 - 1e-10);
      std::uint32_t best = kUnwanted;
      for (const std::uint32_t g : order_) {
        if (taken_[g] && !annotations_.objects[objects[g]].crowd) continue;
        if (best != kUnwanted && !ignored_[best] && ignored_[g]) break;
        if (iou[g] < bound) continue;
        bound = iou[g];
        best = g;
      }
      if (best == kUnwanted) continue;
      taken_[best] = 1;
      if (ignored_[best]) ignored[d] |= bit;
      if (annotations_.objects[objects[best]].id != 0) matched[d] |= bit;
    }
  }

  const CocoAnnotations& annotations_;
  const CocoResults& results_;
  const CocoParams& params_;
  std::atomic<std::uint64_t>& steps_;
  CategoryMatches found_;
  std::vector<std::uint32_t> best_;  // detections of the image, best first
  std::vector<double> ious_;         // [best, objects]
  std::vector<std::uint32_t> order_;
  std::vector<std::uint8_t> ignored_, taken_;
};

}  // namespace

CocoParams::CocoParams()
    : iou_thresholds(linspace(0.5, 0.95, 10)),
      recall_thresholds(linspace(0, 1, 101)),
      area_ranges{{0, 1e10}, {0, 32.0 * 32}, {32.0 * 32, 96.0 * 96}, {96.0 * 96, 1e10}} {}

std::vector<CategoryMatches> match_detections(const CocoAnnotations& annotations,
                                              const CocoResults& results,
                                              const CocoParams& params) {
  check(params);
  const auto images = params.images.empty() ? all_of(annotations.images.size()) : params.images;
  const auto categories =
      params.categories.empty() ? all_of(annotations.categories.size()) : params.categories;
  const auto image_place = places(images, annotations.images.size());
  const auto category_place = places(categories, annotations.categories.size());
  const auto group_all = [&](const auto& items) {
    return group(items, image_place, images.size(), category_place, categories.size(),
                 params.use_categories);
  };
  const Groups objects = group_all(annotations.objects);
  const Groups detections = group_all(results.detections);
  std::vector<CategoryMatches> matches(params.use_categories ? categories.size() : 1);
  std::atomic<std::uint64_t> steps = 0;
  parallel_for(matches.size(), params.threads, [&](std::size_t k) {
    CategoryMatcher matcher(annotations, results, params, steps);
    std::size_t g = objects.begin[k], d = detections.begin[k];
    const std::size_t g_end = objects.begin[k + 1], d_end = detections.begin[k + 1];
    const auto object_image = [&](std::size_t i) {
      return i < g_end ? image_place[annotations.objects[objects.order[i]].image] : kUnwanted;
    };
    const auto detection_image = [&](std::size_t i) {
      return i < d_end ? image_place[results.detections[detections.order[i]].image] : kUnwanted;
    };
    while (g < g_end || d < d_end) {
      const std::uint32_t image = std::min(object_image(g), detection_image(d));
      const std::size_t g_first = g, d_first = d;
      while (object_image(g) == image) ++g;
      while (detection_image(d) == image) ++d;
      matcher.match(image, std::span(objects.order).subspan(g_first, g - g_first),
                    std::span(detections.order).subspan(d_first, d - d_first));
    }
    matches[k] = matcher.finish();
  });
  return matches;
}

}  // namespace openworld
