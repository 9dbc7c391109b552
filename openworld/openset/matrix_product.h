#pragma once

// Products of rows of features with a matrix of query features, by OpenBLAS where it is installed.
//
// OpenBLAS is opened when the first product is asked for, not linked: loading it takes 15 ms and
// starts threads, which commands that multiply nothing should not pay for. Without it a plain loop
// does the same, several times slower. Products run on the calling thread, so that callers can deal
// rows to threads themselves and get the same bits for any number of them.

#include <cstddef>

namespace openworld {

// While one exists, OpenBLAS computes each product on the thread that asks for it. Nests.
class SingleThreadedProducts {
 public:
  SingleThreadedProducts();
  ~SingleThreadedProducts();
  SingleThreadedProducts(const SingleThreadedProducts&) = delete;
  SingleThreadedProducts& operator=(const SingleThreadedProducts&) = delete;
};

// to[i, j] = alpha * sum_d a[i, d] b[j, d], all row-major: to is rows x columns, a is rows x inner,
// b is columns x inner.
void multiply_by_transposed(const float* a, const float* b, float* to, std::size_t rows,
                            std::size_t columns, std::size_t inner, float alpha);
void multiply_by_transposed(const double* a, const double* b, double* to, std::size_t rows,
                            std::size_t columns, std::size_t inner, double alpha);

// Whether OpenBLAS was found.
bool has_openblas();

// The plain loop, for tests.
void multiply_plainly(const float* a, const float* b, float* to, std::size_t rows,
                      std::size_t columns, std::size_t inner, float alpha);
void multiply_plainly(const double* a, const double* b, double* to, std::size_t rows,
                      std::size_t columns, std::size_t inner, double alpha);

}  // namespace openworld
