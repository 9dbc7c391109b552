#pragma once

// The datasets of Doodles: eleven, the usual number in benchmarks of prompt learners. One has all
// classes; ten have one theme each, 10 to 71 classes, like fine-grained benchmarks of pets or food.
// Every class is in one theme at least, some in two: a star is a shape and a sight outdoors.

#include <span>
#include <string_view>

namespace openworld {

struct DoodleDataset {
  std::string_view name;         // "animals"
  std::string_view description;  // one line, of what is in it
  std::string_view prompt;       // its own template, "a doodle of a {}, a kind of animal."
  std::string_view theme;        // fits "a kind of ...": "animal"; empty for all
  std::span<const std::string_view> classes;  // names of Doodles, in the order of labels
};

// First the dataset of all classes, then the themes by name.
std::span<const DoodleDataset> doodle_datasets();

// The one of that name, or nullptr.
const DoodleDataset* find_doodle_dataset(std::string_view name);

}  // namespace openworld
