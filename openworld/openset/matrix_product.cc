#include "openworld/openset/matrix_product.h"

#include <dlfcn.h>

#include <algorithm>
#include <mutex>

#include "openworld/base/simd.h"

namespace openworld {
namespace {

// The parts of CBLAS in use, declared here because the library is opened and not linked.
constexpr int kRowMajor = 101, kAsIs = 111, kTransposed = 112;
using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                       float, float*, int);
using Dgemm = void (*)(int, int, int, int, int, int, double, const double*, int, const double*, int,
                       double, double*, int);

struct OpenBlas {
  Sgemm sgemm = nullptr;
  Dgemm dgemm = nullptr;
  void (*set_threads)(int) = nullptr;
  int (*get_threads)() = nullptr;

  OpenBlas() {
    void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto find = [&]<class F>(F& function, const char* name) {
      function = reinterpret_cast<F>(dlsym(library, name));
      return function != nullptr;
    };
    const bool complete = find(sgemm, "cblas_sgemm") && find(dgemm, "cblas_dgemm") &&
                          find(set_threads, "openblas_set_num_threads") &&
                          find(get_threads, "openblas_get_num_threads");
    if (!complete) sgemm = nullptr;
  }
};

const OpenBlas& openblas() {
  static const OpenBlas library;
  return library;
}

struct Nesting {
  std::mutex mutex;
  int depth = 0;    // guarded by mutex
  int threads = 1;  // before the first; guarded by mutex
};

Nesting& nesting() {
  static Nesting state;
  return state;
}

// Sixteen partial sums in a fixed order, which a vector unit has.
template <class T>
[[gnu::always_inline]] inline T dot(const T* a, const T* b, std::size_t n) {
  constexpr std::size_t kLanes = 16;
  T sums[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) sums[l] += a[i + l] * b[i + l];
  }
  for (; i < n; ++i) sums[i % kLanes] += a[i] * b[i];
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) sums[l] += sums[l + half];
  }
  return sums[0];
}

// In blocks of queries that stay in cache while all rows pass by.
template <class T>
[[gnu::always_inline]] inline void multiply_in_blocks(const T* a, const T* b, T* to,
                                                      std::size_t rows, std::size_t columns,
                                                      std::size_t inner, T alpha) {
  constexpr std::size_t kBlock = 64;
  for (std::size_t begin = 0; begin < columns; begin += kBlock) {
    const std::size_t end = std::min(columns, begin + kBlock);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = begin; j < end; ++j) {
        to[i * columns + j] = alpha * dot(a + i * inner, b + j * inner, inner);
      }
    }
  }
}

}  // namespace

OPENWORLD_SIMD_V3
void multiply_plainly(const float* a, const float* b, float* to, std::size_t rows,
                      std::size_t columns, std::size_t inner, float alpha) {
  multiply_in_blocks(a, b, to, rows, columns, inner, alpha);
}

OPENWORLD_SIMD_V3
void multiply_plainly(const double* a, const double* b, double* to, std::size_t rows,
                      std::size_t columns, std::size_t inner, double alpha) {
  multiply_in_blocks(a, b, to, rows, columns, inner, alpha);
}

bool has_openblas() {
  return openblas().sgemm != nullptr;
}

SingleThreadedProducts::SingleThreadedProducts() {
  if (!has_openblas()) return;
  const std::lock_guard lock(nesting().mutex);
  if (nesting().depth++ > 0) return;
  nesting().threads = openblas().get_threads();
  openblas().set_threads(1);
}

SingleThreadedProducts::~SingleThreadedProducts() {
  if (!has_openblas()) return;
  const std::lock_guard lock(nesting().mutex);
  if (--nesting().depth == 0) openblas().set_threads(nesting().threads);
}

void multiply_by_transposed(const float* a, const float* b, float* to, std::size_t rows,
                            std::size_t columns, std::size_t inner, float alpha) {
  if (!has_openblas()) return multiply_plainly(a, b, to, rows, columns, inner, alpha);
  const auto m = static_cast<int>(rows), n = static_cast<int>(columns), k = static_cast<int>(inner);
  openblas().sgemm(kRowMajor, kAsIs, kTransposed, m, n, k, alpha, a, k, b, k, 0, to, n);
}

void multiply_by_transposed(const double* a, const double* b, double* to, std::size_t rows,
                            std::size_t columns, std::size_t inner, double alpha) {
  if (!has_openblas()) return multiply_plainly(a, b, to, rows, columns, inner, alpha);
  const auto m = static_cast<int>(rows), n = static_cast<int>(columns), k = static_cast<int>(inner);
  openblas().dgemm(kRowMajor, kAsIs, kTransposed, m, n, k, alpha, a, k, b, k, 0, to, n);
}

}  // namespace openworld
