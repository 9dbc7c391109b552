#include "openworld/tuning/torch_guest.h"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <new>
#include <string_view>

namespace openworld {

KeepTorchThreads::KeepTorchThreads() : threads_(at::get_num_threads()) {}

KeepTorchThreads::~KeepTorchThreads() {
  at::set_num_threads(threads_);
}

void rethrow_torch_error() {
  try {
    throw;
  } catch (const c10::Error& error) {
    const std::string_view what = error.what_without_backtrace();
    for (const char* sign : {"allocate memory", "not enough memory", "out of memory"}) {
      if (what.find(sign) != std::string_view::npos) throw std::bad_alloc();
    }
    throw;
  }
}

}  // namespace openworld
