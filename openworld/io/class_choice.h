#pragma once

// Which of a list of classes are meant: by their number, by name, or by a file of names.

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace openworld {

// The base half of CoOp's split (Zhou et al., CVPR 2022): the first ceil(classes / 2) labels.
std::size_t base_class_count(std::size_t classes);

// How many of the classes, in order, are base: `base` is all, half or a number. Throws Error as
// [function].
std::size_t base_classes(const std::string& base, std::size_t classes, const std::string& function);

// Finds classes by name: as it is, or else with spaces for underscores, as files of images and
// people write it.
class ClassFinder {
 public:
  explicit ClassFinder(std::span<const std::string> names);

  // The classes of that name, ascending; none if there is no such name.
  std::vector<std::size_t> find(std::string_view name) const;
  // "did you mean tabby cat? ", or "".
  std::string suggestion(std::string_view name) const;

 private:
  std::span<const std::string> names_;
  std::multimap<std::string, std::size_t, std::less<>> exact_, spaced_;
};

// Classes as text of a flag has them, or as a list of names.
using ClassSelection = std::variant<std::string, std::vector<std::string>>;

// The classes that are meant, ascending. Text is names with commas between them, or a file with a
// name on each line. `names` are those of all classes. `what` begins messages: "new". Throws Error
// as [function].
std::vector<std::size_t> find_classes(const ClassSelection& list,
                                      std::span<const std::string> names, std::string_view what,
                                      const std::string& function);

// The base classes of `count` classes, ascending: text that base_classes takes, or what
// find_classes takes. `names` is empty if the classes have none. Throws Error as [function].
std::vector<std::size_t> choose_base(const ClassSelection& base, std::size_t count,
                                     std::span<const std::string> names,
                                     const std::string& function);

}  // namespace openworld
