#include "openworld/pretrain/contrastive.h"

#include <ATen/ops/empty.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "openworld/base/random.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using at::Tensor;
using Concepts = std::vector<std::uint64_t>;

Tensor random_rows(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  Tensor tensor = at::empty({rows, columns}, at::kFloat);
  Random random(seed);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    tensor.data_ptr<float>()[i] = static_cast<float>(random.normal());
  }
  return tensor;
}

Tensor scalar(double value) {
  Tensor tensor = at::empty({}, at::kFloat);
  *tensor.data_ptr<float>() = static_cast<float>(value);
  return tensor;
}

double cosine(const Tensor& a, const Tensor& b, std::int64_t i, std::int64_t j) {
  double ab = 0, aa = 0, bb = 0;
  for (std::int64_t k = 0; k < a.size(1); ++k) {
    const double x = a.data_ptr<float>()[i * a.size(1) + k];
    const double y = b.data_ptr<float>()[j * b.size(1) + k];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / std::sqrt(aa * bb);
}

// The definition, term by term, in double.
double naive_loss(const Tensor& images, const Tensor& captions, double factor,
                  const Concepts& image_concepts, const Concepts& caption_concepts,
                  const ContrastiveOptions& options) {
  const auto direction = [&](const Tensor& from, const Tensor& to, const Concepts& rows,
                             const Concepts& columns) {
    double total = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double sum = 0, same = 0;
      for (std::size_t j = 0; j < columns.size(); ++j) {
        sum += std::exp(
            factor * cosine(from, to, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)));
        same += rows[i] == columns[j] ? 1 : 0;
      }
      for (std::size_t j = 0; j < columns.size(); ++j) {
        const double log_share =
            factor * cosine(from, to, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)) -
            std::log(sum);
        double target = i == j ? 1 - options.shared : 0;
        if (rows[i] == columns[j]) target += options.shared / same;
        target = (1 - options.smoothing) * target +
                 options.smoothing / static_cast<double>(columns.size());
        total -= target * log_share;
      }
    }
    return total / static_cast<double>(rows.size());
  };
  const Concepts paired(caption_concepts.begin(),
                        caption_concepts.begin() + static_cast<std::ptrdiff_t>(images.size(0)));
  return (direction(images, captions, image_concepts, caption_concepts) +
          direction(captions, images, paired, image_concepts)) /
         2;
}

TEST(ContrastiveLoss, IsTheDefinition) {
  const Concepts images = {3, 5, 3, 9, 5}, captions = {3, 5, 3, 9, 5, 3, 7, 9};
  const Tensor a = random_rows(5, 6, 1), b = random_rows(8, 6, 2);
  for (const double shared : {0.0, 0.6, 1.0}) {
    for (const double smoothing : {0.0, 0.2}) {
      const ContrastiveOptions options{shared, smoothing};
      const auto loss = contrastive_loss(a, b, scalar(std::log(9.0)), images, captions, options);
      EXPECT_NEAR(loss.loss.item<double>(), naive_loss(a, b, 9, images, captions, options), 1e-5);
    }
  }
}

TEST(ContrastiveLoss, WithoutOptionsIsClips) {
  // Orthogonal pairs and a factor of 0: every answer is as good as any.
  const Concepts concepts = {0, 1, 2, 3};
  const Tensor a = random_rows(4, 4, 3);
  const auto loss = contrastive_loss(a, a, scalar(-100), concepts, concepts);
  EXPECT_NEAR(loss.loss.item<double>(), std::log(4.0), 1e-6);
  const auto sharp = contrastive_loss(a, a, scalar(std::log(100)), concepts, concepts);
  EXPECT_EQ(sharp.accuracy, 1);
  EXPECT_LT(sharp.loss.item<double>(), 0.1);
}

TEST(ContrastiveLoss, CountsTheConceptAsRight) {
  // Image 0 is nearest to caption 1, which is of the same concept; image 1 to caption 0 as well.
  const Tensor a = random_rows(2, 8, 4);
  Tensor b = at::empty({2, 8}, at::kFloat);
  b.select(0, 0).copy_(a.select(0, 1));
  b.select(0, 1).copy_(a.select(0, 0));
  const Concepts same = {1, 1}, other = {1, 2};
  EXPECT_EQ(contrastive_loss(a, b, scalar(1), same, same).accuracy, 1);
  EXPECT_EQ(contrastive_loss(a, b, scalar(1), other, other).accuracy, 0);
}

TEST(NamingLoss, IsTheCrossEntropyOverTheList) {
  const Concepts images = {7, 3, 7}, names = {3, 5, 7, 7};
  const Tensor a = random_rows(3, 6, 5), b = random_rows(4, 6, 6);
  double expected = 0, right = 0;
  for (std::int64_t i = 0; i < 3; ++i) {
    double sum = 0, best = -1e9, same = 0, own = 0;
    std::size_t at = 0;
    for (std::size_t j = 0; j < names.size(); ++j) {
      const double logit = 4 * cosine(a, b, i, static_cast<std::int64_t>(j));
      sum += std::exp(logit);
      if (logit > best) std::tie(best, at) = std::pair(logit, j);
      if (names[j] != images[static_cast<std::size_t>(i)]) continue;
      own += logit;
      ++same;
    }
    expected += std::log(sum) - own / same;
    right += names[at] == images[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  const auto loss = naming_loss(a, b, scalar(std::log(4.0)), images, names);
  EXPECT_NEAR(loss.loss.item<double>(), expected / 3, 1e-5);
  EXPECT_DOUBLE_EQ(loss.accuracy, right / 3);
  const Concepts other = {1, 3, 7};
  EXPECT_ERROR(naming_loss(a, b, scalar(0), other, names), "not on the list");
}

}  // namespace
}  // namespace openworld
