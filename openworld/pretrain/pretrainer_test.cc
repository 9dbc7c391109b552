#include "openworld/pretrain/pretrainer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/stack.h>

#include "openworld/images/decode.h"
#include "openworld/images/transform.h"
#include "openworld/io/test_util.h"
#include "openworld/pretrain/init_clip.h"
#include "openworld/pretrain/test_util.h"
#include "openworld/text/train_vocabulary.h"
#include "openworld/vlm/zeroshot.h"

namespace openworld {
namespace {

using at::Tensor;
using testing::TempFolder;

// Some drawings of Doodles, each called by a number of its own.
class NumberedDrawings : public CaptionSource {
 public:
  explicit NumberedDrawings(std::size_t count)
      : count_(count), drawings_(open_captions("doodles")) {}

  std::size_t size() const override { return count_; }
  Bytes image(const PairName& name) const override {
    if (name.index == broken) return make_bytes("no image");
    return drawings_->image({1, 0, 83 * name.index});
  }
  std::string caption(const PairName& name) const override {
    static constexpr const char* kWords[] = {"zero", "one", "two",   "three", "four",
                                             "five", "six", "seven", "eight", "nine"};
    std::string text = "drawing";
    for (const char digit : std::to_string(100 + name.index)) {
      text += std::string(" ") + kWords[digit - '0'];
    }
    return text;
  }
  std::uint64_t concept_of(std::size_t index) const override { return index; }
  std::string place(std::size_t index) const override { return "drawing " + std::to_string(index); }
  std::vector<std::string> corpus() const override {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count_; ++i) texts.push_back(caption({0, 0, i}));
    return texts;
  }
  std::string description() const override { return "numbered drawings"; }

  std::size_t broken = ~std::size_t{0};

 private:
  std::size_t count_;
  std::unique_ptr<CaptionSource> drawings_;
};

struct World {
  explicit World(std::size_t count)
      : pairs(count), tokenizer(train_vocabulary(pairs.corpus(), {.merges = 200})) {}

  Clip clip(std::int64_t width = 64) const {
    ClipConfig config = pocket_config();
    config.vision = {width, 2, 2, 256};
    config.text = {64, 2, 2, 256};
    config.embed = 64;
    config.stem = {{16, 2}, {32, 2}, {64, 2}};
    config.vocabulary = static_cast<std::int64_t>(tokenizer.vocabulary().size());
    return init_clip(config, 5);
  }

  NumberedDrawings pairs;
  Tokenizer tokenizer;
};

SourceOptions shown_as(ImageAugmentation augment) {
  SourceOptions options;
  options.augmentation.augment = augment;
  return options;
}

// Of one source.
StageInputs inputs_of(const CaptionSource& pairs, const Tokenizer& tokenizer,
                      const SourceOptions& options) {
  return {.sources = {{&pairs, options, 1}}, .tokenizer = &tokenizer, .words = nullptr};
}

Pretrainer make_trainer(const World& world, const PretrainOptions& options,
                        const SourceOptions& source = shown_as(ImageAugmentation::kRedraw)) {
  return Pretrainer(make_trained_model(world.clip(), false),
                    inputs_of(world.pairs, world.tokenizer, source), options);
}

// Share of images nearest to their own caption, among those of all pairs.
double recall(const Clip& clip, const World& world) {
  at::NoGradGuard no_grad;
  const std::int64_t side = clip.config.preprocessing.image_size;
  std::vector<Tensor> pixels;
  for (std::size_t i = 0; i < world.pairs.size(); ++i) {
    const Image image = decode_image(world.pairs.image({0, 0, i}).values, {"test", ""});
    Tensor chw = at::empty({3, side, side}, at::kFloat);
    clip_transform(image, clip.config.preprocessing,
                   {chw.data_ptr<float>(), static_cast<std::size_t>(chw.numel())});
    pixels.push_back(chw);
  }
  const Tensor images = encode_images(clip.vision, at::stack(pixels)).features.select(1, 0);
  const Tensor texts = encode_texts(clip, world.tokenizer, world.pairs.corpus());
  const Tensor best = at::matmul(normalized(images), normalized(texts).t()).argmax(1);
  double right = 0;
  for (std::int64_t i = 0; i < best.size(0); ++i) right += best[i].item<std::int64_t>() == i;
  return right / static_cast<double>(best.size(0));
}

TEST(Pretrainer, LearnsTwoHundredPairsByHeart) {
  const World world(200);
  PretrainOptions options;
  options.epochs = 40;
  options.batch = 50;
  options.lr = 1e-3;
  options.warmup = 2;
  options.adamw.weight_decay = 0;
  EXPECT_LT(recall(world.clip(), world), 0.05);
  Pretrainer trainer = make_trainer(world, options, shown_as(ImageAugmentation::kNone));
  while (trainer.step() < trainer.steps()) trainer.run_step();
  EXPECT_GT(recall(trainer.result().finished(), world), 0.95);
}

PretrainOptions short_options() {
  PretrainOptions options;
  options.epochs = 3;
  options.batch = 10;
  options.extra_captions = 5;
  options.average = 0.9;
  options.loss = {0.5, 0.1};
  return options;
}

TEST(Pretrainer, GoesOnAsIfItHadNotStopped) {
  const World world(44);  // 4 steps an epoch and 4 pairs that wait
  const TempFolder folder;
  Pretrainer whole = make_trainer(world, short_options());
  EXPECT_EQ(whole.steps(), 12);
  std::vector<double> losses;
  for (int step = 0; step < 12; ++step) {
    whole.save(folder / std::to_string(step), 0, "run " + std::to_string(step));
    losses.push_back(whole.run_step().loss);
  }
  for (const int from : {0, 3, 4, 6, 11}) {
    Pretrainer part = make_trainer(world, short_options());
    if (from == 6) part.run_step();  // what it did before is forgotten
    part.load(folder / std::to_string(from));
    EXPECT_EQ(saved_run(folder / std::to_string(from)).run, "run " + std::to_string(from));
    EXPECT_EQ(part.step(), from);
    for (int step = from; step < 12; ++step) {
      EXPECT_EQ(part.run_step().loss, losses[static_cast<std::size_t>(step)])
          << from << " " << step;
    }
    EXPECT_TRUE(equal(part.result().finished(), whole.result().finished())) << from;
  }
}

TEST(Pretrainer, TheAverageIsNotTheLastModel) {
  const World world(20);
  PretrainOptions options = short_options();
  Pretrainer average = make_trainer(world, options);
  options.average = 0;
  Pretrainer last = make_trainer(world, options);
  for (int step = 0; step < 4; ++step) {
    EXPECT_EQ(average.run_step().loss, last.run_step().loss);
  }
  EXPECT_FALSE(equal(average.result().finished(), last.result().finished()));
}

TEST(Pretrainer, ALockedTowerStaysAsItIs) {
  const World world(44);
  for (const Tower locked : {Tower::kImage, Tower::kText}) {
    PretrainOptions options = short_options();
    options.locked = locked;
    const Clip start = world.clip();
    const TempFolder folder;
    Pretrainer trainer = make_trainer(world, options);
    for (int step = 0; step < 5; ++step) trainer.run_step();
    trainer.save(folder / "state", 0, "x");
    for (int step = 0; step < 3; ++step) trainer.run_step();
    for (const auto& [name, tensor] : trainer.result().clip.tensors) {
      EXPECT_EQ(tensor.equal(start.tensors.at(name)), tower_of_tensor(name) == locked) << name;
    }
    Pretrainer other = make_trainer(world, options);
    other.load(folder / "state");
    for (int step = 0; step < 3; ++step) other.run_step();
    EXPECT_TRUE(equal(other.result().finished(), trainer.result().finished()));
  }
}

// The gradient of a tower does not depend on whether the other one moves.
TEST(Pretrainer, TheOtherTowerLearnsAsBefore) {
  const World world(20);
  PretrainOptions options = short_options();
  options.average = 0;
  options.adamw.clip = 0;  // which takes both towers together
  options.centre = false;
  Pretrainer both = make_trainer(world, options);
  options.locked = Tower::kImage;
  Pretrainer text = make_trainer(world, options);
  EXPECT_EQ(both.run_step().loss, text.run_step().loss);
  for (const auto& [name, tensor] : text.result().clip.tensors) {
    if (tower_of_tensor(name) == Tower::kImage) continue;
    EXPECT_TRUE(tensor.equal(both.result().clip.tensors.at(name))) << name;
  }
}

// Drawings of ten shapes, called by name: a source with a list of all there is.
TEST(Pretrainer, LearnsToNameOutOfTheList) {
  const auto pairs = open_captions("doodles:shapes");
  const Tokenizer tokenizer(train_vocabulary(pairs->corpus(), {.merges = 300}));
  ClipConfig config = World(20).clip().config;
  config.vocabulary = static_cast<std::int64_t>(tokenizer.vocabulary().size());
  PretrainOptions options;
  options.epochs = 15;
  options.batch = 50;
  options.weights.naming = 2;
  Pretrainer trainer(make_trained_model(init_clip(config, 1), false),
                     inputs_of(*pairs, tokenizer, shown_as(ImageAugmentation::kNone)), options);
  EXPECT_EQ(trainer.steps_per_epoch(), 10);
  double first = 0, last = 0;
  while (trainer.step() < trainer.steps()) {
    const double accuracy = trainer.run_step().accuracy;
    (trainer.step() <= 10 ? first : last) += accuracy / 10;
    if (trainer.step() == 140) last = 0;
  }
  EXPECT_LT(first, 0.45);
  EXPECT_GT(last, 0.5);
}

// At random weights all images are alike, and all captions.
TEST(Pretrainer, StartsWithFeaturesApart) {
  const World world(50);
  PretrainOptions options;
  options.batch = 50;
  options.lr = 1e-12;
  const auto length_of_mean = [&](bool centre, const auto& features) {
    options.centre = centre;
    Pretrainer trainer = make_trainer(world, options, shown_as(ImageAugmentation::kNone));
    trainer.run_step();
    at::NoGradGuard no_grad;
    return normalized(features(trainer.result().finished())).mean(0).norm().template item<double>();
  };
  const auto texts = [&](const Clip& clip) {
    return encode_texts(clip, world.tokenizer, world.pairs.corpus());
  };
  EXPECT_GT(length_of_mean(false, texts), 0.7);
  EXPECT_LT(length_of_mean(true, texts), 0.3);
}

TEST(Pretrainer, PassesOverImagesThatCannotBeRead) {
  World world(30);
  world.pairs.broken = 7;
  Pretrainer trainer = make_trainer(world, short_options());
  std::size_t images = 0, failures = 0;
  for (int step = 0; step < 3; ++step) {
    const StepReport report = trainer.run_step();
    images += report.images;
    failures += report.failures.size();
    for (const std::string& message : report.failures) {
      EXPECT_NE(message.find("drawing 7"), std::string::npos) << message;
    }
  }
  EXPECT_EQ(images, 29u);
  EXPECT_EQ(failures, 1u);
}

TEST(Pretrainer, SaysWhatIsWrong) {
  const World world(20), single(1);
  const auto make = [&](const World& w, const PretrainOptions& options) {
    make_trainer(w, options);
  };
  PretrainOptions options;
  EXPECT_ERROR(make(single, options), "1 captioned images, expected at least 2");
  options.batch = 1;
  EXPECT_ERROR(make(world, options), "at least 2 pairs");
  options = {};
  options.lr = 0;
  EXPECT_ERROR(make(world, options), "learning rate");

  const TempFolder folder;
  Pretrainer trainer = make_trainer(world, short_options());
  trainer.save(folder / "state", 0, "x");
  PretrainOptions other = short_options();
  other.average = 0;
  Pretrainer without = make_trainer(world, other);
  without.load(folder / "state");  // a mean more than it needs
  without.save(folder / "less", 0, "x");
  EXPECT_ERROR(trainer.load(folder / "less"), "has no tensor average.");
  EXPECT_ERROR(
      trainer.load(folder.write("cut", testing::read_file(folder / "less").substr(0, 5000))),
      "cut");
  Pretrainer wider(make_trained_model(world.clip(80), false),
                   inputs_of(world.pairs, world.tokenizer, {}), short_options());
  EXPECT_ERROR(wider.load(folder / "state"), "expected F32 [80");
  for (int step = 0; step < 5; ++step) trainer.run_step();
  trainer.save(folder / "late", 0, "x");
  other.epochs = 1;
  Pretrainer shorter = make_trainer(world, other);
  EXPECT_ERROR(shorter.load(folder / "late"), "has done 5 steps; expected 0 to 2");
}

TEST(Pretrainer, StopsWhenTheLossIsNoLongerFinite) {
  const World world(20);
  const Clip clip = world.clip();
  clip.tensors.at("visual.proj").fill_(std::numeric_limits<float>::quiet_NaN());
  Pretrainer trainer(make_trained_model(clip, false), inputs_of(world.pairs, world.tokenizer, {}),
                     short_options());
  EXPECT_ERROR(trainer.run_step(), "no longer finite at step 1");
}

}  // namespace
}  // namespace openworld
