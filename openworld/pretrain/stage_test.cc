// Stages of a training: images against words, views against each other, texts on a locked image
// tower, and all of it from several sources.

#include <ATen/core/grad_mode.h>
#include <ATen/ops/matmul.h>
#include <gtest/gtest.h>

#include <cmath>

#include "openworld/pretrain/init_clip.h"
#include "openworld/pretrain/pretrainer.h"
#include "openworld/pretrain/test_icons.h"
#include "openworld/pretrain/test_util.h"
#include "openworld/text/train_vocabulary.h"

namespace openworld {
namespace {

using at::Tensor;
using testing::TempFolder;
using testing::write_icons;

// Icons with names, and drawings of the same shapes without.
class StageTest : public ::testing::Test {
 protected:
  StageTest()
      : icons(open_captions(write_icons(folder, "icons", 120, true, 1))),
        drawings(open_captions(write_icons(folder, "drawings", 60, false, 2))),
        tokenizer(train_vocabulary(icons->corpus(), {.merges = 60})),
        words(std::vector<const CaptionSource*>{icons.get()},
              {.min_names = 5, .min_words = 5, .name_share = 0.6}) {
    options.epochs = 3;
    options.batch = 24;
    options.lr = 3e-3;
    options.warmup = 0.5;
    options.shards = 3;
    options.threads = 1;
    options.adamw.weight_decay = 0.05;
  }

  TrainedModel model(bool batch_norm = true) const {
    ClipConfig config = small_config(16, {16, 32, 32});
    config.vocabulary = static_cast<std::int64_t>(tokenizer.vocabulary().size());
    TrainedModel made = make_trained_model(init_clip(config, 3), batch_norm);
    add_word_vectors(made, static_cast<std::int64_t>(words.size()), 4);
    return made;
  }

  StageInputs inputs(bool with_drawings) const {
    SourceOptions shown;
    shown.augmentation.augment = ImageAugmentation::kRedraw;
    shown.augmentation.redraw = {5, 0.95, 1.05, 3, 0.03, 0, 0.01, 0, 0.02};
    shown.augmentation.lines.tint = 0.2;
    StageInputs result{
        .sources = {{icons.get(), shown, 2}}, .tokenizer = &tokenizer, .words = &words};
    shown.views = 2;
    if (with_drawings) result.sources.push_back({drawings.get(), shown, 1});
    return result;
  }

  // Image against words, and two views of drawings.
  PretrainOptions word_stage() const {
    PretrainOptions stage = options;
    stage.weights = {.pairs = 0, .words = 1, .agreement = 0.3};
    return stage;
  }

  // The same, and drawings learn what the model takes them for.
  PretrainOptions guess_stage() const {
    PretrainOptions stage = word_stage();
    stage.weights.guesses = 0.5;
    stage.confidence = 0.2;
    return stage;
  }

  // Texts for a locked image tower.
  PretrainOptions text_stage() const {
    PretrainOptions stage = options;
    stage.weights = {.pairs = 0.5, .texts = 1};
    stage.locked = Tower::kImage;
    stage.batch_texts = 8;
    stage.epoch_pairs = 48;
    stage.reuse = 3;
    stage.loss.shared = 0.8;
    return stage;
  }

  // Share of the icons whose nearest vector is that of their name.
  double named_right(const TrainedModel& trained) const {
    const at::NoGradGuard no_grad;
    StageInputs shown = inputs(false);
    shown.sources[0].options.augmentation.augment = ImageAugmentation::kNone;
    StageImages images(shown.sources, trained.clip.config.preprocessing, word_stage(), &words);
    double right = 0, all = 0;
    images.for_each_item(0, 60, [&](const LoadedImages& group) {
      const Tensor features =
          normalized(encode_images(trained.finished().vision, group.pixels).features.select(1, 0));
      const Tensor best = at::matmul(features, normalized(trained.word_vectors).t()).argmax(1);
      for (std::size_t i = 0; i < group.images.size(); ++i, ++all) {
        const auto word = words.find(icons->name_of(group.images[i].index));
        right += best[static_cast<std::int64_t>(i)].item<std::int64_t>() == *word;
      }
    });
    return right / all;
  }

  TempFolder folder;
  std::unique_ptr<CaptionSource> icons, drawings;
  Tokenizer tokenizer;
  WordTable words;
  PretrainOptions options;
};

bool same(const TrainedModel& a, const TrainedModel& b) {
  const TrainedModel::Tensors ours = a.tensors(), theirs = b.tensors();
  for (const auto& [name, tensor] : ours) {
    if (!tensor.detach().equal(theirs.at(name).detach())) return false;
  }
  return true;
}

TEST_F(StageTest, ImagesLearnTheirWords) {
  PretrainOptions stage = word_stage();
  stage.epochs = 12;
  const TrainedModel start = model();
  EXPECT_LT(named_right(start), 0.5);
  Pretrainer trainer(model(), inputs(true), stage);
  EXPECT_EQ(trainer.term_names(), (std::vector<std::string>{"words", "agreement"}));
  StepReport report;
  while (trainer.step() < trainer.steps()) {
    report = trainer.run_step();
    EXPECT_EQ(report.images, 32u);  // 16 icons, and 8 drawings twice
    EXPECT_NEAR(report.loss, report.terms[0].loss + 0.3 * report.terms[1].loss, 1e-9);
    EXPECT_GT(report.flops, 0);
  }
  const TrainedModel trained = trainer.result();
  EXPECT_GT(named_right(trained), 0.9);
  // A tower that no loss reads does not even decay.
  for (const auto& [name, tensor] : trained.clip.tensors) {
    if (tower_of_tensor(name) == Tower::kText) {
      EXPECT_TRUE(tensor.equal(start.clip.tensors.at(name))) << name;
    }
  }
  EXPECT_FALSE(trained.norms[0].mean.equal(start.norms[0].mean));
}

TEST_F(StageTest, TextsLearnWhatTheVectorsMean) {
  PretrainOptions stage = word_stage();
  stage.epochs = 8;
  Pretrainer first(model(), inputs(true), stage);
  while (first.step() < first.steps()) first.run_step();
  const TrainedModel images = first.result();
  stage = text_stage();
  stage.epochs = 10;
  Pretrainer trainer(images, inputs(false), stage);
  EXPECT_EQ(trainer.steps_per_epoch(), 6);
  EXPECT_EQ(trainer.term_names(), (std::vector<std::string>{"pairs", "texts"}));
  double before = 0, after = 0;
  while (trainer.step() < trainer.steps()) {
    const StepReport report = trainer.run_step();
    (trainer.step() == 1 ? before : after) = report.terms[1].loss;
    EXPECT_EQ(report.images, 24u);
  }
  EXPECT_LT(after, before / 2);
  const TrainedModel trained = trainer.result();
  for (const auto& [name, tensor] : trained.tensors()) {
    const bool is_text = tower_of_tensor(name) == Tower::kText || name == "logit_scale";
    if (is_text) continue;
    EXPECT_TRUE(tensor.equal(images.tensors().at(name))) << name;
  }
}

// Drawings of the shapes that icons have taught are recognised, and learned from.
TEST_F(StageTest, GuessesTeachDrawingsTheirNames) {
  PretrainOptions stage = word_stage();
  stage.epochs = 12;
  Pretrainer first(model(), inputs(true), stage);
  while (first.step() < first.steps()) first.run_step();
  const TrainedModel start = first.result();
  stage.weights = {.pairs = 0, .guesses = 1};
  stage.epochs = 4;
  stage.lr = 1e-3;
  StageInputs drawn = inputs(true);
  drawn.sources.erase(drawn.sources.begin());
  Pretrainer trainer(start, drawn, stage);
  EXPECT_EQ(trainer.term_names(), (std::vector<std::string>{"guesses"}));
  double before = 0, after = 0;
  while (trainer.step() < trainer.steps()) {
    const StepReport report = trainer.run_step();
    (trainer.step() == 1 ? before : after) = report.loss;
    EXPECT_GT(report.accuracy, 0.9);  // share of the drawings that were sure enough
  }
  EXPECT_LT(after, before);
  EXPECT_TRUE(trainer.result().word_vectors.equal(start.word_vectors));
  EXPECT_GT(named_right(trainer.result()), 0.9);
  stage.confidence = 1;  // nothing is as sure as that
  Pretrainer unsure(start, drawn, stage);
  EXPECT_EQ(unsure.run_step().loss, 0);
}

// Features of an epoch that is resumed in its middle are computed again, to the same bits.
TEST_F(StageTest, EveryStageResumesToTheSameBits) {
  for (PretrainOptions stage : {word_stage(), guess_stage(), text_stage()}) {
    const bool has_drawings = stage.weights.agreement > 0;
    stage.average = 0.9;
    stage.steps = 14;  // not whole epochs
    Pretrainer whole(model(), inputs(has_drawings), stage);
    EXPECT_EQ(whole.steps(), 14);
    std::vector<double> losses;
    for (int step = 0; step < 14; ++step) {
      whole.save(folder / std::to_string(step), 7, "run");
      losses.push_back(whole.run_step().loss);
    }
    for (const int from : {0, 2, 6, 9, 13}) {
      TrainedModel other = model();
      other.clip.tensors.at("visual.proj").zero_();  // replaced by what is loaded
      Pretrainer part(std::move(other), inputs(has_drawings), stage);
      part.load(folder / std::to_string(from));
      EXPECT_EQ(saved_run(folder / std::to_string(from)).stage, 7);
      for (int step = from; step < 14; ++step) {
        EXPECT_EQ(part.run_step().loss, losses[static_cast<std::size_t>(step)]) << from;
      }
      EXPECT_TRUE(same(part.result(), whole.result())) << from;
    }
  }
}

TEST_F(StageTest, AnyNumberOfThreadsGivesTheSameBits) {
  for (PretrainOptions stage : {word_stage(), guess_stage(), text_stage()}) {
    const bool has_drawings = stage.weights.agreement > 0;
    stage.steps = 5;
    Pretrainer one(model(), inputs(has_drawings), stage);
    stage.threads = 3;
    Pretrainer three(model(), inputs(has_drawings), stage);
    while (one.step() < one.steps()) EXPECT_EQ(one.run_step().loss, three.run_step().loss);
    EXPECT_TRUE(same(one.result(), three.result()));
  }
}

// A pair of one name means the same whichever source it is from, and images without captions take
// no part in the contrast.
TEST_F(StageTest, SourcesMixInPairs) {
  const auto more = open_captions(write_icons(folder, "more", 30, true, 5));
  StageInputs mixed = inputs(true);
  mixed.sources.push_back({more.get(), mixed.sources[0].options, 1});
  PretrainOptions stage = options;
  stage.loss.shared = 1;
  stage.extra_captions = 6;
  stage.steps = 12;
  mixed.sources.erase(mixed.sources.begin() + 1);
  Pretrainer trainer(model(false), mixed, stage);
  double first = 0, last = 0;
  for (int step = 0; step < 12; ++step) (step == 0 ? first : last) = trainer.run_step().loss;
  EXPECT_LT(last, first);
  const auto no_captions = inputs(true);
  EXPECT_ERROR(Pretrainer(model(), no_captions, stage),
               "drawings: 60 images of 16 x 16 with 0 names (arrays): no image with anything to "
               "learn from");
}

TEST_F(StageTest, RefusesLossesWithoutImagesForThem) {
  PretrainOptions stage = options;
  stage.weights = {.pairs = 0, .agreement = 1};
  EXPECT_ERROR(Pretrainer(model(), inputs(false), stage), "agreement needs two views of an image");
  stage.weights = {.pairs = 0, .words = 1, .guesses = 1};
  EXPECT_ERROR(Pretrainer(model(), inputs(false), stage), "guesses need two views of an image");
  stage.weights = {.pairs = 1, .naming = 1};
  EXPECT_ERROR(Pretrainer(model(), inputs(false), stage), "no list of classes");
}

}  // namespace
}  // namespace openworld
