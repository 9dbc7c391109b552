#pragma once

// Captions of a doodle, from a small grammar over its name, theme, look, colour and
// size.
//
//   "a doodle of a cat."               "a small cat, drawn in chalk."
//   "a red crayon drawing of a cat."   "a doodle of a cat, a kind of animal."
//
// Captions vary in wording, so that the text tower learns words rather than sentences.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/base/random.h"

namespace openworld {

enum class DoodleSize { kSmall, kUsual, kBig };

struct DoodleFacts {
  std::string_view name;    // "cat"
  std::string_view look;    // "plain", "chalk" or "crayon"; other looks are not mentioned
  std::string_view colour;  // of the ink, "red"; black and empty are not mentioned
  DoodleSize size = DoodleSize::kUsual;
  // The templates and themes of datasets that the class belongs to: "a doodle of a {}, a kind of
  // animal." and "animal".
  std::vector<std::string_view> templates = {};
  std::vector<std::string_view> themes = {};
};

// A caption that is true of the doodle; which one depends on `random` alone.
std::string doodle_caption(const DoodleFacts& facts, Random& random);

}  // namespace openworld
