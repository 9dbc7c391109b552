#pragma once

namespace openworld {

// Lets the process keep what it frees instead of returning it to the system: a tower frees and
// allocates tens of megabytes in every block, and asking for them anew each time costs 5 to 8 % of
// its time in page faults; open-set training, which does so in every layer, 7 to 15 %. Call once,
// at the start; glibc's malloc only, else without effect.
void keep_freed_memory();

}  // namespace openworld
