#pragma once

// Files of class names.
//
// One name a line, in the order of the labels. Or, for datasets with a folder for each class, lines
// "folder name of the class", as ImageNet's classnames.txt has them: taken for that if every line
// has two words or more and every folder starts one. Or JSON: a list of names by label, or an
// object from folders, or labels, to names.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/origin.h"

namespace openworld {

class ClassNames {
 public:
  // Reads a file; the format follows its name, .json or any other. Throws Error.
  static ClassNames load(const Origin& origin);
  static ClassNames parse(std::string_view text, bool json, const Origin& origin);

  // The names of classes that have keys (folders). If the file does not list `folders`, it must
  // have one name for each. Throws Error naming the file.
  std::vector<std::string> for_folders(const std::vector<std::string>& folders) const;

  // The names by label, all that the file has; lines that start with WordNet ids ("n01440764
  // tench") in the order of the ids, which is that of ImageNet's labels. Throws Error for an object
  // that leaves labels out.
  std::vector<std::string> by_label() const;

  const Origin& origin() const { return origin_; }

 private:
  bool keyed_by_wnid() const;

  Origin origin_;
  std::vector<std::string> list_;
  std::map<std::string, std::string> keyed_;  // first word of a line, or key of an object
  bool is_object_ = false;
};

// The file to take names from: `given`, or classnames.txt in `folder` if there is one, or "". An
// empty `folder` is none.
std::string find_names_file(const std::string& given, const std::string& folder);

// Error if two classes share a name, as they then share all prompts.
void refuse_duplicates(const std::vector<std::string>& classes, const Origin& origin);

}  // namespace openworld
