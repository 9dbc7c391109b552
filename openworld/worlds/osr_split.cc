#include "openworld/worlds/osr_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/base/quotes.h"
#include "openworld/base/split_list.h"
#include "openworld/base/trimmed.h"

namespace openworld {
namespace {

constexpr std::size_t kSplitCount = 5;

template <std::size_t N>
using Lists = std::array<std::array<std::int32_t, N>, kSplitCount>;

constexpr Lists<6> kMnist = {{{2, 4, 5, 9, 8, 3},
                              {3, 2, 6, 9, 4, 0},
                              {5, 8, 3, 2, 4, 6},
                              {3, 7, 8, 4, 0, 5},
                              {6, 3, 4, 9, 8, 2}}};
constexpr Lists<6> kCifar10 = {{{0, 6, 4, 9, 1, 7},
                                {7, 6, 4, 9, 0, 1},
                                {1, 5, 7, 3, 9, 4},
                                {8, 6, 1, 9, 0, 7},
                                {2, 4, 1, 7, 9, 6}}};
constexpr Lists<6> kSvhn = {{{5, 3, 7, 2, 8, 6},
                             {3, 8, 7, 6, 2, 5},
                             {8, 9, 4, 7, 2, 1},
                             {3, 8, 2, 5, 0, 6},
                             {4, 9, 2, 7, 1, 0}}};
constexpr Lists<4> kCifarPlus = {
    {{4, 7, 9, 1}, {6, 7, 1, 9}, {9, 6, 1, 7}, {6, 4, 9, 1}, {1, 0, 9, 8}}};

template <std::size_t N>
constexpr std::array<std::span<const std::int32_t>, kSplitCount> spans(const Lists<N>& lists) {
  std::array<std::span<const std::int32_t>, kSplitCount> result;
  for (std::size_t i = 0; i < kSplitCount; ++i) result[i] = lists[i];
  return result;
}

constexpr auto kMnistSpans = spans(kMnist), kCifar10Spans = spans(kCifar10),
               kSvhnSpans = spans(kSvhn), kCifarPlusSpans = spans(kCifarPlus);

constexpr std::array kSplitRows = {
    OsrSplitRow{"mnist", "mnist", "6 of 10 digits known", 10, true, kMnistSpans},
    OsrSplitRow{"svhn", "", "6 of 10 digits known", 10, true, kSvhnSpans},
    OsrSplitRow{"cifar10", "cifar10", "6 of 10 classes known", 10, true, kCifar10Spans},
    OsrSplitRow{"cifar+n", "cifar10", "4 classes of CIFAR-10 known, unknown ones of CIFAR-100", 10,
                false, kCifarPlusSpans},
};

void add_unknown(OsrSplit* split, std::size_t classes) {
  for (std::int32_t label = 0; std::cmp_less(label, classes); ++label) {
    if (split->place_of(label) < 0) split->unknown.push_back(label);
  }
}

std::int32_t class_index(const std::string& word, const std::vector<std::string>& classes,
                         std::string_view function) {
  std::int32_t label = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), label);
  const bool is_number = error == std::errc() && end == word.data() + word.size();
  if (is_number && label >= 0 && std::cmp_less(label, classes.size())) return label;
  const auto found = std::ranges::find(classes, word);
  if (found != classes.end()) return static_cast<std::int32_t>(found - classes.begin());
  if (is_number) {
    fail(function, fmt::format("known class {} does not exist; expected labels 0 to {}, or names",
                               word, static_cast<std::int64_t>(classes.size()) - 1));
  }
  fail(function, fmt::format("no class {}; {}", in_quotes(word), known_names(word, classes)));
}

}  // namespace

std::int32_t OsrSplit::place_of(std::int32_t label) const {
  const auto found = std::ranges::find(known, label);
  return found == known.end() ? -1 : static_cast<std::int32_t>(found - known.begin());
}

std::span<const OsrSplitRow> osr_split_table() {
  return kSplitRows;
}

OsrSplit osr_split(std::string_view name, std::string_view function) {
  const std::size_t colon = name.find(':');
  const auto row = std::ranges::find(kSplitRows, name.substr(0, colon), &OsrSplitRow::name);
  std::size_t index = 0;
  bool fits = row != kSplitRows.end() && colon != std::string_view::npos;
  if (fits) {
    const std::string_view number = name.substr(colon + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
    fits = error == std::errc() && end == number.data() + number.size() && index < kSplitCount;
  }
  if (!fits) {
    std::vector<std::string_view> names;
    for (const OsrSplitRow& known : kSplitRows) names.push_back(known.name);
    fail(function, fmt::format("no split {}; expected {} with :0 to :{}, as in cifar10:0",
                               in_quotes(name), fmt::join(names, ", "), kSplitCount - 1));
  }
  OsrSplit split{.name = std::string(name), .known = {}, .unknown = {}};
  split.known.assign(row->known[index].begin(), row->known[index].end());
  if (row->rest_is_unknown) add_unknown(&split, row->classes);
  return split;
}

OsrSplit osr_split_of(std::string_view list, const std::vector<std::string>& classes,
                      bool rest_is_unknown, std::string_view function) {
  OsrSplit split;
  for (const std::string& word : split_list(list)) {
    const std::int32_t label = class_index(std::string(trimmed(word)), classes, function);
    if (split.place_of(label) >= 0) {
      fail(function, fmt::format("class {} ({}) is known twice; expected each once", label,
                                 in_quotes(classes[static_cast<std::size_t>(label)])));
    }
    split.known.push_back(label);
  }
  if (split.known.size() < 2) {
    fail(function, fmt::format("{} known class{}; expected two or more", split.known.size(),
                               split.known.size() == 1 ? "" : "es"));
  }
  if (!rest_is_unknown) return split;
  add_unknown(&split, classes.size());
  if (split.unknown.empty()) {
    fail(function, fmt::format("all {} classes are known; expected some that are not, or unknown "
                               "images from another dataset",
                               classes.size()));
  }
  return split;
}

void check_osr_split(const OsrSplit& split, std::size_t classes, std::string_view function) {
  for (const auto* labels : {&split.known, &split.unknown}) {
    for (const std::int32_t label : *labels) {
      if (label >= 0 && std::cmp_less(label, classes)) continue;
      fail(function, fmt::format("the split {} has the class {}; expected labels below {}, the "
                                 "number of classes of the data",
                                 in_quotes(split.name), label, classes));
    }
  }
}

}  // namespace openworld
