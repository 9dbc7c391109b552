#include "openworld/pretrain/adamw.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "openworld/base/random.h"
#include "openworld/vlm/device.h"

namespace openworld {
namespace {

using at::Tensor;

// The order must not matter.
const AdamW::Runner kBackwards = [](std::size_t n, const auto& work) {
  while (n > 0) work(--n);
};

struct Trial {
  std::map<std::string, Tensor> parameters;
  std::map<std::string, std::vector<double>> value, first, second;

  Trial() {
    parameters["matrix"] = at::zeros({3, 4}, at::kFloat);
    parameters["vector"] = at::zeros({5}, at::kFloat);
    Random random(1);
    for (auto& [name, p] : parameters) {
      for (std::int64_t i = 0; i < p.numel(); ++i) {
        p.data_ptr<float>()[i] = static_cast<float>(random.normal());
        value[name].push_back(p.data_ptr<float>()[i]);
      }
      first[name] = second[name] = std::vector<double>(value[name].size());
      p.requires_grad_();
    }
  }
};

TEST(AdamW, IsTheAlgorithmStepByStep) {
  Trial trial;
  const AdamWOptions options{0.9, 0.95, 1e-6, 0.3, 0.7};
  AdamW optimizer(trial.parameters, options);
  Random random(2);
  for (int step = 1; step <= 20; ++step) {
    const double lr = 0.01 * step;
    double square = 0;
    std::map<std::string, std::vector<double>> gradients;
    for (auto& [name, p] : trial.parameters) {
      Tensor gradient = at::zeros(p.sizes(), at::kFloat);
      for (std::int64_t i = 0; i < p.numel(); ++i) {
        // Small at first, so that clipping is not always at work.
        gradient.data_ptr<float>()[i] = static_cast<float>(random.normal() * 0.02 * step);
        gradients[name].push_back(gradient.data_ptr<float>()[i]);
        square += gradients[name].back() * gradients[name].back();
      }
      p.mutable_grad() = gradient;
    }
    const double norm = std::sqrt(square), scale = std::min(1.0, 0.7 / norm);
    EXPECT_NEAR(optimizer.step(lr, kBackwards), norm, 1e-6 * norm);
    for (auto& [name, p] : trial.parameters) {
      EXPECT_FALSE(p.grad().defined());
      for (std::size_t i = 0; i < gradients[name].size(); ++i) {
        const double g = scale * gradients[name][i];
        double &x = trial.value[name][i], &m = trial.first[name][i], &v = trial.second[name][i];
        m = 0.9 * m + 0.1 * g;
        v = 0.95 * v + 0.05 * g * g;
        if (name == "matrix") x -= lr * 0.3 * x;
        x -= lr * (m / (1 - std::pow(0.9, step))) /
             (std::sqrt(v / (1 - std::pow(0.95, step))) + 1e-6);
        EXPECT_NEAR(p.data_ptr<float>()[i], x, 2e-5) << name << " " << step;
      }
    }
  }
  EXPECT_EQ(optimizer.steps(), 20);
}

TEST(AdamW, IsTheSameInOperationsOfTorch) {
  Trial kernel, torch;
  const AdamWOptions options{0.9, 0.95, 1e-6, 0.3, 0.7};
  AdamW kernel_optimizer(kernel.parameters, options), torch_optimizer(torch.parameters, options);
  Random random(2);
  for (int step = 1; step <= 10; ++step) {
    for (auto& [name, p] : kernel.parameters) {
      Tensor gradient = at::zeros(p.sizes(), at::kFloat);
      for (std::int64_t i = 0; i < p.numel(); ++i) {
        gradient.data_ptr<float>()[i] = static_cast<float>(random.normal() * 0.02 * step);
      }
      p.mutable_grad() = gradient;
      torch.parameters.at(name).mutable_grad() = gradient.clone();
    }
    const double norm = kernel_optimizer.step(0.01 * step, kBackwards);
    const TorchOperationsOnly torch_only;
    EXPECT_NEAR(torch_optimizer.step(0.01 * step, kBackwards), norm, 1e-9 * norm);
    for (const auto& [name, p] : kernel.parameters) {
      EXPECT_TRUE(torch.parameters.at(name).detach().allclose(p.detach(), 1e-5, 1e-6)) << name;
    }
  }
}

TEST(AdamW, LeavesEverythingWhenTheGradientIsNotFinite) {
  Trial trial;
  AdamW optimizer(trial.parameters, {});
  const Tensor before = trial.parameters.at("matrix").detach().clone();
  Tensor gradient = at::zeros({3, 4}, at::kFloat);
  gradient.data_ptr<float>()[7] = std::numeric_limits<float>::infinity();
  trial.parameters.at("matrix").mutable_grad() = gradient;
  EXPECT_FALSE(std::isfinite(optimizer.step(0.1, kBackwards)));
  EXPECT_TRUE(trial.parameters.at("matrix").detach().equal(before));
  EXPECT_EQ(optimizer.steps(), 0);
}

TEST(WarmupCosine, RisesAndFalls) {
  EXPECT_DOUBLE_EQ(warmup_cosine(0, 100, 10, 2), 0.2);
  EXPECT_DOUBLE_EQ(warmup_cosine(9, 100, 10, 2), 2);
  EXPECT_DOUBLE_EQ(warmup_cosine(10, 100, 10, 2), 2);
  EXPECT_NEAR(warmup_cosine(55, 100, 10, 2), 1, 1e-12);
  EXPECT_NEAR(warmup_cosine(99, 100, 10, 2), 2 * 0.0003046, 1e-5);
  EXPECT_DOUBLE_EQ(warmup_cosine(0, 100, 0, 2), 2);
  EXPECT_DOUBLE_EQ(warmup_cosine(5, 5, 5, 2), 2);
}

}  // namespace
}  // namespace openworld
