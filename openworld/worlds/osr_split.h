#pragma once

// Which classes of a dataset are known and which are unknown in open-set recognition.
//
// The five splits of each dataset that ARPL, "A Good Closed-Set Classifier is All You Need?" and
// OpenAUC report means of, by name, "cifar10:0"; or a list of one's own. Lists are not sorted: the
// label that a network learns for a class is its position in the list.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace openworld {

struct OsrSplit {
  std::string name;                   // "cifar10:0"; "" for a list of one's own
  std::vector<std::int32_t> known;    // labels of the dataset, in the order of the new labels
  std::vector<std::int32_t> unknown;  // the dataset's other classes, ascending; of CIFAR+N none

  // The position of `label` among the known classes, or -1.
  std::int32_t place_of(std::int32_t label) const;
};

// The published splits of a dataset.
struct OsrSplitRow {
  std::string_view name;         // "cifar10"
  std::string_view data;         // what --data may be: "cifar10"; "" where the world does not exist
  std::string_view description;  // one line
  std::size_t classes;           // of the dataset that the known ones are of
  bool rest_is_unknown;          // false: unknown images are of another dataset
  std::span<const std::span<const std::int32_t>> known;
};

// mnist, svhn, cifar10, cifar+n: five splits each.
std::span<const OsrSplitRow> osr_split_table();

// "cifar10:0" to "cifar10:4". Throws Error that lists what there is.
OsrSplit osr_split(std::string_view name, std::string_view function = "osr_split");

// A list of one's own, "0,6,4" or names "cat, dog", for a dataset with these classes. Throws Error
// for a class that is not there or stands twice, fewer than two known classes, and none left over
// (unless `rest_is_unknown` is false: unknown images then come from elsewhere).
OsrSplit osr_split_of(std::string_view list, const std::vector<std::string>& classes,
                      bool rest_is_unknown = true, std::string_view function = "osr_split");

// Throws Error unless the labels of `split` exist among `classes` classes.
void check_osr_split(const OsrSplit& split, std::size_t classes,
                     std::string_view function = "osr_split");

}  // namespace openworld
