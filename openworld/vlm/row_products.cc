#include "openworld/vlm/row_products.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>

#include <vector>

namespace openworld {
namespace {

using at::Tensor;

constexpr std::int64_t kRows = 64;

Tensor products_in_blocks(const Tensor& rows, const Tensor& columns) {
  const std::int64_t count = rows.size(0), whole = count - count % kRows;
  Tensor result = at::empty({count, columns.size(1)}, rows.options());
  for (std::int64_t begin = 0; begin < whole; begin += kRows) {
    Tensor block = result.narrow(0, begin, kRows);
    at::mm_out(block, rows.narrow(0, begin, kRows), columns);
  }
  if (const std::int64_t rest = count - whole; rest > 0) {
    const Tensor filled = at::zeros({kRows, rows.size(1)}, rows.options());
    filled.narrow(0, 0, rest).copy_(rows.narrow(0, whole, rest));
    result.narrow(0, whole, rest).copy_(at::mm(filled, columns).narrow(0, 0, rest));
  }
  return result;
}

}  // namespace

Tensor row_products(const Tensor& rows, const Tensor& columns) {
  const bool is_learned =
      at::GradMode::is_enabled() && (rows.requires_grad() || columns.requires_grad());
  if (is_learned || !rows.device().is_cpu()) return at::matmul(rows, columns);
  std::vector<std::int64_t> shape = rows.sizes().vec();
  shape.back() = columns.size(1);
  return products_in_blocks(rows.reshape({-1, rows.size(-1)}), columns).view(shape);
}

}  // namespace openworld
