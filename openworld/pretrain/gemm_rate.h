#pragma once

// The speed of matrix products, beside which that of a training is told: a step cannot be faster
// than its products are at this rate.

namespace openworld {

// Floating-point operations a second of products of 1024 x 1024 matrices, one on each of `threads`
// threads at the same time; the best of three. Takes about 0.1 s.
double gemm_rate(int threads);

}  // namespace openworld
