#include "openworld/doctor/image_pairs.h"

#include <fmt/format.h>

#include "openworld/metrics/metric.h"

namespace openworld {
namespace {

std::string placed(const PlacedImage& image) {
  return image.split.empty() ? image.name : fmt::format("{} ({})", image.name, image.split);
}

}  // namespace

void ImagePairs::add(const PlacedImage& a, const PlacedImage& b) {
  if (a.split != b.split) {
    splits_.push_back(fmt::format("{} = {}", placed(a), placed(b)));
    return;
  }
  const Side side_a = patient_.side_of(a.label), side_b = patient_.side_of(b.label);
  const auto with_sides = [&] {
    return fmt::format("{} ({}) = {} ({})", a.name, side_name(side_a), b.name, side_name(side_b));
  };
  if (side_a != side_b) {
    sides_.push_back(with_sides());
  } else if (a.label != b.label) {
    classes_.push_back(fmt::format("{} = {}", a.name, b.name));
  }
}

std::vector<Finding> ImagePairs::findings() const {
  struct PairKind {
    const std::vector<std::string>& pairs;
    const char* of;
    const char* means;
  };
  const PairKind kinds[] = {
      {splits_, "of different splits",
       "images that are tuned on are tested on, so that results are too good"},
      {sides_, "of different sides",
       "an image cannot be base and new, or known and unknown; metrics of ranking suffer"},
      {classes_, "of different classes of one side", "one of the two labels is wrong"}};
  std::vector<Finding> findings;
  for (const PairKind& kind : kinds) {
    if (kind.pairs.empty()) continue;
    Finding finding;
    finding.what = fmt::format("{}: {} pair{} of {} images {}", where_, kind.pairs.size(),
                               kind.pairs.size() == 1 ? "" : "s", same_, kind.of);
    finding.means = kind.means;
    finding.fix =
        fmt::format("remove one image of each pair; `openworld doctor {} --json` lists all of them",
                    patient_.path);
    finding.examples = kind.pairs;
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace openworld
