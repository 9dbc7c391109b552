#pragma once

// Which detections of an open-set test are true positives: greedy matching at an IoU of 0.5, per
// image and class, detections in descending order of score, each to the free object with the
// largest IoU; crowds last, which may be matched again and again and count as true positives.
//
//   corrected  as COCO matches: each detection needs an IoU of 0.5, IoU of the boxes as they are,
//              equal scores in the order of the file
//   published  as the code of the paper does, for its numbers: the bound on the IoU starts at 0.5
//              once per image and class and is never reset, so that after a match at 0.9 later
//              detections need 0.9; boxes are one pixel larger (x2 - x1 + 1); equal scores in the
//              reverse of the order of the file
//
// Two disjoint pairs with an IoU of 0.9 and 0.8 are two true positives corrected, one published.

#include <cstdint>
#include <string_view>
#include <vector>

#include "openworld/detection/openset_file.h"

namespace openworld {

enum class OpenSetMatching { kCorrected, kPublished };

std::string_view openset_matching_name(OpenSetMatching matching);

enum class OpenSetVerdict : std::uint8_t {
  kUnmatched,
  kClosedError,  // unmatched; overlaps an object of another class most, by more than 0.1
  kTruePositive,
  kCrowd,  // matched to a crowd
};

// One per detection of the run `all`.
std::vector<OpenSetVerdict> match_openset(const CocoAnnotations& annotations,
                                          const OpenSetFile& file, OpenSetMatching matching);

}  // namespace openworld
