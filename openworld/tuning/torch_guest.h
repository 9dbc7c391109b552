#pragma once

// For programs that may use libtorch themselves, such as a Python interpreter with PyTorch: calls
// that leave its settings as they were.

#include <utility>

namespace openworld {

// While it lives, jobs may set torch's number of threads; afterwards it is what it was.
class KeepTorchThreads {
 public:
  KeepTorchThreads();
  ~KeepTorchThreads();
  KeepTorchThreads(const KeepTorchThreads&) = delete;
  KeepTorchThreads& operator=(const KeepTorchThreads&) = delete;

 private:
  int threads_;
};

// Call from a catch block: libtorch's exception for a failed allocation is thrown again as
// std::bad_alloc, any other as it is.
[[noreturn]] void rethrow_torch_error();

// f(), with the exceptions of rethrow_torch_error.
template <class F>
auto call_torch(F&& f) {
  try {
    return std::forward<F>(f)();
  } catch (...) {
    rethrow_torch_error();
  }
}

}  // namespace openworld
