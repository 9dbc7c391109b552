#pragma once

// The open-set test of a classifier: does it know when none of its query names is there?
//
// Each image is classified twice: over all K classes (closed test), and with its true class taken
// off the list (open test), where every answer is an open-set error (OSE). Right answers of the
// closed test are the true positives (TP). M further queries stand at the end of the list: negative
// ones, whose choice means "none of these" and so is neither TP nor OSE, or more classes, which
// make the list longer. All numbers of further queries, and all random subsets of the classes, come
// from one pass over the logits (query_stats.h), streamed in tiles (logit_source.h).
//
// Miller et al., "Open-Set Recognition in the Age of Vision-Language Models", ECCV 2024.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "openworld/openset/logit_source.h"
#include "openworld/openset/uncertainty.h"

namespace openworld {

// What the answers mean that lie among the further queries.
enum class ExtraRole { kNegative, kClass };

struct OpenSetPlan {
  LogitForm form{};
  std::vector<const UncertaintyRow*> measures;
  std::int32_t classes = 0;  // columns that are classes; the others are further queries
  ExtraRole role = ExtraRole::kNegative;
  // Numbers of further queries to test besides none and all; each takes that many from the first.
  std::vector<std::int32_t> counts{};
  // Query sets of so many classes, drawn with each of these seeds (see subset_order).
  std::vector<std::int32_t> sizes{};
  std::vector<std::uint32_t> seeds{};
  int threads = 0;  // 0: every core
  // Called now and then with the number of images done, by one thread at a time.
  std::function<void(std::size_t)> progress{};
};

enum class ClosedOutcome : std::uint8_t { kRight, kWrong, kRejected };
enum class OpenOutcome : std::uint8_t {
  kError,
  kRejected,  // a negative query was chosen
  kNone,      // no query is left
};

// One list of queries put to the images whose class is on it.
struct OpenSetTest {
  std::int32_t classes = 0;           // on the list
  std::int32_t extra = 0;             // further queries on the list
  std::uint32_t seed = 0;             // of the subset of classes, where it is one
  std::vector<std::uint32_t> images;  // ascending; of N, all unless it is a subset
  std::vector<ClosedOutcome> closed;  // as many as images
  std::vector<OpenOutcome> open;
  // [measure][image]: of the answers given. 0 where nothing was answered.
  std::vector<std::vector<double>> closed_score, open_score;

  std::int64_t count(ClosedOutcome outcome) const;
  std::int64_t count(OpenOutcome outcome) const;
};

struct OpenSetScores {
  OpenSetPlan plan;
  std::size_t images = 0;
  std::int32_t extra = 0;              // M
  std::vector<OpenSetTest> by_extra;   // none, the plan's counts, all; ascending
  std::vector<OpenSetTest> by_subset;  // [seed][size]
  // With all further queries: the column chosen in either test; -1: no query left.
  std::vector<std::int32_t> closed_answer, open_answer;

  // The test with all queries.
  const OpenSetTest& all() const { return by_extra.back(); }
};

// The pass. Same bits for any number of threads. Throws Error for labels that name no class and
// logits that are not finite; messages about labels start with `origin`.
// REQUIRES: label.size() == source.rows(), 0 < plan.classes <= source.columns(), counts and sizes
// as check_plan accepts.
OpenSetScores run_open_set(const LogitSource& source, std::span<const std::int32_t> label,
                           const OpenSetPlan& plan, const Origin& origin);

// The classes in the order in which a seed adds them: NumPy's legacy
// RandomState(seed).permutation(classes), of which choice(classes, n, replace=False) is the first
// n. So the subsets of one seed are nested.
std::vector<std::uint32_t> subset_order(std::int32_t classes, std::uint32_t seed);

// The sizes of the published figure for that number of classes (ImageNet, Food101, Places365,
// GTSRB); for others 5, 10, 25, 50, 100, 200, ... and all.
std::vector<std::int32_t> published_sizes(std::int32_t classes);

// 10, 50, 100, 250, 500, 1000, 2500 and 5000, as far as there are so many.
std::vector<std::int32_t> published_counts(std::int32_t extra);

// What one further query catches, over all images, with all of them on the list: an image that the
// closed test gives to it, an image that the open test gives to it, and a true positive lost to it.
struct Efficacy {
  std::int64_t closed = 0, open = 0, tp_lost = 0;
};
std::vector<Efficacy> efficacies(const OpenSetScores& scores);

}  // namespace openworld
