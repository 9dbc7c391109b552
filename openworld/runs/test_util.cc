#include "openworld/runs/test_util.h"

#include "openworld/base/random.h"
#include "openworld/predictions/logit_predictions.h"
#include "openworld/runs/run_folder.h"

namespace openworld {

RunSpec full_spec() {
  return {.label = "mine",
          .method = "coop",
          .title = "CoOp",
          .options = {{"tokens", std::int64_t{16}},
                      {"init", std::string("a photo of a")},
                      {"lr", 0.002},
                      {"drop_last", true}},
          .changed = {{"lr", 0.002}},
          .seed = 7,
          .shots = 4,
          .shot_rule = "coop",
          .views = 2,
          .augment = true,
          .model = {.path = "pocket",
                    .format = "huggingface",
                    .sha256 = "ab12",
                    .activation = "gelu",
                    .vocabulary = "merges.txt",
                    .logit_scale = 50,
                    .device = "cuda:0",
                    .assumptions = {"gelu is assumed"}},
          .data = {.path = "pets",
                   .train_split = "train",
                   .test_split = "test",
                   .test_data = "more pets",
                   .image_root = "images",
                   .names = "names.txt",
                   .format = "folder",
                   .allow_duplicate_names = true,
                   .train_sha256 = "01",
                   .test_sha256 = "02"},
          .keep_underscores = false,
          .templates = {"a photo of a {}."},
          .template_set = "photo",
          .ensemble = {"a {}.", "the {}."},
          .plain_words = "a doodle of a",
          .base_classes = 2,
          .classes = {"ice_cream", "cup", "sea_horse", "bus"}};
}

RunResult full_result() {
  RunResult result{.out = "runs/1",
                   .method = "coop",
                   .title = "CoOp",
                   .changed = {{"lr", 0.002}},
                   .seed = 7,
                   .data = "pets",
                   .parameters = 2048,
                   .train_images = 8,
                   .test_images = 20,
                   .epochs = 3,
                   .steps = 12,
                   .loss = 0.25,
                   .assumptions = {"gelu is assumed"},
                   .metrics = {},
                   .cost = {}};
  result.metrics.push_back(
      {.name = "base_acc",
       .value = 0.5,
       .interval_asked = true,
       .interval = StoredInterval{.low = 0.25, .high = 0.75, .level = 0.95, .method = "wilson"}});
  result.metrics.push_back({.name = "hm", .why = "no new samples"});
  result.metrics.push_back({.name = "auroc",
                            .value = 0.75,
                            .interval_asked = true,
                            .no_interval = "every resample gave the same value",
                            .open = "new",
                            .positive = "base",
                            .ties = "half",
                            .threshold = -std::numeric_limits<double>::infinity()});
  result.cost = {.train_seconds = 1.5,
                 .encode_seconds = 0.5,
                 .text_seconds = 0.25,
                 .score_seconds = 0.125,
                 .seconds_per_image = 0.01,
                 .seconds = 3.0,
                 .peak_memory_bytes = 1 << 20,
                 .version = "0.1.0"};
  return result;
}

void write_run(const std::string& path, const RunSpec& spec, std::size_t samples) {
  const RunFolder folder(path);
  folder.begin(spec, "test");
  Random random(spec.seed);
  std::vector<std::int32_t> labels;
  std::vector<float> r, base_logits, new_logits;
  const auto logit = [&](bool right) {
    return static_cast<float>(random.uniform()) + (right ? 0.5f : 0.0f);
  };
  for (std::size_t c = 0; c < spec.classes.size(); ++c) {
    for (std::size_t i = 0; i < samples; ++i) {
      labels.push_back(static_cast<std::int32_t>(c));
      r.push_back(logit(c < spec.base_classes));
      for (std::size_t k = 0; k < spec.classes.size(); ++k) {
        (k < spec.base_classes ? base_logits : new_logits).push_back(logit(k == c));
      }
    }
  }
  LogitPredictions predictions{.side = {},
                               .label = {},
                               .score = r,
                               .base_logits = base_logits,
                               .new_logits = new_logits,
                               .base_classes = spec.base_classes,
                               .new_classes = spec.new_classes(),
                               .classes = spec.classes,
                               .meta = "{}"};
  set_sides(predictions, labels, static_cast<std::int32_t>(spec.base_classes));
  save_logit_predictions(predictions, folder.predictions_file(), "test");
  RunResult result = full_result();
  result.seed = spec.seed;
  folder.finish(result, "test");
}

}  // namespace openworld
