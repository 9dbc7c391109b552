#pragma once

// The worlds that come with the program, for lists of them.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "openworld/io/origin.h"

namespace openworld {

// A look of Doodles or a style of Icons: what @NAME chooses.
struct WorldVariant {
  std::string name;
  std::string description;
  std::string mirrors = "";  // the variant of ImageNet that it is like; "": none
};

struct WorldDataset {
  std::string name;         // "animals"
  std::string description;  // one line
  std::string prompt;       // its own template
  std::string theme = "";   // fits "a kind of ..."; "": none
  std::vector<std::string> classes;
};

struct World {
  std::string name;         // "doodles"
  std::string description;  // one line
  std::string syntax;       // "doodles:NAME, optionally with @LOOK and #SEED"
  std::string variant;      // what a variant is called: "look"; "" where there are none
  std::string example;      // "doodles:animals@chalk"
  std::vector<std::string> splits;
  std::vector<WorldDataset> datasets;
  std::vector<WorldVariant> variants;
};

// Doodles, then Icons. Throws Error if their files are missing or damaged.
std::vector<World> bundled_worlds();

// What a name such as "doodles:animals@chalk#2" or "mnist" says.
struct NamedDataset {
  World world;
  WorldDataset dataset;
  std::optional<WorldVariant> variant;  // absent: pictures of all styles, or no such thing
  std::optional<std::uint64_t> seed;    // of worlds that draw at random
  std::string text;                     // the name without what is the default
};

// Parses origin.file. Throws Error that lists the known names.
NamedDataset parse_world_dataset(const Origin& origin);

// Of each split of the world, by its name.
std::vector<std::pair<std::string, std::size_t>> image_counts(const World& world,
                                                              const std::string& dataset);

}  // namespace openworld
