#pragma once

// What the script of a page shows in its views: the scores of runs, samples, classes, losses. web/
// reads the JSON.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "openworld/report/loss_log.h"
#include "openworld/report/ranked_codes.h"

namespace openworld {

struct PageRun {
  std::size_t method = 0;  // of the page
  std::uint64_t seed = 0;
  RankedCodes ranked;
  std::optional<std::size_t> own{};  // samples above the threshold that was set for the run
};

// What a method says of the samples shown.
struct SampleAnswers {
  std::size_t method = 0;
  std::vector<double> r{};
  std::vector<std::uint32_t> rank{};
  std::vector<std::int32_t> base{}, new_side{};  // indices of classes, or -1
  std::vector<std::uint8_t> correct{};           // the classifier of the true side is right
};

struct PageSamples {
  std::uint64_t seed = 0;
  std::vector<std::size_t> row{};  // of the predictions
  std::vector<std::int8_t> side{};
  std::vector<std::int64_t> label{};    // index of the class, or -1
  std::vector<std::string> pictures{};  // data: URIs; "" where there is none
  std::vector<SampleAnswers> methods{};
};

struct Confusion {
  std::int64_t truth = -1;  // index of a class; -1: unknown
  std::int64_t answer = 0;
  std::int64_t count = 0, total = 0;  // of the samples of that class, over seeds
};

// Of a method, over seeds.
struct MethodClasses {
  std::size_t method = 0;
  std::vector<std::int64_t> right;    // by class, given the side
  std::vector<std::int64_t> overall;  // among all names; empty where a file does not say
  std::vector<Confusion> confusions;  // the most frequent
};

struct PageClasses {
  std::vector<std::int64_t> total;  // samples by class
  std::vector<MethodClasses> methods;
};

// A test set: runs on the same samples.
struct PageGroup {
  std::string name;
  std::size_t samples = 0;
  std::size_t repeats = 1;           // seeds
  std::vector<std::string> classes;  // base names, then new ones; may be empty
  std::size_t base_classes = 0;
  std::vector<PageRun> runs;
  std::optional<PageSamples> shown{};
  std::optional<PageClasses> by_class{};
  std::string no_pictures{};  // why there are none, where they were asked for
};

struct PageLoss {
  std::size_t method = 0, group = 0;
  std::uint64_t seed = 0;
  std::vector<LossPoint> points;
};

struct PageData {
  std::vector<PageGroup> groups;
  std::vector<PageLoss> losses;
};

// `methods` are the names of the page's.
nlohmann::ordered_json page_data_json(const PageData& data,
                                      const std::vector<std::string>& methods);

}  // namespace openworld
