#pragma once

// Detections of an open-set test, in the format of openset_vlms (Miller et al., "Open-Set
// Recognition in the Age of Vision-Language Models", ECCV 2024):
//
//   {"unc-types": [["scores", "low"], ["entropy", "high"], ...],
//    "detections": {"000000000139.jpg": {
//       "all":      {"boxes": [[x1, y1, x2, y2], ...], "labels": ["person", ...],
//                    "scores": [0.99, ...], "entropy": [...], ...},
//       "open-set": {the same}}, ...}}
//
// "all" are the detections when the detector is asked for every class, "open-set" those when it is
// asked for classes that are not in the image. "low" and "high" say which end of an uncertainty is
// the uncertain one. A value may be a list of one number. Read by windows, as COCO's results are.

#include <cstdint>
#include <string>
#include <vector>

#include "openworld/detection/coco.h"
#include "openworld/detection/json_input.h"

namespace openworld {

struct Uncertainty {
  std::string name;
  bool low_is_uncertain = true;
};

// A box by two corners, as the file has it.
struct Corners {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

// The detections of one run over all images, in the order of the file.
struct OpenSetRun {
  std::vector<std::uint32_t> image;     // index into the annotations' images
  std::vector<std::uint32_t> category;  // the same for categories
  std::vector<Corners> box;
  std::vector<double> score;
  std::vector<std::vector<double>> values;  // [uncertainty][detection]; as the file has them

  std::size_t size() const { return image.size(); }
};

struct OpenSetFile {
  std::vector<Uncertainty> uncertainties;
  OpenSetRun all;
  OpenSetRun open_set;
  std::vector<std::uint32_t> images;  // in the order of the file
  std::string path;
  std::uint64_t file_bytes = 0;  // of JSON
};

// Throws Error, which names the file and the image, for images that the annotations do not name or
// that have no object there, labels that are no category, lists of different lengths, boxes of
// negative size, and scores outside of [0, 1] unless `any_score`.
OpenSetFile read_openset_file(const JsonInput& input, const CocoAnnotations& annotations,
                              bool any_score = false);

}  // namespace openworld
