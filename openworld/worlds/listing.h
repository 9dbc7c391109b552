#pragma once

// Builds a Dataset from a list of samples, with the checks that every list needs.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/origin.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

class Listing {
 public:
  // `names_folder` is where classnames.txt is looked for; "" for nowhere.
  Listing(Origin origin, std::string names_folder);

  // The place of a sample in the list, for messages: "line 7".
  using Where = std::function<std::string()>;

  // Adds a sample with its label, -1 or more, and the name of its class and its split, or "". A
  // class has one name throughout. Throws Error.
  void add(Sample sample, std::int64_t label, std::string_view name, std::string_view split,
           const Where& where);

  // Adds a sample whose class has a name but no number; classes are numbered by name, sorted, or by
  // the names file. "unknown" is no class. Not to be mixed with add.
  void add_named(Sample sample, std::string_view name, std::string_view split);

  // Chooses the split and names the classes. Labels, over all splits, must leave no gap, unless a
  // names file covers it. `dataset` brings what else is known: root, archives. Throws Error.
  Dataset finish(const DatasetOptions& options, Dataset dataset) &&;

  bool empty() const { return samples_.empty(); }
  const std::string& first_path() const { return samples_.front().path; }

 private:
  std::int32_t split_index(std::string_view split);
  void number_names(const DatasetOptions& options);
  std::vector<std::string> name_classes(const DatasetOptions& options, bool* named) const;

  Origin origin_;
  std::string names_folder_;
  std::vector<Sample> samples_;
  std::vector<std::int32_t> split_of_;           // by sample
  std::vector<std::string> splits_;              // in order of appearance
  std::map<std::int32_t, std::string> classes_;  // by label; "" where no name was given
  std::map<std::string, std::int32_t, std::less<>> numbers_;  // of names, in add_named
};

// The folder that paths in the list `origin.file` start from: `given`, or the first of the list's
// folder, the folders in it, and the same one and two levels up, under which `first_path` is a
// file. Throws Error.
std::string find_image_root(const std::string& given, const std::string& first_path,
                            const Origin& origin);

}  // namespace openworld
