#pragma once

// How many threads one operation of the caller uses.

namespace openworld {

// While it lives, products of OpenBLAS run on `threads` threads, in the whole process. Does nothing
// where the BLAS is another.
class BlasThreads {
 public:
  explicit BlasThreads(int threads);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int before_ = 0;
};

// The same for torch's own operations that the calling thread starts. at::set_num_threads would
// make a pool of the whole process anew at every call.
class OpenMpThreads {
 public:
  explicit OpenMpThreads(int threads);
  ~OpenMpThreads();
  OpenMpThreads(const OpenMpThreads&) = delete;
  OpenMpThreads& operator=(const OpenMpThreads&) = delete;

 private:
  int before_ = 0;
};

}  // namespace openworld
