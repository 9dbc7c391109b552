#pragma once

namespace openworld {

// Makes OpenBLAS take what it needs on so many threads; throws std::bad_alloc unless there is
// address space for it and for the threads. A thread that multiplies matrices takes a buffer of 128
// MiB, and OpenBLAS tries forever to get one that it cannot have, so it gets them before others
// take the space.
void expect_blas_memory(int threads);

}  // namespace openworld
