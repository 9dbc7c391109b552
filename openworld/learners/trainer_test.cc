#include "openworld/learners/trainer.h"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "openworld/base/error.h"
#include "openworld/learners/prompt_file.h"
#include "openworld/learners/table.h"
#include "openworld/learners/test_util.h"

namespace openworld {
namespace {

using at::Tensor;

// Ten images; in batches of four they leave a rest.
constexpr std::int64_t kImages = 10;

const PixelSource& small_pixels() {
  static const PixelSource source(small_images(kImages, 6),
                                  oracle_model().clip.config.preprocessing);
  return source;
}

struct Tuned {
  TuningTask task;
  Episode episode;
  std::unique_ptr<Learner> learner;

  explicit Tuned(const TrainedCase& what, int threads = 1)
      : task(small_setting(5, threads)), episode(small_episode(task, kImages)) {
    const ImageInput input = find_learner(what.method).input;
    episode.local = small_patches(task, kImages, input);
    if (input == ImageInput::kPixels) episode.pixels = &small_pixels();
    learner = make_learner(what.method, what.options, task);
  }

  // All images as one batch.
  Batch all() const {
    Batch batch = {.features = episode.features,
                   .labels = episode.labels,
                   .local = episode.local,
                   .lengths = episode.lengths};
    if (episode.pixels != nullptr) batch.pixels = test_pixels();
    return batch;
  }

  ScoredImages scored() const {
    const Episode others = small_episode(task, kImages, 11);
    ScoredImages images{.features = others.features, .lengths = others.lengths};
    const ImageInput input = learner->scored_input();
    if (input == ImageInput::kPatches || input == ImageInput::kPatchStates) {
      images.local = episode.local;
    }
    if (learner->scored_input() == ImageInput::kPixels) images.pixels = test_pixels();
    return images;
  }

  static Tensor test_pixels() {
    return small_pixels().stream(test_items(small_pixels().dataset()), kImages).next();
  }

  void expect_equal(const Tuned& other, const std::string& what) const {
    for (const auto& [name, tensor] : learner->parameters()) {
      EXPECT_TRUE(tensor.equal(other.learner->parameters().at(name))) << what << ", " << name;
    }
    for (const auto& [name, tensor] : learner->constants()) {
      EXPECT_TRUE(tensor.equal(other.learner->constants().at(name))) << what << ", " << name;
    }
  }
};

void finish(Trainer& trainer) {
  while (!trainer.done()) trainer.run_step();
}

std::string temporary(const std::string& name) {
  return testing::TempDir() + name;
}

TEST(Trainer, LowersTheLossOfEveryMethodAndMovesItsPrompts) {
  for (const TrainedCase& what : trained_cases()) {
    Tuned tuned(what), start(what);
    Trainer trainer(*tuned.learner, tuned.episode, 5);
    finish(trainer);
    EXPECT_EQ(trainer.step(), trainer.steps());
    for (const auto& [name, tensor] : tuned.learner->parameters()) {
      EXPECT_FALSE(tensor.equal(start.learner->parameters().at(name))) << what.method << name;
    }
    const std::size_t last = tuned.learner->stages().size() - 1;
    start.learner->begin_stage(last, start.episode);
    // Compared where only the last stage differs.
    if (last == 0) {
      EXPECT_LT(tuned.learner->backward(last, tuned.all()),
                start.learner->backward(last, start.all()))
          << what.method;
    }
  }
}

TEST(Trainer, GivesTheSameBitsOnAnyNumberOfThreads) {
  for (const TrainedCase& what : trained_cases()) {
    Tuned one(what, 1), three(what, 3);
    Trainer a(*one.learner, one.episode, 5), b(*three.learner, three.episode, 5);
    finish(a);
    finish(b);
    one.expect_equal(three, what.method);
  }
}

TEST(Trainer, GoesOnFromEveryStepAsIfItHadNotStopped) {
  const std::string path = temporary("tune_state.safetensors");
  for (const TrainedCase& what : trained_cases()) {
    Tuned whole(what);
    Trainer unbroken(*whole.learner, whole.episode, 5);
    finish(unbroken);
    for (std::int64_t stop = 1; stop < unbroken.steps(); ++stop) {
      Tuned first(what), second(what);
      Trainer before(*first.learner, first.episode, 5);
      while (before.step() < stop) before.run_step();
      before.save(path, "a run");
      EXPECT_EQ(saved_tuning(path), "a run");
      Trainer after(*second.learner, second.episode, 5);
      after.load(path);
      EXPECT_EQ(after.step(), stop);
      finish(after);
      whole.expect_equal(second, what.method + " stopped at " + std::to_string(stop));
    }
  }
  std::filesystem::remove(path);
}

TEST(Trainer, DrawsAViewPerEpochAndImage) {
  const TrainedCase what = {"coop", small_options(find_learner("coop"))};
  Tuned two(what), other(what);
  Episode views = two.episode;
  views.features = at::stack({two.episode.features, -two.episode.features});
  views.lengths = at::stack({two.episode.lengths, two.episode.lengths});
  Trainer trainer(*two.learner, views, 5), plain(*other.learner, other.episode, 5);
  finish(trainer);
  finish(plain);
  EXPECT_FALSE(
      two.learner->parameters().at("context").equal(other.learner->parameters().at("context")));
}

TEST(Decoop, TakesItsThresholdFromAllViewsAndTeachesEachByItsOwn) {
  const TrainedCase what = {"decoop", {"partitions=2", "detector_tokens=2", "classifier_tokens=2"}};
  Tuned of_views(what), of_list(what), of_first(what);
  const Tensor first = of_views.episode.features;
  const Tensor second = small_episode(of_views.task, first.size(0), 24).features;
  Episode views = of_views.episode, list = of_views.episode;
  views.features = at::stack({first, second});
  list.features = at::cat({first, second});
  views.lengths = list.lengths = Tensor();
  list.labels = at::cat({list.labels, list.labels});
  of_views.learner->begin_stage(1, views);
  of_list.learner->begin_stage(1, list);
  of_first.learner->begin_stage(1, of_first.episode);
  const auto threshold = [](const Tuned& tuned) {
    return tuned.learner->constants().at("threshold").item<float>();
  };
  EXPECT_EQ(threshold(of_views), threshold(of_list));
  EXPECT_NE(threshold(of_views), threshold(of_first));
  Batch batch;
  batch.features = second;
  batch.labels = views.labels;
  EXPECT_EQ(of_views.learner->loss(1, batch).item<float>(),
            of_list.learner->loss(1, batch).item<float>());
}

TEST(Trainer, RefusesAStateThatIsNotIts) {
  const std::string path = temporary("tune_other.safetensors");
  Tuned tuned({"coop", small_options(find_learner("coop"))});
  Trainer trainer(*tuned.learner, tuned.episode, 5);
  trainer.run_step();
  trainer.save(path, "run");
  // More steps than this one has in all.
  Tuned shorter({"coop", {"epochs=1", "tokens=3", "batch=10"}});
  Trainer few(*shorter.learner, shorter.episode, 5);
  EXPECT_THROW(few.load(path), Error);
  // Other sizes.
  Tuned wider({"coop", {"epochs=3", "tokens=4", "batch=4"}});
  Trainer wide(*wider.learner, wider.episode, 5);
  EXPECT_THROW(wide.load(path), Error);
  // Every cut.
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t length = 0; length < bytes.size(); length += 97) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, length);
    EXPECT_THROW(trainer.load(path), Error) << length;
  }
  std::filesystem::remove(path);
}

TEST(Trainer, NeedsImagesAndAFiniteLoss) {
  Tuned tuned({"coop", {"epochs=9", "tokens=3", "batch=4", "lr=1e6", "schedule=constant"}});
  Episode none;
  EXPECT_THROW(Trainer(*tuned.learner, none, 1), Error);
  Episode short_lengths = tuned.episode;
  short_lengths.lengths = short_lengths.lengths.narrow(0, 0, 3);
  EXPECT_THROW(Trainer(*tuned.learner, short_lengths, 1), Error);
  tuned.episode.features.fill_(std::nan(""));
  Trainer trainer(*tuned.learner, tuned.episode, 1);
  EXPECT_THROW(trainer.run_step(), Error);
}

TEST(PromptFile, BringsEveryMethodBackWithoutTrainingImages) {
  const std::string path = temporary("prompts.safetensors");
  for (const TrainedCase& what : trained_cases()) {
    Tuned tuned(what), loaded(what);
    Trainer trainer(*tuned.learner, tuned.episode, 5);
    finish(trainer);
    save_prompts(*tuned.learner, path);
    load_prompts(*loaded.learner, path);
    const std::vector<std::string> new_names = {"otter", "grand piano"};
    const Scores ours = tuned.learner->scorer(new_names)(tuned.scored());
    const Scores theirs = loaded.learner->scorer(new_names)(tuned.scored());
    EXPECT_TRUE(ours.base_logits.equal(theirs.base_logits)) << what.method;
    EXPECT_TRUE(ours.new_logits.equal(theirs.new_logits)) << what.method;
    EXPECT_TRUE(ours.r.equal(theirs.r)) << what.method;
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace openworld
