#include "openworld/pretrain/pretrain_job.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <span>

#include "openworld/base/random.h"
#include "openworld/io/png_writer.h"
#include "openworld/io/test_util.h"
#include "openworld/pretrain/spec/stages_file.h"
#include "openworld/pretrain/test_icons.h"
#include "openworld/vlm/device.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Kind = PretrainOutcome::Kind;
using testing::read_file;
using testing::TempFolder;

constexpr auto kConfig = R"({
  "model_type": "clip", "projection_dim": 16,
  "text_config": {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1,
                  "num_attention_heads": 2, "max_position_embeddings": 16, "hidden_act": "gelu"},
  "vision_config": {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1,
                    "num_attention_heads": 2, "image_size": 16, "patch_size": 8,
                    "hidden_act": "gelu"}})";

// Noisy squares of four colours: 16 with captions in photos/, 8 by class in test/.
class PretrainJobTest : public ::testing::Test {
 protected:
  PretrainJobTest() {
    static constexpr std::uint8_t kColours[4][3] = {
        {220, 30, 30}, {30, 160, 60}, {40, 60, 220}, {230, 210, 40}};
    static constexpr const char* kNames[4] = {"red", "green", "blue", "yellow"};
    Random random(3);
    const auto square = [&](std::size_t colour) {
      std::vector<std::uint8_t> rgb;
      for (int i = 0; i < 3 * 20 * 20; ++i) {
        rgb.push_back(static_cast<std::uint8_t>(kColours[colour][i % 3] + random.below(24)));
      }
      return make_png(20, 20, rgb, PngCompression::kStored);
    };
    for (std::size_t i = 0; i < 24; ++i) {
      const std::string name = kNames[i % 4], number = std::to_string(i);
      if (i < 16) {
        folder.write("photos/" + number + ".png", square(i % 4));
        folder.write("photos/" + number + ".txt", "a " + name + " square\nit is " + name + "\n");
      } else {
        folder.write("test/" + name + "/" + number + ".png", square(i % 4));
      }
    }
    spec.data = folder / "photos";
    spec.model.config = folder.write("config.json", kConfig);
    spec.training.epochs = 3;
    spec.training.batch = 5;
    spec.training.lr = 5e-3;
    spec.training.average = 0.9;
    spec.source.augmentation.augment = ImageAugmentation::kRedraw;
    spec.training.shards = 2;
  }

  PretrainOutcome run(const std::string& out, const PretrainObserver& observer = {},
                      bool restart = false) {
    return PretrainJob(spec, folder / out, {.threads = 1, .restart = restart}).run(observer);
  }

  // Stops after so many steps.
  static PretrainObserver until(int steps) {
    return {.stop = [steps]() mutable { return --steps <= 0; }};
  }

  std::string weights(const std::string& out) const {
    return read_file(folder / out + "/model.safetensors");
  }

  TempFolder folder;
  PretrainSpec spec;
};

TEST_F(PretrainJobTest, StoppedAfterAnyStepResumesToTheSameBits) {
  const PretrainOutcome whole = run("whole");
  ASSERT_EQ(whole.kind, Kind::kFinished);
  ASSERT_EQ(whole.steps, 9);
  for (const int stop : {1, 3, 4, 8}) {  // 3: at the end of an epoch
    const std::string out = "parts" + std::to_string(stop);
    const PretrainOutcome part = run(out, until(stop));
    ASSERT_EQ(part.kind, Kind::kStopped);
    EXPECT_EQ(part.step, stop);
    EXPECT_TRUE(fs::exists(folder / out + "/state.safetensors"));
    EXPECT_FALSE(fs::exists(folder / out + "/model.safetensors"));

    std::int64_t resumed = -1;
    const PretrainOutcome rest =
        run(out, {.start = [&](const PretrainStart& start) { resumed = start.step; }});
    EXPECT_EQ(rest.kind, Kind::kFinished);
    EXPECT_EQ(resumed, stop);
    EXPECT_EQ(weights(out), weights("whole")) << stop;
    EXPECT_FALSE(fs::exists(folder / out + "/state.safetensors"));
    const std::string log = read_file(folder / out + "/log.jsonl");
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 3);
  }
}

// As on a device without the kernels written by hand.
TEST_F(PretrainJobTest, IsTheSameInOperationsOfTorch) {
  spec.eval = {folder / "test"};
  const PretrainOutcome kernels = run("kernels");
  const TorchOperationsOnly torch_only;
  const PretrainOutcome torch = run("torch");
  EXPECT_NEAR(*torch.result.loss, *kernels.result.loss, 1e-3);
  EXPECT_EQ(torch.result.accuracy, kernels.result.accuracy);
  EXPECT_NE(weights("torch"), weights("kernels"));  // the other path rounds otherwise
}

TEST_F(PretrainJobTest, TellsWhoWatches) {
  spec.eval = {folder / "test"};
  spec.eval_every = 1;
  folder.write("photos/5.png", "no image");
  std::vector<PretrainEpoch> epochs;
  std::vector<std::string> skipped;
  std::int64_t steps = 0;
  PretrainStart start;
  const PretrainOutcome outcome =
      run("model", {.start = [&](const PretrainStart& now) { start = now; },
                    .step =
                        [&](const PretrainProgress& now) {
                          EXPECT_EQ(now.epoch, steps / 3 + 1);
                          EXPECT_EQ(now.epoch_step, steps % 3 + 1);
                          EXPECT_EQ(now.epoch_steps, 3);
                          ++steps;
                        },
                    .epoch =
                        [&](const PretrainEpoch& now, std::int64_t count, double seconds_left) {
                          EXPECT_EQ(count, 3);
                          EXPECT_GE(seconds_left, 0);
                          epochs.push_back(now);
                        },
                    .skipped = [&](const std::string& message) { skipped.push_back(message); }});
  EXPECT_EQ(start.steps, 9);
  EXPECT_EQ(start.step, 0);
  EXPECT_EQ(start.parameters, outcome.result.parameters);
  EXPECT_EQ(steps, 9);
  ASSERT_EQ(epochs.size(), 3u);
  std::size_t unreadable = 0;
  for (const PretrainEpoch& epoch : epochs) unreadable += epoch.unreadable;
  EXPECT_EQ(skipped.size(), unreadable);
  EXPECT_GE(unreadable, 1u);
  EXPECT_NE(skipped[0].find("5.png"), std::string::npos);
  EXPECT_EQ(epochs[0].accuracy.size(), 1u);
  EXPECT_TRUE(epochs[2].accuracy.empty());  // it is in the result
  ASSERT_EQ(outcome.result.accuracy.size(), 1u);
  EXPECT_EQ(outcome.result.accuracy[0].data, folder / "test");
  EXPECT_EQ(outcome.result.loss, epochs[2].loss);
}

TEST_F(PretrainJobTest, AFinishedRunIsReadAndNotDoneAgain) {
  const PretrainOutcome first = run("model");
  const auto written = fs::last_write_time(folder / "model/model.safetensors");
  const PretrainOutcome again =
      run("model", {.start = [](const PretrainStart&) { ADD_FAILURE() << "trains again"; }});
  EXPECT_EQ(again.kind, Kind::kWasFinished);
  EXPECT_EQ(pretrain_result_json(again.result), pretrain_result_json(first.result));
  EXPECT_EQ(fs::last_write_time(folder / "model/model.safetensors"), written);
  EXPECT_EQ(run("model", {}, /*restart=*/true).kind, Kind::kFinished);
}

TEST_F(PretrainJobTest, ResumesStatesOfEarlierVersions) {
  run("model", until(2));
  std::string state = read_file(folder / "model/state.safetensors");
  const std::size_t key = state.find("\"reinit\":");
  ASSERT_NE(key, std::string::npos);
  state.replace(key, 9, "\"fresh\": ");  // of the same length
  folder.write("model/state.safetensors", state);
  EXPECT_EQ(run("model").kind, Kind::kFinished);
}

TEST_F(PretrainJobTest, ReadsResultsOfEarlierVersions) {
  run("model");
  const std::string path = folder / "model/pretrain.json";
  Json json = Json::parse(read_file(path));
  json["schema"] = "openworld.pretrain/1";
  json["run"] = json["cost"];
  json.erase("cost");
  json["options"]["fresh"] = "";
  json["options"].erase("reinit");
  folder.write("model/pretrain.json", json.dump());
  EXPECT_EQ(run("model").kind, Kind::kWasFinished);
}

TEST_F(PretrainJobTest, AnotherSpecIsRefusedByTheNameOfWhatDiffers) {
  run("unfinished", until(2));
  run("finished");
  spec.training.lr = 0.25;
  EXPECT_ERROR(run("unfinished"),
               "unfinished/state.safetensors: holds a run with lr 0.005, not 0.25; use another "
               "folder, or restart");
  EXPECT_ERROR(run("finished"), "finished/pretrain.json: holds a run with lr 0.005, not 0.25");
  spec.training.lr = 5e-3;
  folder.write("photos/99.png", read_file(folder / "photos/0.png"));
  folder.write("photos/99.txt", "one more");
  EXPECT_ERROR(run("unfinished"), "holds a run with data ");
}

TEST_F(PretrainJobTest, ATowerIsLockedAndTheOtherReinitialised) {
  run("model");
  spec.model.init = folder / "model";
  spec.training.locked = Tower::kImage;
  spec.model.reinit = Tower::kText;
  const PretrainJob job(spec, folder / "more", {.threads = 1});
  EXPECT_EQ(job.record().model.reinit, Tower::kText);
  EXPECT_TRUE(job.record().stages[0].training.centre);
  spec.model.reinit = Tower::kNeither;
  EXPECT_FALSE(PretrainJob(spec, folder / "more").record().stages[0].training.centre);
}

TEST_F(PretrainJobTest, RefusesWhatCannotBeOpened) {
  spec.data = folder / "nowhere";
  EXPECT_ERROR(run("model"), "nowhere");
  spec.data = folder / "photos";
  EXPECT_ERROR(run("config.json"), "config.json");
  spec.eval = {folder / "photos"};
  EXPECT_ERROR(run("model"), "photos");
  spec.eval = {};
  spec.model.device = "tpu";
  EXPECT_ERROR(run("model"), "expected cpu, cuda or cuda:N");
  spec.model.device = "cpu";
  spec.training.locked = Tower::kImage;
  EXPECT_ERROR(run("model"), "lock is image");
}

// Image against words, text on the locked image tower, both.
class StagedJobTest : public PretrainJobTest {
 protected:
  StagedJobTest() {
    testing::write_icons(folder, "icons", 60, true, 1);
    testing::write_icons(folder, "drawings", 30, false, 2);
    folder.write("config.json", R"({
      "model_type": "clip", "projection_dim": 16,
      "text_config": {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1,
                      "num_attention_heads": 2, "max_position_embeddings": 16,
                      "hidden_act": "gelu"},
      "vision_config": {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1,
                        "num_attention_heads": 2, "image_size": 16, "patch_size": 1,
                        "hidden_act": "gelu", "openworld_stem": [[8, 2], [16, 2]]}})");
    spec.model.batch_norm = true;
    spec.words = {.min_names = 5, .min_words = 5, .name_share = 0.6};
    spec.training.batch = 15;
    const std::string stages = R"({
      "sources": {"icons": {"data": "FOLDER/icons"},
                  "drawings": {"data": "FOLDER/drawings", "views": 2, "outline": 0.1}},
      "stages": [
        {"name": "words", "lock": "text", "pairs": 0, "words": 1, "agreement": 0.3, "epochs": 1,
         "sources": {"icons": 2, "drawings": 1}},
        {"name": "text", "lock": "image", "texts": 1, "batch_texts": 5, "steps": 5,
         "epoch_pairs": 30, "reuse": 2, "sources": {"icons": 1}},
        {"name": "both", "lr": 1e-3, "steps": 3, "words": 0.5, "sources": {"icons": 1}}]})";
    std::string text = stages;
    for (std::size_t at; (at = text.find("FOLDER")) != std::string::npos;) {
      text.replace(at, 6, folder / "");
    }
    read_stages(folder.write("stages.json", text), spec);
  }
};

TEST_F(StagedJobTest, StoppedAnywhereResumesToTheSameBits) {
  std::vector<std::string> seen;
  const PretrainOutcome whole =
      run("whole", {.epoch = [&](const PretrainEpoch& now, std::int64_t, double) {
            seen.push_back(now.stage + " " + std::to_string(now.step));
            EXPECT_GT(now.gemm_share, 0);
            EXPECT_EQ(now.losses.size(), 2u) << now.stage;
          }});
  ASSERT_EQ(whole.kind, Kind::kFinished);
  ASSERT_EQ(whole.steps, 6 + 5 + 3);
  EXPECT_EQ(seen, (std::vector<std::string>{"words 6", "text 10", "text 11", "both 14"}));
  // 6 and 11: at the end of a stage.
  for (const int stop : {1, 5, 6, 7, 9, 10, 11, 12, 13}) {
    const std::string out = "parts" + std::to_string(stop);
    const PretrainOutcome part = run(out, until(stop));
    ASSERT_EQ(part.kind, Kind::kStopped) << stop;
    EXPECT_EQ(part.step, stop);
    std::int64_t resumed = -1;
    const PretrainOutcome rest =
        run(out, {.start = [&](const PretrainStart& start) { resumed = start.step; }});
    EXPECT_EQ(rest.kind, Kind::kFinished);
    EXPECT_EQ(resumed, stop);
    EXPECT_EQ(weights(out), weights("whole")) << stop;
    const std::string log = read_file(folder / out + "/log.jsonl");
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 4) << stop;
  }
  // And stopped after every step.
  for (int step = 1; step < 14; ++step) {
    ASSERT_EQ(run("steps", until(1)).kind, Kind::kStopped) << step;
  }
  EXPECT_EQ(run("steps").kind, Kind::kFinished);
  EXPECT_EQ(weights("steps"), weights("whole"));
}

TEST_F(StagedJobTest, AnotherSpecIsRefusedByTheStageThatDiffers) {
  run("model", until(7));  // in the second stage
  spec.stages[1].training.lr = 0.25;
  EXPECT_ERROR(run("model"),
               "model/state.safetensors: holds a run with stages text: lr 0.005, not");
  spec.stages[1].training.lr = 5e-3;
  const std::vector<StageSpec> stages = spec.stages;
  spec.stages.resize(1);
  EXPECT_ERROR(run("model"), "model/state.safetensors: is of stage 2 of 1");
  spec.stages = stages;
  spec.sources[1].options.augmentation.lines.outline = 0.9;
  EXPECT_ERROR(run("model"), "holds a run with outline");
  spec.sources[1].options.augmentation.lines.outline = 0;
  spec.words.min_names = 4;
  EXPECT_ERROR(run("model"), "holds a run with min_names 5, not 4");
}

TEST_F(StagedJobTest, StagesThatHaveNotBegunMayChange) {
  run("model", until(7));
  spec.stages[2].training.lr = 2e-3;
  spec.stages.push_back(spec.stages[2]);
  spec.stages.back().name = "more";
  EXPECT_EQ(run("model").steps, 6 + 5 + 3 + 3);
  EXPECT_EQ(run("whole").kind, Kind::kFinished);
  EXPECT_EQ(weights("model"), weights("whole"));
  spec.stages.pop_back();
  EXPECT_ERROR(run("model"), "model/pretrain.json: holds a run with stages [");
}

// Before there is a text tower, names are told by their vectors.
TEST_F(StagedJobTest, MeasuresEveryStage) {
  for (std::size_t i = 0; i < 6; ++i) {
    const std::string name = testing::kIconNames[i];
    folder.write("eval/" + name + "/0.png", read_file(folder / "photos/0.png"));
    folder.write("eval/new/0.png", read_file(folder / "photos/0.png"));
  }
  spec.eval = {folder / "eval"};
  std::vector<std::string> measured;
  const PretrainOutcome outcome =
      run("model", {.epoch = [&](const PretrainEpoch& now, std::int64_t, double) {
            for (const auto& [data, value] : now.accuracy)
              measured.push_back(now.stage + ": " + data);
          }});
  const std::string eval = folder / "eval";
  EXPECT_EQ(measured, (std::vector<std::string>{"words: " + eval + ", 6 of 7 names by vectors",
                                                "text: " + eval}));
  ASSERT_EQ(outcome.result.accuracy.size(), 1u);
  EXPECT_EQ(outcome.result.accuracy[0].data, eval);
}

TEST_F(StagedJobTest, RefusesWhatDoesNotFit) {
  spec.words.min_names = spec.words.min_words = 1000;
  EXPECT_ERROR(run("model"), "no name is said of 1000 images");
  spec.words.min_names = 5;
  folder.write("config.json", kConfig);
  EXPECT_ERROR(run("model"), "batch_norm needs a stem; expected a config with openworld_stem");
}

}  // namespace
}  // namespace openworld
