#pragma once

// What a tuned model says of an image: base, new or unknown, and which class; as JSON, as CSV, and
// as folders that images are sorted into.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "openworld/metrics/outcomes.h"

namespace openworld {

struct Answer {
  std::string path;
  Side side = Side::kBase;
  double r = 0;
  double fit = 0;                     // of the best of all names, see predictions/derive.h
  std::string base_class, new_class;  // the latter empty if there are no new names
  double base_probability = 0, new_probability = 0;

  // The class on the side of the answer, and its probability there; empty and 0 for unknown, and
  // for new without new names.
  const std::string& class_name() const;
  double probability() const;
};

nlohmann::ordered_json answer_json(const Answer& answer);

// A table with a header; names and paths are quoted where they need it.
std::string answers_csv(std::span<const Answer> answers);

enum class SortedAs { kLinks, kCopies };

// Throws Error as [function] unless images can be sorted into `folder`: it is not there, or empty.
void expect_empty_folder(const std::string& folder, std::string_view function);

// Makes `folder` with base/CLASS/NAME, new/CLASS/NAME and unknown/NAME, links to the images or
// copies of them. It is there as a whole or not at all, and nothing that exists is changed. Images
// of one name get numbers, and characters that a folder's name must not have become "_". Throws
// Error as [function], also for an image that is not a file.
void sort_images(std::span<const Answer> answers, const std::string& folder, SortedAs as,
                 std::string_view function);

}  // namespace openworld
