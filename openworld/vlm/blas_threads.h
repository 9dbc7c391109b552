#pragma once

// How many threads OpenBLAS uses for one product.

namespace openworld {

// While it lives, products run on `threads` threads, in the whole process. Does nothing where the
// BLAS is another.
class BlasThreads {
 public:
  explicit BlasThreads(int threads);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int before_ = 0;
};

}  // namespace openworld
