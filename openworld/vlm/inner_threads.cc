#include "openworld/vlm/inner_threads.h"

#include <ATen/Parallel.h>

// Null where Debian's alternatives chose another BLAS, and where torch runs on another kind of
// threads.
extern "C" {
__attribute__((weak)) void openblas_set_num_threads(int threads);
__attribute__((weak)) int openblas_get_num_threads(void);
__attribute__((weak)) void omp_set_num_threads(int threads);
}

namespace openworld {

BlasThreads::BlasThreads(int threads) {
  if (openblas_set_num_threads == nullptr || openblas_get_num_threads == nullptr) return;
  before_ = openblas_get_num_threads();
  openblas_set_num_threads(threads);
}

BlasThreads::~BlasThreads() {
  if (before_ > 0) openblas_set_num_threads(before_);
}

OpenMpThreads::OpenMpThreads(int threads) {
  if (omp_set_num_threads == nullptr) return;
  // Torch gives a thread its number of threads at the first operation; that must have been before.
  before_ = at::get_num_threads();
  omp_set_num_threads(threads);
}

OpenMpThreads::~OpenMpThreads() {
  if (before_ > 0) omp_set_num_threads(before_);
}

}  // namespace openworld
