#include "openworld/vlm/blas_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <new>

namespace openworld {

void expect_blas_memory(int threads) {
  constexpr std::size_t kBuffer = std::size_t{132} << 20;
  const std::size_t size = kBuffer * static_cast<std::size_t>(std::max(threads, 1));
  // Only asked for: pages that are never touched cost nothing.
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  ::munmap(memory, size);
}

}  // namespace openworld
