#include "openworld/base/pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace openworld {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

void* allocate_pages(std::size_t bytes) {
  const std::size_t unit = bytes >= kHugePage ? kHugePage : kCacheLine;
  if (bytes > SIZE_MAX - unit) throw std::bad_alloc();
  const std::size_t rounded = (bytes + unit - 1) / unit * unit;
  void* memory = std::aligned_alloc(unit, rounded > 0 ? rounded : unit);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  // Advice only: if the kernel refuses, normal pages are used.
  if (unit == kHugePage) madvise(memory, rounded, MADV_HUGEPAGE);
#endif
  return memory;
}

void free_pages(void* memory) {
  std::free(memory);
}

}  // namespace openworld
