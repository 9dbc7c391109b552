#include "openworld/pretrain/word_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>
#include <gtest/gtest.h>

#include <cmath>

#include "openworld/pretrain/agreement.h"
#include "openworld/pretrain/test_util.h"

namespace openworld {
namespace {

using at::Tensor;

void in_order(std::size_t n, const std::function<void(std::size_t)>& work) {
  for (std::size_t i = 0; i < n; ++i) work(i);
}

// Four rows over seven words: one target, three, none, and two with another weight.
SoftTargets some_targets() {
  SoftTargets targets;
  targets.add(std::vector<WordTarget>{{2, 1}}, 1);
  targets.add(std::vector<WordTarget>{{0, 0.6f}, {5, 0.2f}, {6, 0.2f}}, 1);
  targets.add({}, 1);
  targets.add(std::vector<WordTarget>{{3, 0.5f}, {2, 0.5f}}, 0.5);
  return targets;
}

struct Case {
  Tensor features = normalized(random_tensor({4, 12}, 1));
  Tensor vectors = normalized(random_tensor({7, 12}, 2));
};

// The definition, with autograd and in double precision.
struct Reference {
  Tensor features, vectors, scale, loss;

  Reference(const Case& in, double factor, const SoftTargets& targets) {
    features = in.features.to(at::kDouble).requires_grad_();
    vectors = in.vectors.to(at::kDouble).requires_grad_();
    scale = random_tensor({}, 1, 0).to(at::kDouble).add(factor).requires_grad_();
    const Tensor logs = at::log_softmax(scale * at::matmul(features, vectors.t()), 1);
    loss = logs.sum() * 0;
    double total = 0;
    for (std::int64_t i = 0; i < logs.size(0); ++i) {
      const auto row = static_cast<std::size_t>(i);
      if (targets.of(row).empty()) continue;
      total += targets.weight(row);
      for (const auto& [word, share] : targets.of(row)) {
        loss = loss - targets.weight(row) * share * logs[i][word];
      }
    }
    loss = loss / total;
    loss.backward();
  }
};

TEST(WordLoss, AndItsGradientsAreTheDefinition) {
  const Case in;
  const SoftTargets targets = some_targets();
  EXPECT_DOUBLE_EQ(targets.total_weight(), 2.5);
  const Reference reference(in, 9, targets);
  for (const std::size_t parts : {1, 2, 3, 7}) {
    const WordLoss loss = word_loss(in.features, in.vectors, 9, targets, true, parts, in_order);
    EXPECT_NEAR(loss.loss, reference.loss.item<double>(), 1e-6);
    EXPECT_LT(relative_error(loss.features, reference.features.grad()), 1e-5);
    EXPECT_LT(relative_error(loss.vectors, reference.vectors.grad()), 1e-5);
    EXPECT_NEAR(loss.scale, reference.scale.grad().item<double>(), 1e-6);
    EXPECT_EQ(loss.features[2].abs().max().item<double>(), 0);  // it has no target
  }
  EXPECT_FALSE(
      word_loss(in.features, in.vectors, 9, targets, false, 2, in_order).vectors.defined());
}

// The derivative along a direction by differences, as a second opinion.
TEST(WordLoss, HasTheSlopeOfDifferences) {
  const Case in;
  const SoftTargets targets = some_targets();
  const Tensor direction = random_tensor({4, 12}, 3);
  const auto at = [&](double t) {
    return word_loss(in.features + t * direction, in.vectors, 4, targets, false, 1, in_order).loss;
  };
  const WordLoss loss = word_loss(in.features, in.vectors, 4, targets, false, 1, in_order);
  const double slope = (loss.features * direction).sum().item<double>();
  EXPECT_NEAR((at(1e-2) - at(-1e-2)) / 2e-2, slope, 1e-3 * std::abs(slope) + 1e-4);
}

TEST(WordLoss, CountsAnyTargetAsRight) {
  Case in;
  const SoftTargets targets = some_targets();
  in.features.select(0, 0).copy_(in.vectors[2]);
  in.features.select(0, 1).copy_(in.vectors[6]);
  in.features.select(0, 3).copy_(in.vectors[4]);
  const WordLoss loss = word_loss(in.features, in.vectors, 9, targets, false, 2, in_order);
  EXPECT_DOUBLE_EQ(loss.accuracy, 2.0 / 3);
}

TEST(AgreementLoss, IsTheDefinition) {
  const Tensor a = random_tensor({5, 8}, 4), b = random_tensor({5, 8}, 5);
  const auto cosine = [](const Tensor& x, const Tensor& y) {
    return (x * y).sum().item<double>() / (x.norm() * y.norm()).item<double>();
  };
  double expected = 0;
  for (std::int64_t i = 0; i < 5; ++i) {
    double forth = 0, back = 0;
    for (std::int64_t j = 0; j < 5; ++j) {
      forth += std::exp(cosine(a[i], b[j]) / 0.25);
      back += std::exp(cosine(a[j], b[i]) / 0.25);
    }
    expected += (std::log(forth) + std::log(back)) / 2 - cosine(a[i], b[i]) / 0.25;
  }
  const AgreementLoss loss = agreement_loss(a, b, 0.25);
  EXPECT_NEAR(loss.loss.item<double>(), expected / 5, 1e-5);
}

TEST(AgreementLoss, HasTheSlopeOfDifferences) {
  const Tensor a = random_tensor({6, 8}, 6).to(at::kDouble).requires_grad_();
  const Tensor b = random_tensor({6, 8}, 7).to(at::kDouble).requires_grad_();
  agreement_loss(a, b, 0.1).loss.backward();
  for (const std::uint64_t seed : {8, 9, 10}) {
    const Tensor da = random_tensor({6, 8}, seed).to(at::kDouble);
    const Tensor db = random_tensor({6, 8}, seed + 10).to(at::kDouble);
    const auto at = [&](double t) {
      return agreement_loss(a.detach() + t * da, b.detach() + t * db, 0.1).loss.item<double>();
    };
    const double slope =
        (a.grad() * da).sum().item<double>() + (b.grad() * db).sum().item<double>();
    EXPECT_NEAR((at(1e-5) - at(-1e-5)) / 2e-5, slope, 1e-6 * (1 + std::abs(slope)));
  }
}

TEST(AgreementLoss, CountsImagesThatFindThemselves) {
  Tensor a = random_tensor({4, 8}, 11), b = a.clone();
  EXPECT_EQ(agreement_loss(a, b, 0.1).accuracy, 1);
  b.select(0, 0).neg_();
  EXPECT_EQ(agreement_loss(a, b, 0.1).accuracy, 0.75);
}

}  // namespace
}  // namespace openworld
