// Jobs of open-set training: run folders, resuming, evaluation, scoring, and what is refused.

#include "openworld/osr/osr_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "openworld/base/error.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/npz.h"
#include "openworld/osr/test_util.h"
#include "openworld/predictions/predictions.h"
#include "openworld/runs/run_collection.h"
#include "openworld/runs/run_folder.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

std::string file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class OsrJob : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("osr_job_") + info->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("train.npz", false, 200, 3);
    write("test.npz", false, 100, 4);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // Five classes, as an .npz of features or of images.
  std::string write(const std::string& name, bool images, std::size_t count,
                    std::uint64_t seed) const {
    const SmallSamples samples(images, count, 5, 0, 3);
    std::vector<float> values(count * samples.values());
    std::vector<std::int64_t> labels;
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<float> row{values.data() + i * samples.values(), samples.values()};
      // The augmentation makes samples of other seeds other samples.
      samples.write(i, AugmentationName{.seed = seed, .epoch = 0, .index = i}, row);
      labels.push_back(samples.labels()[i]);
    }
    std::vector<std::size_t> shape = {count};
    for (const std::int64_t side : samples.shape()) shape.push_back(static_cast<std::size_t>(side));
    const std::vector<NpzEntry> entries = {
        {images ? "images" : "features", {Dtype::Kind::kFloat, 4, true}, shape, bytes_of(values)},
        {"labels", {Dtype::Kind::kInt, 8, true}, {count}, bytes_of(labels)}};
    write_file_atomically(path(name), make_npz(entries), "test");
    return path(name);
  }

  OsrTrainRequest request(const std::string& method = "softmax") const {
    OsrTrainRequest request{.method = method,
                            .options = {"lr=0.02", "batch=16"},
                            .epochs = 4,
                            .net = "mlp",
                            .data = {.path = path("train.npz")},
                            .test_data = path("test.npz"),
                            .known = "3,0,1"};
    request.threads = 1;
    request.runs = {{.seed = 2, .folder = path("run")}};
    return request;
  }

  static std::string message(const OsrTrainRequest& request) {
    try {
      train_osr(request);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(OsrJob, WritesARunThatOthersRead) {
  const RunResult result = train_osr(request()).at(0);
  EXPECT_EQ(result.train_images, 120);
  EXPECT_EQ(result.test_images, 100);
  const RunFolder folder(path("run"));
  const RunSpec spec = folder.spec("test");
  ASSERT_TRUE(spec.network);
  EXPECT_EQ(spec.network->known, (std::vector<std::int64_t>{3, 0, 1}));
  EXPECT_EQ(spec.classes, (std::vector<std::string>{"3", "0", "1"}));
  EXPECT_NO_THROW(
      folder.expect_whole({RunFile::kSpec, RunFile::kModel, RunFile::kPredictions}, "test"));
  EXPECT_FALSE(fs::exists(folder.state_file()));
  const Predictions predictions = load_predictions(folder.predictions_file());
  // Rows are those of the dataset: label i % 5, of which 3, 0 and 1 are known, in that order.
  ASSERT_EQ(predictions.side.size(), 100u);
  const std::int32_t place[] = {1, 2, -1, 0, -1};
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(predictions.side.values[i], place[i % 5] < 0 ? -1 : 0);
    if (place[i % 5] >= 0) {
      EXPECT_EQ(predictions.label.values[i], place[i % 5]);
    }
  }
  const RunCollection runs = open_runs({path("run")}, "test");
  EXPECT_STREQ(runs.metrics(), kOsrRunMetrics);
}

TEST_F(OsrJob, TestsAfterEpochsAndChangesNothingByIt) {
  train_osr(request());
  OsrTrainRequest tested = request();
  tested.test_every = 2;
  tested.runs[0].folder = path("tested");
  std::vector<OsrEpoch> epochs;
  OsrObserver observer;
  observer.epoch = [&](const OsrEpoch& epoch, std::int64_t, double) { epochs.push_back(epoch); };
  const RunResult result = train_osr(tested, observer).at(0);
  ASSERT_EQ(epochs.size(), static_cast<std::size_t>(result.epochs));
  for (const OsrEpoch& epoch : epochs) EXPECT_EQ(epoch.test.has_value(), epoch.epoch % 2 == 0);
  EXPECT_EQ(file_bytes(path("tested/predictions.npz")), file_bytes(path("run/predictions.npz")));
  ASSERT_EQ(epochs.size() % 2, 0u);
  const auto value = [&](const char* name) {
    return std::ranges::find(result.metrics, name, &MetricRecord::name)->value;
  };
  EXPECT_EQ(epochs.back().test->base_acc, value("base_acc"));
  EXPECT_EQ(epochs.back().test->auroc, value("auroc"));
  EXPECT_EQ(epochs.back().test->open_auc, value("open_auc"));
}

TEST_F(OsrJob, ResumesToTheSameBits) {
  train_osr(request("openauc"));
  OsrTrainRequest stopped = request("openauc");
  stopped.runs[0].folder = path("stopped");
  int steps = 0;
  const OsrObserver observer{.stop = [&] { return ++steps == 11; }};
  EXPECT_THROW(train_osr(stopped, observer), Error);
  EXPECT_TRUE(fs::exists(path("stopped/state.safetensors")));
  EXPECT_FALSE(fs::exists(path("stopped/result.json")));
  stopped.threads = 2;
  train_osr(stopped);
  for (const char* name : {"model.safetensors", "predictions.npz", "run.json"}) {
    EXPECT_EQ(file_bytes(path("run") + "/" + name), file_bytes(path("stopped") + "/" + name))
        << name;
  }
  // A finished run is left as it is, and another one is not started in its folder.
  const std::string before = file_bytes(path("run/result.json"));
  train_osr(request("openauc"));
  EXPECT_EQ(file_bytes(path("run/result.json")), before);
  EXPECT_NE(message(request("arpl")).find("holds a run with method \"openauc\", not \"arpl\""),
            std::string::npos);
}

TEST_F(OsrJob, MeasuresOtherUnknownSamples) {
  train_osr(request("arpl"));
  const OsrEvaluation own = evaluate_osr({.run = path("run")}, {});
  ASSERT_EQ(own.measures.size(), 8u);
  EXPECT_EQ(own.known_samples, 60);
  EXPECT_EQ(own.unknown_samples, 40);
  write("far.npz", false, 35, 77);
  const OsrEvaluation far = evaluate_osr(
      {.run = path("run"), .unknown = {.path = path("far.npz")}, .out = path("far-p.npz")}, {});
  EXPECT_EQ(far.unknown_samples, 35);
  EXPECT_EQ(far.measures[5].name, "ACC");
  EXPECT_EQ(far.measures[5].result.value.value, own.measures[5].result.value.value);
  EXPECT_EQ(load_predictions(path("far-p.npz")).side.size(), 95u);
  EXPECT_THROW(evaluate_osr({.run = path("run"), .unknown = {.path = path("test.npz")}}, {}),
               Error);
  // Scoring the test samples again gives the scores of the run.
  score_osr({.run = path("run"),
             .data = {.path = path("test.npz")},
             .known = "3,0,1",
             .out = path("again.npz"),
             .threads = 2});
  const Predictions again = load_predictions(path("again.npz"));
  const Predictions first = load_predictions(path("run/predictions.npz"));
  EXPECT_TRUE(std::ranges::equal(std::get<Column<float>>(again.score).values,
                                 std::get<Column<float>>(first.score).values));
}

TEST_F(OsrJob, TrainsOnImages) {
  OsrTrainRequest images = request("gcpl");
  images.net = "small";
  images.data.path = write("pictures.npz", true, 40, 3);
  images.test_data = write("test_pictures.npz", true, 20, 5);
  images.epochs = 2;
  const RunResult result = train_osr(images).at(0);
  EXPECT_EQ(result.train_images, 24);
  EXPECT_EQ(result.steps, 4);
}

TEST_F(OsrJob, RefusesInOneLine) {
  const auto expect = [&](const OsrTrainRequest& asked, const char* part) {
    const std::string text = message(asked);
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_FALSE(fs::exists(path("run")));
  };
  OsrTrainRequest asked = request();
  asked.known = "2";
  expect(asked, "two");
  asked = request();
  asked.known = "0,1,2,3,4";
  expect(asked, "");
  EXPECT_NE(message(asked), "");
  asked = request();
  asked.unknown = path("test.npz");
  expect(asked, "samples of no known class");
  asked = request();
  asked.split = "cifar10:0";
  expect(asked, "both given");
  asked = request();
  asked.net = "small";
  expect(asked, "images");
  asked = request("arpl-cs");
  expect(asked, "generates images");
  asked = request();
  asked.test_data = "";
  expect(asked, "--test-data");
  asked = request();
  asked.options.push_back("lr=fast");
  expect(asked, "lr");
}

}  // namespace
}  // namespace openworld
