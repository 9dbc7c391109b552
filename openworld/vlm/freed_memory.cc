#include "openworld/vlm/freed_memory.h"

#include <malloc.h>

namespace openworld {

void keep_freed_memory() {
#if defined(__GLIBC__)
  constexpr int kGiB = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kGiB);
  mallopt(M_TRIM_THRESHOLD, kGiB);
#endif
}

}  // namespace openworld
