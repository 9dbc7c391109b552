// A learner that needs pixels, as small as they get, through the whole contract: rows from a linear
// map at the input of two blocks of the vision tower, cross-entropy to frozen texts, and a mean of
// its parameters over epochs that it ends with, as PromptSRC does.

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/stack.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/learners/common/losses.h"
#include "openworld/learners/common/sharded_encoder.h"
#include "openworld/learners/test_util.h"
#include "openworld/learners/text_classifier.h"
#include "openworld/learners/trainer.h"
#include "openworld/vlm/encode_each.h"
#include "openworld/vlm/extra_features.h"
#include "openworld/vlm/index_tensor.h"

namespace openworld {
namespace {

using at::Tensor;
namespace fs = std::filesystem;

constexpr std::size_t kImages = 10, kClasses = 6;
constexpr std::int64_t kRows = 2, kInner = 4;

class PixelLearner : public Learner {
 public:
  PixelLearner(const TuningTask& task, double part_work = 1, std::int64_t epochs = 2)
      : Learner(task),
        clip_(*task.text_model.clip),
        texts_(
            sentence_features(task.text_model, task.base_names, task.sentences.templates, false)),
        encoder_(clip_.vision, task.text_model.threads, {.part_work = part_work}),
        pool_(task.text_model.threads),
        epochs_(epochs) {
    add_parameter("prompt", noise({kRows, kInner}, task.seed, 0));
    add_parameter("map", noise({kInner, clip_.config.vision.width}, task.seed, 1));
    add_parameter("deep", noise({kRows, clip_.config.vision.width}, task.seed, 2));
    for (const auto& [name, tensor] : parameters_) {
      state_["mean." + name] = at::zeros_like(tensor.detach());
    }
  }

  std::vector<Stage> stages() const override {
    return {{.name = "prompts",
             .parameters = {"prompt", "map", "deep"},
             .epochs = epochs_,
             .batch = 4,
             .lr = 0.05,
             .schedule = Schedule::kConstant}};
  }

  Tensor loss(std::size_t, const Batch& batch) override {
    EXPECT_EQ(batch.pixels.size(0), batch.labels.size(0));
    if (checks_features) {
      const Tensor frozen =
          normalized(encode_each(clip_.vision, batch.pixels, pool_).features.select(1, 0));
      EXPECT_TRUE(frozen.equal(batch.features));
    }
    last_pixels = batch.pixels;
    const Tensor features = encoder_.features(batch.pixels, prompts()).features.select(1, 0);
    return cross_entropy(scaled_logits(clip_, normalized(features), texts_), batch.labels);
  }

  void end_epoch(std::size_t, std::int64_t epoch) override {
    EXPECT_FALSE(at::GradMode::is_enabled());
    for (auto& [name, tensor] : parameters_) {
      Tensor& mean = state_.at("mean." + name);
      mean.mul_(static_cast<double>(epoch) / static_cast<double>(epoch + 1));
      mean.add_(tensor, 1 / static_cast<double>(epoch + 1));
      if (epoch + 1 == epochs_) tensor.copy_(mean);
    }
  }

  ImageInput scored_input() const override { return ImageInput::kPixels; }

  ViewScorer view_scorer(const std::vector<NameList>&) override {
    return [this](const ScoredImages& images, std::span<const NameColumns> views) {
      const Tensor features = normalized(
          encode_each(clip_.vision, images.pixels, pool_, prompts()).features.select(1, 0));
      return msp_scores(scaled_logits(clip_, features, texts_), views);
    };
  }

  VisionOptions prompts() const {
    const Tensor rows = at::matmul(parameters_.at("prompt"), parameters_.at("map"));
    return {.prompts = {{0, rows}, {1, parameters_.at("deep")}}};
  }

  bool checks_features = false;
  Tensor last_pixels;

 private:
  static Tensor noise(const std::vector<std::int64_t>& shape, std::uint64_t seed,
                      std::uint64_t stream) {
    Random random(seed, stream);
    Tensor tensor = at::empty(shape);
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      tensor.data_ptr<float>()[i] = static_cast<float>(0.3 * random.normal());
    }
    return tensor;
  }

  const Clip& clip_;
  Tensor texts_;
  ShardedEncoder encoder_;
  WorkerPool pool_;
  std::int64_t epochs_;
};

// Which pixels an episode serves.
enum class Views { kTest, kCached, kFresh };

class PixelLearnerTest : public testing::Test {
 protected:
  void SetUp() override { dataset_ = small_images(kImages, kClasses); }

  static TuningTask task(int threads) {
    TuningTask result = small_setting(5, threads);
    result.text_model.clip = &three_block_clip();
    return result;
  }

  PixelSource source(const PixelOptions& options = {.seed = 3, .threads = 2}) const {
    return {dataset_, three_block_clip().config.preprocessing, options};
  }

  Episode episode(const PixelSource& pixels, Views views) const {
    Episode result;
    std::vector<std::int64_t> labels;
    for (const Sample& sample : dataset_.samples) labels.push_back(sample.label);
    result.labels = index_tensor(labels);
    result.pixels = &pixels;
    result.fresh_views = views == Views::kFresh;
    if (views == Views::kCached)
      result.features = normalized(view_features(three_block_clip(), dataset_, 3, 3));
    return result;
  }

  static void finish(Trainer& trainer) {
    while (!trainer.done()) trainer.run_step();
  }

  static void expect_equal(const Learner& a, const Learner& b, const std::string& what) {
    for (const auto& [name, tensor] : a.parameters()) {
      EXPECT_TRUE(tensor.equal(b.parameters().at(name))) << what << ", " << name;
    }
    for (const auto& [name, tensor] : a.state()) {
      EXPECT_TRUE(tensor.equal(b.state().at(name))) << what << ", " << name;
    }
  }

  Dataset dataset_;
};

TEST_F(PixelLearnerTest, LearnsItsImages) {
  const PixelSource pixels = source();
  const Episode shots = episode(pixels, Views::kTest);
  PixelLearner learner(task(2), 1, 30);
  Batch all;
  all.labels = shots.labels;
  all.pixels = pixels.stream(test_items(dataset_), kImages).next();
  const double before = learner.loss(0, all).item<double>();
  Trainer trainer(learner, shots, 5);
  finish(trainer);
  const double after = learner.loss(0, all).item<double>();
  EXPECT_LT(after, 0.5 * before);
  // Scores do not depend on the batch.
  const Scorer scorer = learner.scorer({});
  const Scores scores = scorer({{}, {}, all.pixels});
  for (std::int64_t i = 0; i < all.pixels.size(0); ++i) {
    const Scores one = scorer({{}, {}, all.pixels.narrow(0, i, 1)});
    EXPECT_TRUE(one.base_logits.equal(scores.base_logits.narrow(0, i, 1)));
  }
}

TEST_F(PixelLearnerTest, ResumesFromEveryStepToTheSameBits) {
  const std::string path = testing::TempDir() + "pixel_state.safetensors";
  const PixelSource pixels = source();
  for (const Views views : {Views::kTest, Views::kCached, Views::kFresh}) {
    const Episode shots = episode(pixels, views);
    PixelLearner whole(task(2));
    whole.checks_features = views == Views::kCached;
    Trainer unbroken(whole, shots, 5);
    finish(unbroken);
    ASSERT_EQ(unbroken.steps(), 6);
    for (std::int64_t stop = 1; stop < unbroken.steps(); ++stop) {
      PixelLearner first(task(2)), second(task(2));
      Trainer before(first, shots, 5);
      while (before.step() < stop) before.run_step();
      before.save(path, "a run");
      Trainer after(second, shots, 5);
      after.load(path);
      expect_equal(first, second, "saved");
      finish(after);
      expect_equal(whole, second, "stopped at " + std::to_string(stop));
    }
  }
  fs::remove(path);
}

TEST_F(PixelLearnerTest, GivesTheSameBitsWithAnyThreadsAndMemory) {
  const PixelSource pixels = source({.seed = 3, .threads = 1});
  for (const double part_work : {1.0, 4e8}) {
    PixelLearner one(task(1), part_work);
    const Episode shots = episode(pixels, Views::kFresh);
    Trainer trainer(one, shots, 5);
    finish(trainer);
    for (const int threads : {1, 2, 3}) {
      const PixelSource others = source({.seed = 3, .threads = threads, .memory_mib = 1});
      PixelLearner learner(task(threads), part_work);
      const Episode same = episode(others, Views::kFresh);
      Trainer again(learner, same, 5);
      finish(again);
      expect_equal(one, learner, std::to_string(threads) + " threads");
    }
  }
}

TEST_F(PixelLearnerTest, ServesTheViewsOfItsEpochs) {
  const PixelSource pixels = source();
  const auto first_batches = [&](Views views) {
    const Episode shots = episode(pixels, views);
    PixelLearner learner(task(1));
    Trainer trainer(learner, shots, 5);
    std::vector<Tensor> batches;
    while (!trainer.done()) {
      trainer.run_step();
      batches.push_back(learner.last_pixels);
    }
    return batches;
  };
  const std::vector<Tensor> fresh = first_batches(Views::kFresh);
  // Orders differ between epochs, so that views are looked for among all images of the epoch.
  std::vector<PixelItem> of_epoch[2];
  for (std::uint64_t e = 0; e < 2; ++e) {
    for (std::size_t i = 0; i < kImages; ++i) of_epoch[e].push_back({i, e});
  }
  for (std::size_t step = 0; step < fresh.size(); ++step) {
    const Tensor epoch = pixels.stream(of_epoch[step / 3], kImages).next();
    for (std::int64_t i = 0; i < fresh[step].size(0); ++i) {
      const Tensor distance = (epoch - fresh[step][i]).abs().amax({1, 2, 3});
      EXPECT_EQ((distance == 0).sum().item<std::int64_t>(), 1) << step;
    }
  }
  const Tensor test = pixels.stream(test_items(dataset_), kImages).next();
  for (const Tensor& batch : first_batches(Views::kTest)) {
    for (std::int64_t i = 0; i < batch.size(0); ++i) {
      EXPECT_EQ(((test - batch[i]).abs().amax({1, 2, 3}) == 0).sum().item<std::int64_t>(), 1);
    }
  }
}

TEST_F(PixelLearnerTest, NamesTheImageThatCannotBeRead) {
  std::ofstream(fs::path(dataset_.root) / "image_7.png", std::ios::binary) << "not an image";
  const PixelSource pixels = source();
  const Episode shots = episode(pixels, Views::kTest);
  PixelLearner learner(task(1));
  Trainer trainer(learner, shots, 5);
  try {
    finish(trainer);
    FAIL() << "expected an Error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("image_7.png"), std::string::npos) << e.what();
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
  }
}

TEST_F(PixelLearnerTest, NeedsAsManyImagesAsLabels) {
  const PixelSource pixels = source();
  Episode shots = episode(pixels, Views::kTest);
  shots.labels = shots.labels.narrow(0, 0, 9);
  PixelLearner learner(task(1));
  EXPECT_THROW(Trainer(learner, shots, 5), Error);
}

}  // namespace
}  // namespace openworld
