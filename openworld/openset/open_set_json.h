#pragma once

// The result of an open-set test as JSON: one writer and one reader.
//
//   {"schema": "openworld.openset/1", "version":, "source": {...}, "classes":, "negatives":,
//    "images":, "tp":, "ose":, "accuracy":, "accuracy_interval":, "ose_rate":,
//    "ose_rate_interval":, "closed_set_errors":, "closed_set_rejected":, "open_set_rejected":,
//    "measures": {"softmax": {"auroc": {"value":, "interval": {...} or null, "why": text or null},
//                             "aupr":, "p_at_95r":, "r_at_95p":,
//                             "closed_set": {the same against closed-set errors}}, ...},
//    "by_extra": [...], "efficacy": [...], "growth": [...], "pairs": [...], "options": {...}}
//
// With more classes instead of negative queries, "negatives" is "extra_classes".

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "openworld/io/origin.h"
#include "openworld/openset/open_set_report.h"

namespace openworld {

inline constexpr const char* kOpenSetSchema = "openworld.openset/1";

// Where the results came from.
struct OpenSetContext {
  std::vector<std::pair<std::string, std::string>> sources{};  // what, path
  std::vector<std::string> extra_names{};                      // of the further queries, or none
  std::vector<std::string> assumptions{};                      // about the model, where one ran
  // Of the intervals; left out where there are none.
  struct Bootstrap {
    int resamples = 0;
    std::uint64_t seed = 0;
  };
  std::optional<Bootstrap> bootstrap{};
};

nlohmann::ordered_json open_set_json(const OpenSetReport& report, const OpenSetContext& context);

// A result that was stored. Of the tests of GrowthPoint::by_seed it holds images, TP and OSE alone.
struct StoredOpenSet {
  OpenSetReport report;
  OpenSetContext context;
};

// What open_set_json wrote. `name` is that of the object in messages. Throws Error for a field that
// is missing, not of its kind or out of range, and for tests that do not have the same measures.
StoredOpenSet read_open_set_json(const nlohmann::ordered_json& json, const std::string& name,
                                 const Origin& origin);

}  // namespace openworld
