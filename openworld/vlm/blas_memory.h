#pragma once

namespace openworld {

// Throws std::bad_alloc unless there is address space for what OpenBLAS needs on so many threads. A
// thread that multiplies matrices takes a buffer of 128 MiB, and OpenBLAS tries forever to get one
// that it cannot have.
void expect_blas_memory(int threads);

}  // namespace openworld
