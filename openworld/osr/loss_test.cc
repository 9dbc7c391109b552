// Losses, gradients of everything they depend on, and scores, against oracle.py.

#include "openworld/osr/loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "openworld/base/error.h"
#include "openworld/osr/openauc.h"
#include "openworld/osr/table.h"
#include "openworld/osr/test_util.h"

namespace openworld {
namespace {

using at::Tensor;

nlohmann::json cases() {
  std::ifstream file(std::string(OPENWORLD_ORACLE_DIR) + "/losses.json");
  return nlohmann::json::parse(file);
}

OsrLossInput input_of(const OracleTensors& tensors, at::ScalarType type) {
  OsrLossInput input;
  input.features = tensors.at("features").to(type);
  input.labels = tensors.at("labels");
  for (const auto& [name, value] : tensors) {
    if (name.starts_with("parameter.")) input.parameters[name.substr(10)] = value.to(type);
    if (name == "generated") input.generated = value.to(type);
    if (name == "share") input.mix.share = value.item<double>();
    if (name == "order") {
      const auto* const order = value.data_ptr<std::int64_t>();
      input.mix.order.assign(order, order + value.numel());
    }
  }
  return input;
}

void check_case(const nlohmann::json& one, at::ScalarType type, double relative) {
  SCOPED_TRACE(one["name"]);
  const OracleTensors tensors = read_oracle("loss-" + one["name"].get<std::string>());
  std::vector<std::string> options;
  for (const auto& [name, value] : one["options"].items()) {
    options.push_back(name + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  const OsrLoss got = osr_loss(one["method"].get<std::string>(), options, input_of(tensors, type));
  const double loss = tensors.at("loss").item<double>();
  EXPECT_NEAR(got.loss, loss, relative * std::abs(loss));
  expect_close(got.logits, tensors.at("logits"), relative, "logits");
  expect_close(got.scores, tensors.at("scores"), relative, "scores");
  std::size_t gradients = 0;
  for (const auto& [name, value] : tensors) {
    if (!name.starts_with("gradient.")) continue;
    ++gradients;
    expect_close(got.gradients.at(name.substr(9)), value, relative, name);
  }
  EXPECT_EQ(gradients, got.gradients.size());
}

TEST(OsrLoss, EqualsPyTorchInDouble) {
  for (const auto& one : cases()) check_case(one, at::kDouble, 1e-10);
}

TEST(OsrLoss, EqualsPyTorchInFloat) {
  for (const auto& one : cases()) check_case(one, at::kFloat, 1e-4);
}

TEST(OsrLoss, EveryMethodHasACase) {
  std::set<std::string> covered;
  for (const auto& one : cases()) covered.insert(one["method"]);
  for (const OsrMethodRow& row : osr_methods()) {
    EXPECT_TRUE(covered.contains(std::string(row.name))) << row.name;
  }
}

// Two samples of two classes at hand: D = |x - p|^2 / 2.
TEST(OsrLoss, ArplByHand) {
  const Tensor features = at::zeros({2, 2}, at::kDouble);
  features[0][0] = 2.0;
  features[1][1] = 2.0;
  const Tensor centers = at::zeros({2, 2}, at::kDouble);
  centers[0][0] = -1.0;
  centers[1][1] = -1.0;
  const Tensor labels = at::zeros({2}, at::kLong);
  labels[1] = 1;
  const OsrLoss got =
      osr_loss("arpl", {},
               {.features = features,
                .labels = labels,
                .parameters = {{"centers", centers}, {"radius", at::full({1}, 0.5, at::kDouble)}}});
  // Own distance 9 / 2, other 5 / 2; dot products -2 and 0; margin 4.5 - 0.5 + 1.
  EXPECT_NEAR(got.logits[0][0].item<double>(), 6.5, 1e-12);
  EXPECT_NEAR(got.logits[0][1].item<double>(), 2.5, 1e-12);
  EXPECT_NEAR(got.loss, std::log(1 + std::exp(-4.0)) + 0.1 * 5, 1e-12);
  EXPECT_NEAR(got.gradients.at("radius").item<double>(), -0.1, 1e-12);
}

std::string message_of(const char* method, const std::vector<std::string>& options,
                       const OsrLossInput& input) {
  try {
    osr_loss(method, options, input);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(OsrLoss, RefusesWhatDoesNotFit) {
  const OracleTensors tensors = read_oracle("loss-arpl");
  const OsrLossInput good = input_of(tensors, at::kDouble);
  const auto expect = [](const std::string& message, const char* part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(message_of("arp", {}, good), "no method \"arp\"; did you mean arpl?");
  expect(message_of("arpl", {"lambda=1"}, good), "lambda");
  expect(message_of("softmax", {}, good), "weight is missing");
  expect(message_of("gcpl", {}, good), "radius is given; the method has no such tensor");
  OsrLossInput input = good;
  input.parameters.erase("radius");
  expect(message_of("arpl", {}, input), "radius is missing");
  input = good;
  input.labels = good.labels.clone();
  input.labels[3] = 9;
  expect(message_of("arpl", {}, input), "labels[3] is 9; expected 0 to 4");
  input = good;
  input.features = good.features.narrow(1, 0, 3);
  expect(message_of("arpl", {}, input), "expected as many columns in both");
  input = good;
  input.features = good.features.clone();
  input.features[0][0] = std::nan("");
  expect(message_of("arpl", {}, input), "features has values that are not finite");
  input = good;
  input.generated = good.features;
  expect(message_of("arpl", {}, input), "the method generates nothing");
  const OracleTensors mixed = read_oracle("loss-openauc");
  input = input_of(mixed, at::kDouble);
  input.mix.order[0] = input.mix.order[1];
  expect(message_of("openauc", {}, input), "order is no permutation");
}

TEST(OpenAuc, SharesAreOfABetaDistribution) {
  for (const double alpha : {0.3, 1.0, 2.0, 8.0}) {
    Random random(5);
    double sum = 0, squares = 0;
    constexpr int kCount = 20000;
    for (int i = 0; i < kCount; ++i) {
      const double share = symmetric_beta(alpha, random);
      ASSERT_GE(share, 0);
      ASSERT_LE(share, 1);
      sum += share;
      squares += share * share;
    }
    const double mean = sum / kCount, variance = squares / kCount - mean * mean;
    const double expected = 1 / (4 * (2 * alpha + 1));
    EXPECT_NEAR(mean, 0.5, 4 * std::sqrt(expected / kCount)) << alpha;
    EXPECT_NEAR(variance, expected, 0.05 * expected) << alpha;
  }
}

TEST(OpenAuc, OddBatchesMixNothing) {
  const auto head = OpenAucOptions().make({3, 4}, 1);
  Random random(1);
  EXPECT_TRUE(head->draw(7, random).order.empty());
  EXPECT_EQ(head->draw(8, random).order.size(), 4u);
}

}  // namespace
}  // namespace openworld
