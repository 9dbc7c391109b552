#include "openworld/openset/logit_source.h"

#include <gtest/gtest.h>

#include "openworld/base/error.h"
#include "openworld/openset/matrix_product.h"
#include "openworld/openset/test_open_set.h"

namespace openworld {
namespace {

template <class T>
std::vector<T> random_features(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> values(rows * columns);
  for (T& value : values) value = static_cast<T>(random.normal());
  return values;
}

template <class T>
double cosine(const T* a, const T* b, std::size_t n) {
  double product = 0, aa = 0, bb = 0;
  for (std::size_t j = 0; j < n; ++j) {
    product += static_cast<double>(a[j]) * b[j];
    aa += static_cast<double>(a[j]) * a[j];
    bb += static_cast<double>(b[j]) * b[j];
  }
  return product / std::sqrt(aa * bb);
}

template <class T>
void check_products(double tolerance) {
  constexpr std::size_t kImages = 700, kClasses = 30, kNegatives = 11, kWidth = 37;
  const auto images = random_features<T>(kImages, kWidth, 1);
  const auto texts = random_features<T>(kClasses, kWidth, 2);
  const auto negatives = random_features<T>(kNegatives, kWidth, 3);
  const auto source =
      feature_logits({matrix_of(images, kWidth), "features", {"openset", "i.npz"}},
                     {{matrix_of(texts, kWidth), "features", {"openset", "t.npz"}},
                      {matrix_of(negatives, kWidth), "features", {"openset", "n.npz"}}},
                     {.scale = 50});
  ASSERT_EQ(source->rows(), kImages);
  ASSERT_EQ(source->columns(), kClasses + kNegatives);
  const AnyTileReader any = source->reader();
  const auto& reader = std::get<std::unique_ptr<TileReader<T>>>(any);
  for (std::size_t begin = 0; begin < kImages; begin += source->tile_rows()) {
    const std::size_t count = std::min(source->tile_rows(), kImages - begin);
    const T* tile = reader->read(begin, count);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < kClasses + kNegatives; ++j) {
        const T* query =
            j < kClasses ? texts.data() + j * kWidth : negatives.data() + (j - kClasses) * kWidth;
        const double expected = 50 * cosine(images.data() + (begin + i) * kWidth, query, kWidth);
        ASSERT_NEAR(tile[i * (kClasses + kNegatives) + j], expected, tolerance);
      }
    }
  }
}

TEST(LogitSource, ProductsAreScaledCosines) {
  check_products<float>(3e-5);
  check_products<double>(1e-12);
}

TEST(LogitSource, PlainProductsAreThoseOfOpenBlas) {
  const auto a = random_features<float>(37, 129, 1), b = random_features<float>(71, 129, 2);
  std::vector<float> fast(37 * 71), plain(37 * 71);
  const SingleThreadedProducts guard;
  multiply_by_transposed(a.data(), b.data(), fast.data(), 37, 71, 129, 2.0F);
  multiply_plainly(a.data(), b.data(), plain.data(), 37, 71, 129, 2.0F);
  for (std::size_t i = 0; i < fast.size(); ++i) ASSERT_NEAR(fast[i], plain[i], 2e-4);
}

void expect_refused(std::vector<float> images, std::vector<float> texts, std::size_t width,
                    const std::string& says) {
  const std::size_t text_width = texts.size() / 2;
  const std::vector<std::int32_t> label(images.size() / width, 0);
  try {
    const auto source = feature_logits(
        {matrix_of(std::move(images), width), "features", {"openset", "i.npz"}},
        {{matrix_of(std::move(texts), text_width), "features", {"openset", "t.npz"}}}, {});
    OpenSetPlan plan;
    plan.measures = find_uncertainties("softmax", OutputActivation::kSoftmax);
    plan.classes = 2;
    run_open_set(*source, label, plan, {"openset", "i.npz"});
    FAIL() << "accepted; expected: " << says;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
  }
}

TEST(LogitSource, RefusesFeaturesWithoutDirection) {
  const auto images = random_features<float>(40, 4, 1), texts = random_features<float>(2, 4, 2);
  auto bad = images;
  bad[4 * 30] = NAN;
  bad[4 * 7 + 3] = INFINITY;
  expect_refused(bad, texts, 4, "i.npz: features[7, 3] is inf");
  bad = images;
  std::fill_n(bad.begin() + 8, 4, 0.0F);
  expect_refused(bad, texts, 4, "i.npz: features[2] has length 0");
  auto zero = texts;
  std::fill_n(zero.begin(), 4, 0.0F);
  expect_refused(images, zero, 4, "t.npz: features[0] has length 0");
  zero[0] = NAN;
  expect_refused(images, zero, 4, "t.npz: features[0, 0] is NaN");
  expect_refused(images, random_features<float>(2, 5, 2), 4,
                 "t.npz: features has 5 columns; expected 4");
}

}  // namespace
}  // namespace openworld
