#pragma once

// Parallel loops whose result does not depend on the number of threads.

#include <cstddef>
#include <functional>

namespace openworld {

// Number of threads to use when the caller says 0: the cores this process may run on.
int default_threads();

// Calls work(i) for every i in [0, n), on up to `threads` threads (0: default_threads()). The next
// free thread takes the next item; `work` must not depend on which thread runs it. The first
// exception thrown is rethrown here after all threads have stopped.
void parallel_for(std::size_t n, int threads, const std::function<void(std::size_t)>& work);

}  // namespace openworld
