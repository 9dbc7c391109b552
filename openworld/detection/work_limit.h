#pragma once

// How much work two files may ask for.
//
// Every detection of an image is compared with every object there, so files of some megabytes can
// ask for 1e12 steps. Those of real data take a few steps for each byte: an entry of 200 bytes is
// compared with the objects of its category in one image. A step takes 1 to 2 ns; two files of
// 10 MB may ask for 5e9.

#include <cstdint>
#include <string_view>

namespace openworld {

inline constexpr std::uint64_t kFreeSteps = std::uint64_t{1} << 31;
inline constexpr std::uint64_t kStepsPerByte = 128;

// Throws Error("[detect] ...") unless files of `file_bytes` in all may ask for so many steps.
// `what` begins the message: "masks".
void request_steps(std::uint64_t steps, std::uint64_t file_bytes, std::string_view what);

}  // namespace openworld
