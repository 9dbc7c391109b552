#include "openworld/vlm/row_products.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace openworld {
namespace {

using at::Tensor;

TEST(RowProducts, DoNotDependOnTheOtherRows) {
  at::manual_seed(1);
  for (const std::int64_t d : {8, 128, 512}) {
    for (const std::int64_t names : {1, 3, 26, 345}) {
      const Tensor rows = at::randn({70, d}), columns = at::randn({names, d}).t();
      const Tensor all = row_products(rows, columns);
      EXPECT_TRUE(at::allclose(all, at::matmul(rows, columns), 1e-4, 1e-4));
      for (const std::int64_t i : {0, 1, 5, 63, 64, 69}) {
        EXPECT_TRUE(row_products(rows.narrow(0, i, 1), columns).equal(all.narrow(0, i, 1)))
            << d << " dimensions, " << names << " names, row " << i;
      }
      EXPECT_TRUE(row_products(rows.flip(0), columns).flip(0).equal(all)) << d << ", " << names;
    }
  }
}

TEST(RowProducts, KeepLeadingDimensions) {
  at::manual_seed(2);
  const Tensor rows = at::randn({3, 50, 16}), columns = at::randn({16, 4});
  const Tensor all = row_products(rows, columns);
  EXPECT_EQ(all.sizes().vec(), (std::vector<std::int64_t>{3, 50, 4}));
  EXPECT_TRUE(all.select(0, 2).equal(row_products(rows.select(0, 2), columns)));
  EXPECT_EQ(row_products(rows.narrow(0, 0, 0), columns).sizes().vec(),
            (std::vector<std::int64_t>{0, 50, 4}));
  EXPECT_EQ(row_products(rows, columns.narrow(1, 0, 0)).numel(), 0);
}

TEST(RowProducts, HaveGradientsWhereAskedFor) {
  at::manual_seed(3);
  const Tensor rows = at::randn({5, 8}), columns = at::randn({8, 3}).requires_grad_();
  row_products(rows, columns).sum().backward();
  EXPECT_TRUE(at::allclose(columns.grad(), rows.sum(0).unsqueeze(1).expand({8, 3})));
}

}  // namespace
}  // namespace openworld
