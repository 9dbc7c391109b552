#pragma once

// Products whose rows do not depend on each other. Rounding in a matrix product depends on how many
// rows it has: for few of them OpenBLAS has other kernels, and with AVX-512 a row by itself differs
// in its last bits from the same row among others, at almost every size. So that an image has the
// same scores in any batch, rows are multiplied in blocks of one size. That takes a tenth longer
// (20,000 rows, 512 dimensions, 1000 names). On another device than the CPU it is a plain product.

#include <ATen/core/Tensor.h>

namespace openworld {

// rows [..., d] times columns [d, names]: [..., names]. A plain product where gradients are asked
// for.
at::Tensor row_products(const at::Tensor& rows, const at::Tensor& columns);

}  // namespace openworld
