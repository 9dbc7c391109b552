#pragma once

// Random bits of the machine: for names that no other process takes, on this host or on another
// that shares the folder, and for keys. What must be repeatable comes from random.h.

#include <cstdint>
#include <string>

namespace openworld {

// One system call. std::random_device asks the processor what it is each time one is made, which
// takes 30 us on a virtual machine.
std::uint64_t random_bits();

// 64 of them as 16 hexadecimal digits.
std::string random_name();

}  // namespace openworld
