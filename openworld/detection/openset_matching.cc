#include "openworld/detection/openset_matching.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "openworld/detection/work_limit.h"

namespace openworld {
namespace {

constexpr double kIou = 0.5;
// A false positive that overlaps an object of another class by more is a closed-set error (the
// paper's supplement, S5).
constexpr double kOverlap = 0.1;

Corners corners(const Box& box) {
  return {box.x, box.y, box.x + box.width, box.y + box.height};
}

double iou(const Corners& a, const Corners& b, double pixel) {
  const double width = std::max(std::min(a.x2, b.x2) - std::max(a.x1, b.x1) + pixel, 0.0);
  const double height = std::max(std::min(a.y2, b.y2) - std::max(a.y1, b.y1) + pixel, 0.0);
  const double both = width * height;
  if (both <= 0) return 0;
  const double area_a = (a.x2 - a.x1 + pixel) * (a.y2 - a.y1 + pixel);
  const double area_b = (b.x2 - b.x1 + pixel) * (b.y2 - b.y1 + pixel);
  return both / (area_a + area_b - both);
}

// Matches the detections of one image.
class ImageMatcher {
 public:
  ImageMatcher(const CocoAnnotations& annotations, const OpenSetRun& run, OpenSetMatching matching,
               std::vector<OpenSetVerdict>& verdicts)
      : annotations_(annotations), run_(run), matching_(matching), verdicts_(verdicts) {}

  // `detections` and `objects` are indices of those of the image.
  void match(std::span<const std::uint32_t> detections, std::span<const std::uint32_t> objects) {
    order_.assign(detections.begin(), detections.end());
    const bool published = matching_ == OpenSetMatching::kPublished;
    if (published) std::reverse(order_.begin(), order_.end());
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return run_.score[a] > run_.score[b];
    });
    objects_.assign(objects.begin(), objects.end());
    std::stable_partition(objects_.begin(), objects_.end(),
                          [&](std::uint32_t g) { return !annotations_.objects[g].crowd; });
    taken_.assign(objects_.size(), false);
    bounds_.resize(annotations_.categories.size());
    for (const std::uint32_t d : order_) bounds_[run_.category[d]] = kIou;
    for (const std::uint32_t d : order_) {
      double& kept = bounds_[run_.category[d]];
      double bound = published ? kept : kIou;
      match_one(d, bound);
      kept = bound;
    }
    for (const std::uint32_t d : detections) {
      if (verdicts_[d] == OpenSetVerdict::kUnmatched && misclassified(d)) {
        verdicts_[d] = OpenSetVerdict::kClosedError;
      }
    }
  }

 private:
  double pixel() const { return matching_ == OpenSetMatching::kPublished ? 1.0 : 0.0; }

  void match_one(std::uint32_t d, double& bound) {
    std::size_t best = objects_.size();
    for (std::size_t g = 0; g < objects_.size(); ++g) {
      const CocoObject& object = annotations_.objects[objects_[g]];
      if (object.category != run_.category[d]) continue;
      if (taken_[g] && !object.crowd) continue;
      if (best < objects_.size() && object.crowd && !annotations_.objects[objects_[best]].crowd) {
        break;
      }
      const double overlap = iou(run_.box[d], corners(object.box), pixel());
      if (overlap < bound) continue;
      bound = overlap;
      best = g;
    }
    if (best == objects_.size()) return;
    taken_[best] = true;
    verdicts_[d] = annotations_.objects[objects_[best]].crowd ? OpenSetVerdict::kCrowd
                                                              : OpenSetVerdict::kTruePositive;
  }

  bool misclassified(std::uint32_t d) const {
    double largest = kOverlap;
    bool other = false;
    for (const std::uint32_t g : objects_) {
      const CocoObject& object = annotations_.objects[g];
      const double overlap = iou(run_.box[d], corners(object.box), pixel());
      if (overlap > largest) {
        largest = overlap;
        other = object.category != run_.category[d];
      }
    }
    return other;
  }

  const CocoAnnotations& annotations_;
  const OpenSetRun& run_;
  OpenSetMatching matching_;
  std::vector<OpenSetVerdict>& verdicts_;
  std::vector<std::uint32_t> order_, objects_;
  std::vector<bool> taken_;
  std::vector<double> bounds_;  // by category
};

// Indices of items by image: those of image i are [begin[i], begin[i + 1]).
struct ByImage {
  std::vector<std::size_t> begin;
  std::vector<std::uint32_t> order;

  template <class Image>
  ByImage(std::size_t images, std::size_t items, const Image& image)
      : begin(images + 1, 0), order(items) {
    for (std::size_t i = 0; i < items; ++i) ++begin[image(i) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < items; ++i) order[next[image(i)]++] = static_cast<std::uint32_t>(i);
  }

  std::span<const std::uint32_t> of(std::size_t image) const {
    return std::span(order).subspan(begin[image], begin[image + 1] - begin[image]);
  }
};

}  // namespace

std::string_view openset_matching_name(OpenSetMatching matching) {
  return matching == OpenSetMatching::kCorrected ? "corrected" : "published";
}

std::vector<OpenSetVerdict> match_openset(const CocoAnnotations& annotations,
                                          const OpenSetFile& file, OpenSetMatching matching) {
  std::vector<OpenSetVerdict> verdicts(file.all.size(), OpenSetVerdict::kUnmatched);
  const std::size_t images = annotations.images.size();
  const ByImage objects(images, annotations.objects.size(),
                        [&](std::size_t i) { return annotations.objects[i].image; });
  const ByImage detections(images, file.all.size(),
                           [&](std::size_t i) { return file.all.image[i]; });
  // A detection is compared with an object at most twice, at some 3 ns.
  std::uint64_t steps = 0;
  for (const std::uint32_t image : file.images) {
    steps += std::uint64_t{4} * detections.of(image).size() * objects.of(image).size();
  }
  request_steps(steps, annotations.file_bytes + file.file_bytes, "boxes");
  ImageMatcher matcher(annotations, file.all, matching, verdicts);
  for (const std::uint32_t image : file.images) {
    matcher.match(detections.of(image), objects.of(image));
  }
  return verdicts;
}

}  // namespace openworld
