#include "openworld/vlm/blas_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

// OpenBLAS's own; null where Debian's alternatives chose another BLAS. A buffer that is given back
// is kept for the next product.
extern "C" {
__attribute__((weak)) void* blas_memory_alloc(int place);
__attribute__((weak)) void blas_memory_free(void* buffer);
}

namespace openworld {
namespace {

// It has places for more, and ends the process when there are none left.
constexpr int kMostBuffers = 64;

void take_buffers(int count) {
  if (blas_memory_alloc == nullptr || blas_memory_free == nullptr) return;
  std::vector<void*> buffers;
  for (int i = 0; i < std::min(count, kMostBuffers); ++i) buffers.push_back(blas_memory_alloc(0));
  for (void* buffer : buffers) blas_memory_free(buffer);
}

}  // namespace

void expect_blas_memory(int threads) {
  // Beside its buffer a thread has two stacks, in torch's pool and in ours, and an arena of malloc,
  // which asks for 128 MiB to keep half of them. Torch's pool waits forever for a thread that could
  // not be started.
  constexpr std::size_t kBuffer = std::size_t{132} << 20, kThread = std::size_t{144} << 20;
  const std::size_t size = (kBuffer + kThread) * static_cast<std::size_t>(std::max(threads, 1));
  // Only asked for: pages that are never touched cost nothing.
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  ::munmap(memory, size);
  take_buffers(threads);
}

}  // namespace openworld
