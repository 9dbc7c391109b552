#pragma once

#include <string>
#include <string_view>

namespace openworld {

// Throws Error as [function] unless a file `path`, which has to end in .npz, can be written: before
// hours of work and not after.
void expect_writable_npz(const std::string& path, std::string_view function);

}  // namespace openworld
