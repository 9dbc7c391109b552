// Training: steps equal those of plain torch, runs resume to the same bits, for any number of
// threads, and every method learns.

#include "openworld/osr/osr_trainer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "openworld/base/error.h"
#include "openworld/osr/streams.h"
#include "openworld/osr/table.h"
#include "openworld/osr/test_util.h"

namespace openworld {
namespace {

using at::Tensor;

std::string scratch(const std::string& name) {
  return (std::filesystem::path(testing::TempDir()) / ("osr_trainer_" + name)).string();
}

OsrModelSpec spec_of(const std::string& method, const std::string& net, OptionValues options = {}) {
  OsrModelSpec spec{.method = method, .net = net, .options = std::move(options), .classes = 4};
  if (net == "linear" || net == "mlp") spec.input = 16;
  return spec;
}

OptionValues short_training(std::int64_t epochs, double lr = 0.05) {
  return {{"epochs", epochs}, {"batch", std::int64_t{16}}, {"lr", lr}};
}

double accuracy(const OsrModel& model, const OsrSamples& samples) {
  const OsrPredictions predictions = model.predict(samples, 1);
  const auto classes = static_cast<std::size_t>(model.classes());
  std::size_t right = 0, known = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples.labels()[i] < 0) continue;
    const float* const row = predictions.logits.data() + i * classes;
    ++known;
    right += std::max_element(row, row + classes) - row == samples.labels()[i];
  }
  return static_cast<double>(right) / static_cast<double>(known);
}

double mean_score(const OsrModel& model, const OsrSamples& samples, bool unknown) {
  const OsrPredictions predictions = model.predict(samples, 1);
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if ((samples.labels()[i] < 0) != unknown) continue;
    sum += static_cast<double>(predictions.score[i]);
    ++count;
  }
  return sum / count;
}

TEST(OsrTrainer, EveryMethodLearnsFeatures) {
  const SmallSamples train(false, 160, 4), test(false, 120, 4, 20, 3);
  for (const OsrMethodRow& row : osr_methods()) {
    if (row.options()->generates()) continue;
    SCOPED_TRACE(row.name);
    for (const char* net : {"linear", "mlp"}) {
      const OsrModel model(spec_of(std::string(row.name), net, short_training(15, 0.02)));
      OsrTrainer trainer(model, train, {.seed = 3, .threads = 1});
      const double first = trainer.run_step().loss;
      OsrStep last;
      while (!trainer.done()) last = trainer.run_step();
      EXPECT_LT(last.mean_loss, first) << net;
      EXPECT_GT(accuracy(model, test), 0.9) << net;
    }
  }
}

TEST(OsrTrainer, SmallNetLearnsImages) {
  const SmallSamples train(true, 96, 4), test(true, 48, 4, 16, 9);
  const OsrModel model(spec_of("softmax", "small", short_training(6)));
  OsrTrainer trainer(model, train, {.seed = 1, .threads = 2});
  while (!trainer.done()) trainer.run_step();
  EXPECT_GT(accuracy(model, test), 0.9);
  EXPECT_GT(mean_score(model, test, false), mean_score(model, test, true));
}

// Parameters after two epochs, saved after `stop` steps and loaded by another trainer.
NamedTensors trained(const std::string& method, const std::string& net, int threads, int stop) {
  const bool images = net == "small" || net == "vgg32";
  // With generated images an epoch has two steps for one batch.
  const SmallSamples samples(images, method == "arpl-cs" ? 10 : images ? 22 : 40, 4);
  const OsrModelSpec spec = spec_of(method, net, short_training(2));
  auto model = std::make_unique<OsrModel>(spec);
  OsrTrainerSettings settings{.seed = 5, .threads = threads};
  auto trainer = std::make_unique<OsrTrainer>(*model, samples, settings);
  for (int step = 0; !trainer->done(); ++step) {
    if (step == stop) {
      const std::string path = scratch("state.safetensors");
      trainer->save(path, "a run");
      EXPECT_EQ(saved_osr_run(path), "a run");
      auto other = std::make_unique<OsrModel>(spec);
      settings.threads = 1;
      auto next = std::make_unique<OsrTrainer>(*other, samples, settings);
      next->load(path);
      EXPECT_EQ(next->step(), trainer->step());
      trainer = std::move(next);
      model = std::move(other);
    }
    trainer->run_step();
  }
  NamedTensors tensors = model->parameters();
  for (const auto& [name, value] : model->network().buffers()) tensors["buffer." + name] = value;
  return tensors;
}

void expect_same(const NamedTensors& a, const NamedTensors& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, value] : a) EXPECT_TRUE(at::equal(value, b.at(name))) << name;
}

TEST(OsrTrainer, ResumesToTheSameBitsWithAnyThreads) {
  for (const auto& [method, net] :
       {std::pair("openauc", "mlp"), std::pair("arpl", "small"), std::pair("arpl-cs", "small")}) {
    SCOPED_TRACE(method);
    const NamedTensors whole = trained(method, net, 1, -1);
    expect_same(whole, trained(method, net, 3, -1));
    expect_same(whole, trained(method, net, 2, 1));
    expect_same(whole, trained(method, net, 1, 3));
  }
}

TEST(OsrTrainer, RefusesStatesOfOthers) {
  const SmallSamples samples(false, 40, 4);
  const std::string path = scratch("other.safetensors");
  const OsrModel model(spec_of("arpl", "mlp", short_training(2)));
  {
    OsrTrainer trainer(model, samples, {});
    trainer.run_step();
    trainer.save(path, "x");
  }
  const OsrModel softmax(spec_of("softmax", "mlp", short_training(2)));
  OsrTrainer other(softmax, samples, {});
  EXPECT_THROW(other.load(path), Error);
  const SmallSamples fewer(false, 20, 4);
  const OsrModel again(spec_of("arpl", "mlp", short_training(1)));
  OsrTrainer shorter(again, fewer, {});
  EXPECT_NO_THROW(shorter.load(path));  // step 1 of 2: a place that it has
  std::filesystem::resize_file(path, 100);
  EXPECT_THROW(shorter.load(path), Error);
}

TEST(OsrTrainer, ALastSampleAloneIsLeftOut) {
  const OsrModel model(spec_of("softmax", "mlp", short_training(1)));
  const SmallSamples samples(false, 33, 4);
  OsrTrainer trainer(model, samples, {});
  EXPECT_EQ(trainer.steps(), 2);
  const SmallSamples more(false, 34, 4);
  EXPECT_EQ(OsrTrainer(model, more, {}).steps(), 3);
  const SmallSamples one(false, 1, 4);
  EXPECT_THROW(OsrTrainer(model, one, {}), Error);
}

TEST(OsrTrainer, SaysWhenTheLossIsNotFinite) {
  for (const char* const method : {"rpl", "openauc"}) {
    const OsrModel model(spec_of(method, "mlp", short_training(30, 1000)));
    const SmallSamples samples(false, 40, 4);
    OsrTrainer trainer(model, samples, {});
    try {
      while (!trainer.done()) trainer.run_step();
      FAIL() << "no Error";
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("in step " + std::to_string(trainer.step() + 1) + " of 90 (epoch "),
                std::string::npos)
          << message;
      EXPECT_NE(message.find("such as lr=100, or larger batches"), std::string::npos) << message;
      EXPECT_EQ(message.find("open_weight=0.05") != std::string::npos,
                std::string(method) == "openauc");
    }
  }
}

// The generator's images make the network unsure, and its own batch norms keep those of real images
// apart.
TEST(OsrTrainer, ConfusingSamplesMoveTheirOwnNorms) {
  const SmallSamples samples(true, 16, 4);
  const OsrModel model(spec_of("arpl-cs", "small", short_training(1)));
  OsrTrainer trainer(model, samples, {.seed = 2, .threads = 1});
  ASSERT_EQ(trainer.steps(), 2);
  const auto mean = [&](int set) {
    return model.network().buffers().at("bn1.bns." + std::to_string(set) + ".running_mean").clone();
  };
  const Tensor before = mean(1);
  trainer.run_step();  // with generated images
  EXPECT_FALSE(at::equal(mean(1), before));
  const Tensor between = mean(1), real = mean(0);
  trainer.run_step();  // without
  EXPECT_TRUE(at::equal(mean(1), between));
  EXPECT_FALSE(at::equal(mean(0), real));
}

TEST(BatchStream, ServesInOrderAndRethrows) {
  class Failing : public SmallSamples {
   public:
    using SmallSamples::SmallSamples;
    void write(std::size_t i, const std::optional<AugmentationName>& name,
               std::span<float> to) const override {
      if (i == 11) fail("test", "sample 11");
      SmallSamples::write(i, name, to);
    }
  };
  const Failing samples(false, 12, 4);
  std::vector<std::vector<std::uint32_t>> batches;
  for (std::uint32_t i = 0; i < 12; i += 2) batches.push_back({i, i + 1});
  BatchStream stream(samples, batches, {}, 3, 2);
  for (std::uint32_t k = 0; k < 5; ++k) {
    const SampleBatch batch = stream.next();
    const SampleBatch expected = make_batch(samples, batches[k], {});
    EXPECT_TRUE(at::equal(batch.input, expected.input));
    EXPECT_TRUE(at::equal(batch.labels, expected.labels));
  }
  EXPECT_THROW(stream.next(), Error);
}

TEST(OsrModel, SavedFilesAreReadBack) {
  const std::string path = scratch("model.safetensors");
  const OsrModel model(spec_of("arpl", "mlp"));
  model.save(path);
  OsrModelSpec spec = spec_of("arpl", "mlp");
  spec.seed = 9;
  OsrModel other(spec);
  other.load(path);
  for (const auto& [name, value] : model.parameters()) {
    EXPECT_TRUE(at::equal(value, other.parameters().at(name))) << name;
  }
  OsrModel gcpl(spec_of("gcpl", "linear"));
  EXPECT_THROW(gcpl.load(path), Error);
  EXPECT_THROW(OsrModel(spec_of("arpl-cs", "mlp")), Error);
}

}  // namespace
}  // namespace openworld
