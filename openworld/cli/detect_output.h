#pragma once

// What `openworld detect` prints: tables for people, JSON for programs.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "openworld/detection/detection_evaluation.h"
#include "openworld/detection/openset_eval.h"
#include "openworld/report/text_document.h"

namespace openworld {

// COCO's summary with intervals of that level, and the categories where `per_class`.
TextDocument detection_text(const DetectionEvaluation& evaluation, const CocoParams& params,
                            double level, bool per_class);
nlohmann::ordered_json detection_json(const DetectionEvaluation& evaluation);

// Differences of the twelve numbers, second less first.
TextTable difference_table(const std::string& first, const std::string& second,
                           const std::vector<CocoDifference>& differences, double level);
nlohmann::ordered_json difference_json(const std::vector<CocoDifference>& differences);

// Open-set tests of several files, one below the other.
struct OpenSetEntry {
  std::string name;
  std::string path;
  long negatives = -1;  // number of negative queries; -1 where not said
  OpenSetEvaluation evaluation;
};

TextDocument openset_text(const std::vector<OpenSetEntry>& entries, OpenSetMatching matching);
nlohmann::ordered_json openset_json(const OpenSetEntry& entry);

// AuPR of the first uncertainty over AP50: a line in order of negative queries where every file
// says how many, else a point a file. "" where no file has both values.
std::string tradeoff_svg(const std::vector<OpenSetEntry>& entries);

}  // namespace openworld
