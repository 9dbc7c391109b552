#pragma once

// What people might say about a doodle: a small grammar over its name, theme, look, colour and
// size.
//
//   "a doodle of a cat."               "a small cat, drawn in chalk."
//   "a red crayon drawing of a cat."   "a doodle of a cat, a kind of animal."
//
// Many ways to say the same, so that the text tower learns words and not sentences.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/base/random.h"

namespace openworld {

enum class DoodleSize { kSmall, kUsual, kBig };

struct DoodleFacts {
  std::string_view name;    // "cat"
  std::string_view look;    // "plain", "chalk" or "crayon"; of others nothing is said
  std::string_view colour;  // of the ink, "red"; nothing is said of black, nor if it is empty
  DoodleSize size = DoodleSize::kUsual;
  // The templates and themes of datasets that the class belongs to: "a doodle of a {}, a kind of
  // animal." and "animal".
  std::vector<std::string_view> templates = {};
  std::vector<std::string_view> themes = {};
};

// A caption that is true of the doodle; which one depends on `random` alone.
std::string doodle_caption(const DoodleFacts& facts, Random& random);

}  // namespace openworld
