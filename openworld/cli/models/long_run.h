#pragma once

// What commands that train for long share: a folder that can be gone on with.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace openworld {

// A line on stderr for whoever watches.
void say(const std::string& line);

// "12 s", "3 min", "2 h 5 min".
std::string duration(double seconds);

// Throws Error that names the first entry of `now` that `was`, from the file `path`, does not have.
void expect_same_run(const nlohmann::ordered_json& was, const nlohmann::ordered_json& now,
                     const std::string& path, const std::string& function);

}  // namespace openworld
