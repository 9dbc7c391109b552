// Networks against oracle.py, layer by layer, in training and in evaluation mode, with gradients
// and running statistics; and the fast path against torch's operations.

#include "openworld/osr/network.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <cmath>

#include "openworld/base/error.h"
#include "openworld/osr/gan.h"
#include "openworld/osr/method.h"
#include "openworld/osr/osr_model.h"
#include "openworld/osr/test_util.h"

namespace openworld {
namespace {

using at::Tensor;

struct NetCase {
  const char* file;
  const char* net;
  int norm_sets;
};

constexpr NetCase kCases[] = {{"vgg32", "vgg32", 1},
                              {"vgg32_two_norms", "vgg32", 2},
                              {"small", "small", 1},
                              {"mlp", "mlp", 1}};

class LoadedNet {
 public:
  LoadedNet(const NetCase& one, at::ScalarType type)
      : tensors(read_oracle(std::string("net-") + one.file)), type_(type) {
    const Tensor& shown = tensors.at("input");
    net = find_network(one.net).make({.input = shown.size(1), .norm_sets = one.norm_sets});
    if (type == at::kDouble) net->to_double();
    if (tensors.contains("samples")) net->fit_input(tensors.at("samples").to(type));
    const at::NoGradGuard no_grad;
    for (const auto& [name, value] : tensors) {
      if (name.starts_with("parameter.")) net->parameters().at(name.substr(10)).copy_(value);
      if (name.starts_with("buffer.")) net->buffers().at(name.substr(7)).copy_(value);
    }
  }

  Tensor input() const { return tensors.at("input").to(type_); }

  // Those of the file, by their place.
  std::vector<Tensor> masks(std::size_t layers) const {
    std::vector<Tensor> all(layers + 1);
    for (std::size_t i = 0; i <= layers; ++i) {
      const auto found = tensors.find("mask." + std::to_string(i));
      if (found != tensors.end()) all[i] = found->second.to(type_);
    }
    return all;
  }

  OracleTensors tensors;
  std::unique_ptr<Network> net;

 private:
  at::ScalarType type_;
};

std::size_t count(const OracleTensors& tensors, const std::string& prefix) {
  std::size_t found = 0;
  for (const auto& [name, value] : tensors) found += name.starts_with(prefix);
  return found;
}

void check_case(const NetCase& one, at::ScalarType type, double relative) {
  SCOPED_TRACE(one.file);
  LoadedNet loaded(one, type);
  const OracleTensors& tensors = loaded.tensors;
  BatchThreads threads(1);
  const std::size_t layers = count(tensors, "train.");

  std::vector<Tensor> trace;
  const Tensor evaluated = loaded.net->evaluate(loaded.input(), threads, &trace);
  expect_close(evaluated, tensors.at("eval_features"), relative, "eval features");
  ASSERT_EQ(trace.size(), layers);
  for (std::size_t l = 0; l < layers; ++l) {
    expect_close(trace[l], tensors.at("eval." + std::to_string(l)), relative,
                 "eval layer " + std::to_string(l));
  }
  expect_close(loaded.net->evaluate(loaded.input(), threads), tensors.at("eval_features"), relative,
               "eval features in parts");

  const auto pass =
      loaded.net->train(loaded.input(), loaded.masks(layers),
                        static_cast<int>(tensors.at("norm_set").item<std::int64_t>()), threads);
  expect_close(pass->features(), tensors.at("features"), relative, "train features");
  const std::vector<Tensor> outputs = pass->activations();
  ASSERT_EQ(outputs.size(), layers);
  for (std::size_t l = 0; l < layers; ++l) {
    expect_close(outputs[l], tensors.at("train." + std::to_string(l)), relative,
                 "train layer " + std::to_string(l));
  }
  for (const auto& [name, value] : tensors) {
    if (!name.starts_with("after.")) continue;
    expect_close(loaded.net->buffers().at(name.substr(6)), value, relative, name);
  }
  const Tensor of_input = pass->backward(tensors.at("upstream").to(type), true, true);
  const auto expect_gradient = [&](const Tensor& ours, const Tensor& theirs,
                                   const std::string& what) {
    if (type == at::kDouble) return expect_close(ours, theirs, relative, what);
    // In float a few of a million activations are on the other side of LeakyReLU's kink, so that
    // single gradients differ; all of them together hardly do.
    const double error = (ours.to(at::kDouble) - theirs).norm().item<double>();
    // A bias before a batch norm has a gradient of 0.
    EXPECT_LE(error, 0.01 * theirs.norm().item<double>() + 1e-4) << what;
  };
  expect_gradient(of_input, tensors.at("gradient_input"), "gradient of the input");
  for (const auto& [name, value] : loaded.net->parameters()) {
    const auto expected = tensors.find("gradient." + name);
    ASSERT_EQ(expected != tensors.end(), value.grad().defined()) << name;
    if (value.grad().defined()) expect_gradient(value.grad(), expected->second, name);
  }
}

TEST(OsrNetwork, EqualsPyTorchInDouble) {
  for (const NetCase& one : kCases) check_case(one, at::kDouble, 1e-9);
}

TEST(OsrNetwork, FastPathEqualsPyTorchInFloat) {
  for (const NetCase& one : kCases) check_case(one, at::kFloat, 2e-4);
}

TEST(OsrNetwork, Vgg32HasThePublishedNumbers) {
  const OsrModel model({.method = "softmax", .net = "vgg32", .classes = 20});
  EXPECT_EQ(model.parameter_count(), 1'001'920);
  EXPECT_TRUE(model.parameters().contains("bn10.weight"));
  EXPECT_NEAR(model.network().forward_flops() / 2e6, 165, 5);
}

TEST(OsrNetwork, FirstValuesAreDrawnAsPublished) {
  const OsrModel model({.method = "arpl", .net = "vgg32", .classes = 6, .seed = 4});
  const auto deviation = [&](const char* name) {
    return model.parameters().at(name).std().item<double>();
  };
  EXPECT_NEAR(deviation("conv5.weight"), 0.05, 0.001);
  EXPECT_NEAR(deviation("centers"), 0.1, 0.01);
  EXPECT_NEAR(deviation("bn5.weight"), 0.02, 0.006);
  EXPECT_NEAR(model.parameters().at("bn5.weight").mean().item<double>(), 1, 0.01);
  EXPECT_EQ(model.parameters().at("radius").item<double>(), 0);
  const OsrModel other({.method = "arpl", .net = "vgg32", .classes = 6, .seed = 5});
  EXPECT_FALSE(
      at::equal(model.parameters().at("conv5.weight"), other.parameters().at("conv5.weight")));
}

TEST(OsrNetwork, BitsDoNotDependOnThreads) {
  for (const char* net : {"vgg32", "small"}) {
    std::vector<Tensor> results[2];
    for (const int threads : {1, 3}) {
      BatchThreads pool(threads);
      const auto network = find_network(net).make({.seed = 2});
      const Tensor input = at::arange(21 * 3 * 1024, at::kFloat).view({21, 3, 32, 32}).sin();
      Random random(3);
      const auto pass = network->train(input, network->draw_masks(21, random), 0, pool);
      std::vector<Tensor>& result = results[threads > 1];
      result.push_back(pass->features());
      result.push_back(pass->backward(pass->features().cos(), true, true));
      for (const auto& [name, value] : network->parameters()) {
        if (value.grad().defined()) result.push_back(value.grad());
      }
      for (const auto& [name, value] : network->buffers()) result.push_back(value);
      result.push_back(network->evaluate(input, pool));
    }
    ASSERT_EQ(results[0].size(), results[1].size());
    for (std::size_t i = 0; i < results[0].size(); ++i) {
      EXPECT_TRUE(at::equal(results[0][i], results[1][i])) << net << ", " << i;
    }
  }
}

TEST(OsrNetwork, MasksDropWholeChannels) {
  const auto network = find_network("vgg32").make({});
  Random random(1);
  const std::vector<Tensor> masks = network->draw_masks(500, random);
  ASSERT_EQ(masks.size(), 10u);
  for (std::size_t i = 0; i < masks.size(); ++i) {
    EXPECT_EQ(masks[i].defined(), i == 0 || i == 3 || i == 6) << i;
  }
  EXPECT_EQ(masks[3].sizes(), at::IntArrayRef({500, 128}));
  EXPECT_NEAR(masks[3].eq(0).to(at::kDouble).mean().item<double>(), 0.2, 0.01);
  EXPECT_NEAR(masks[3].max().item<double>(), 1.25, 1e-6);
}

TEST(OsrNetwork, RefusesOtherSizes) {
  BatchThreads threads(1);
  const auto network = find_network("small").make({});
  try {
    network->evaluate(at::empty({2, 3, 28, 28}), threads);
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "[osr] images are [2, 3, 28, 28]; expected [N, 3, 32, 32]");
  }
  const auto mlp = find_network("mlp").make({.input = 7});
  EXPECT_THROW(mlp->evaluate(at::empty({2, 8}), threads), Error);
  EXPECT_THROW(find_network("vgg16"), Error);
}

// The same formula as in oracle.py.
Tensor given(const std::string& part, const std::string& name, const Tensor& like) {
  double phase = 0;
  for (const char c : part + "." + name) phase += c;
  const Tensor wave =
      (at::arange(like.numel(), at::kDouble) * 12.9898 + phase).sin().view(like.sizes());
  if (like.dim() == 1) return 1 + 0.2 * wave;
  return wave * std::sqrt(2 / static_cast<double>(like[0].numel()));
}

Tensor digest(const Tensor& gradient) {
  const Tensor flat = gradient.contiguous().view(-1);
  const Tensor wave = (at::arange(flat.numel(), at::kDouble) * 0.11).cos();
  Tensor numbers = at::empty({2}, at::kDouble);
  numbers[0] = flat.sum();
  numbers[1] = (flat * wave).sum();
  return numbers;
}

void set_given(const std::string& part, const NamedTensors& parameters) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, value] : parameters) value.copy_(given(part, name, value));
}

TEST(Gan, EqualsPyTorch) {
  const OracleTensors tensors = read_oracle("gan");
  Generator generator(1);
  Discriminator discriminator(1);
  generator.to_double();
  discriminator.to_double();
  set_given("generator", generator.parameters());
  set_given("discriminator", discriminator.parameters());
  BatchThreads threads(1);
  constexpr double kRelative = 1e-6;

  const auto real = discriminator.loss(tensors.at("real"), 1, true, true, threads);
  EXPECT_NEAR(real.value, tensors.at("real_loss").item<double>(), kRelative);
  expect_close(real.probability, tensors.at("real_probability"), kRelative, "probability");
  expect_close(real.of_images, tensors.at("gradient.real"), kRelative, "gradient of images");
  for (const auto& [name, value] : discriminator.parameters()) {
    expect_close(digest(value.grad()), tensors.at("gradient.discriminator." + name), kRelative,
                 "discriminator " + name);
  }
  Generator::Pass made = generator.generate(tensors.at("noise"), threads);
  expect_close(made.images, tensors.at("images"), kRelative, "images");
  const auto fooled = discriminator.loss(made.images, 1, false, true, threads);
  EXPECT_NEAR(fooled.value, tensors.at("loss").item<double>(), kRelative);
  generator.backward(made, fooled.of_images, threads);
  for (const auto& [name, value] : generator.parameters()) {
    expect_close(digest(value.grad()), tensors.at("gradient.generator." + name), kRelative,
                 "generator " + name);
  }
}

// In float, by parts, against the same in double.
TEST(Gan, FastPathEqualsTorch) {
  Tensor images[2], gradient[2];
  for (const bool in_double : {false, true}) {
    Generator generator(7);
    Discriminator discriminator(7);
    if (in_double) {
      generator.to_double();
      discriminator.to_double();
    }
    Random random(2);
    BatchThreads threads(2);
    const Tensor noise = Generator::draw_noise(11, random);
    Generator::Pass made = generator.generate(in_double ? noise.to(at::kDouble) : noise, threads);
    images[in_double] = made.images;
    const auto loss = discriminator.loss(made.images, 1, false, true, threads);
    generator.backward(made, loss.of_images, threads);
    gradient[in_double] = generator.parameters().at("conv2.weight").grad();
  }
  expect_close(images[0], images[1], 1e-4, "images");
  expect_close(gradient[0], gradient[1], 2e-3, "gradient");
}

TEST(PublishedModel, LoadsWeightsOfPyTorch) {
  const OracleTensors tensors = read_oracle("published");
  const std::string folder = std::string(OPENWORLD_ORACLE_DIR) + "/";
  BatchThreads threads(1);
  for (const std::string name : {"published", "published_abn"}) {
    const OsrModel softmax = open_published_model({.weights = folder + name + ".pth"});
    EXPECT_EQ(softmax.classes(), 6);
    const Tensor features = softmax.network().evaluate(tensors.at("images"), threads);
    expect_close(softmax.head().logits(features).detach(), tensors.at(name + ".logits"), 1e-4,
                 name);
    const OsrModel arpl = open_published_model({.method = "arpl",
                                                .weights = folder + name + ".pth",
                                                .criterion = folder + name + "_criterion.pth"});
    expect_close(arpl.head().logits(features).detach(), tensors.at(name + ".arpl"), 1e-4, name);
    EXPECT_EQ(arpl.head().parameters().at("radius").item<double>(), 0.5);
  }
}

TEST(PublishedModel, NamesWhatDoesNotFit) {
  const std::string folder = std::string(OPENWORLD_ORACLE_DIR) + "/";
  const auto message = [](const PublishedOsrModel& request) -> std::string {
    try {
      open_published_model(request);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message({.net = "small", .weights = folder + "published.pth"}).find("unexpected: "),
            std::string::npos);
  EXPECT_NE(message({.method = "arpl", .weights = folder + "published.pth"}).find("--criterion"),
            std::string::npos);
  EXPECT_NE(message({.weights = folder + "published_criterion.pth"}).find("has no fc.weight"),
            std::string::npos);
  EXPECT_NE(message({.net = "mlp", .weights = folder + "published.pth"}).find("expected vgg32"),
            std::string::npos);
}

TEST(OsrSchedule, EqualsTorchsSchedulers) {
  for (const auto& [name, rates] : read_oracle("schedules")) {
    const std::int64_t epochs = std::stoll(name.substr(name.find('.') + 1));
    const LrSchedule schedule =
        name.starts_with("steps") ? LrSchedule::kSteps : LrSchedule::kRestarts;
    for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
      EXPECT_NEAR(osr_lr(schedule, 0.1, epoch, epochs, 2), rates[epoch].item<double>(), 1e-12)
          << name << ", epoch " << epoch;
    }
  }
}

}  // namespace
}  // namespace openworld
