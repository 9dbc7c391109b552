#include "openworld/vlm/blas_threads.h"

// Of OpenBLAS; null where Debian's alternatives chose another.
extern "C" {
__attribute__((weak)) void openblas_set_num_threads(int threads);
__attribute__((weak)) int openblas_get_num_threads(void);
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

}  // namespace openworld
