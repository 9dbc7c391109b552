#pragma once

// Memory for large arrays, aligned to a cache line or, when large, to a huge page.

#include <cstddef>

namespace openworld {

// Uninitialised; throws std::bad_alloc. Free with free_pages. Zero bytes are allowed.
void* allocate_pages(std::size_t bytes);
void free_pages(void* memory);

}  // namespace openworld
