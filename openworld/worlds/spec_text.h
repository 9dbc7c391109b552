#pragma once

// Parsing of the names of datasets of bundled worlds: world:NAME@VARIANT#SEED.

#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/origin.h"

namespace openworld {

// Whether `text` is the world's name alone, or followed by one of `marks`.
bool starts_as_world(std::string_view text, std::string_view world, std::string_view marks);

// Takes what follows `mark` off the end of `text`, or nothing.
bool take_part(std::string_view* text, char mark, std::string_view* part);

// Throws Error: "no look "chak"; did you mean chalk? There are plain, ...".
[[noreturn]] void fail_unknown(const Origin& origin, const char* what, std::string_view name,
                               const std::vector<std::string>& known);

// The name with its world spelled right, "doodles:food" for "doodels:food"; "" if none is near.
std::string nearest_world(std::string_view path);

// A folder that happens to have a world's name is a folder; with a colon it is always the world.
bool names_world(const std::string& path, bool is_spec);

}  // namespace openworld
