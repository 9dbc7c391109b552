#include "openworld/tuning/zero_shot_job.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/io/class_choice.h"
#include "openworld/io/dump_line.h"
#include "openworld/learners/common/largest_probability.h"
#include "openworld/predictions/logit_predictions.h"
#include "openworld/tuning/loaded_model.h"
#include "openworld/tuning/output_file.h"
#include "openworld/tuning/prompt_names.h"
#include "openworld/tuning/score_images.h"
#include "openworld/vlm/row_products.h"
#include "openworld/vlm/zeroshot.h"
#include "openworld/worlds/class_order.h"

namespace openworld {
namespace {

using at::Tensor;
using Json = nlohmann::ordered_json;

struct ScoredDataset {
  Tensor logits;  // [images, classes]
  std::vector<std::int32_t> labels;
};

std::optional<ZeroShotAccuracy> measure(const ScoredDataset& scored) {
  const std::int64_t classes = scored.logits.size(1);
  const float* row = scored.logits.data_ptr<float>();
  std::vector<std::int64_t> seen(static_cast<std::size_t>(classes)), right(seen.size());
  ZeroShotAccuracy accuracy;
  std::int64_t top5 = 0;
  for (const std::int32_t label : scored.labels) {
    if (label >= 0) {
      // A tie goes to the class that comes first, as argmax decides it.
      const float own = row[label];
      std::int64_t ahead = 0;
      for (std::int64_t c = 0; c < classes; ++c)
        ahead += row[c] > own || (row[c] == own && c < label);
      ++accuracy.images;
      ++seen[static_cast<std::size_t>(label)];
      right[static_cast<std::size_t>(label)] += ahead == 0;
      accuracy.top1 += ahead == 0;
      top5 += ahead < 5;
    }
    row += classes;
  }
  double sum = 0;
  std::int64_t present = 0;
  for (std::size_t c = 0; c < seen.size(); ++c) {
    if (seen[c] == 0) continue;
    sum += static_cast<double>(right[c]) / static_cast<double>(seen[c]);
    ++present;
  }
  if (accuracy.images == 0) return std::nullopt;
  accuracy.mean_per_class = sum / static_cast<double>(present);
  if (classes > 5) accuracy.top5 = top5;
  return accuracy;
}

// The prediction file of predictions/predictions.h: logits of both sides and r.
void save(const ScoredDataset& scored, const std::vector<std::string>& classes, std::int64_t base,
          const std::string& meta, const std::string& path) {
  const std::int64_t all = scored.logits.size(1);
  const Tensor base_logits = scored.logits.narrow(1, 0, base).contiguous();
  const Tensor new_logits = scored.logits.narrow(1, base, all - base).contiguous();
  const Tensor score = largest_probability(scored.logits, base).contiguous();
  LogitPredictions predictions = {.side = {},
                                  .label = {},
                                  .score = floats_of(score),
                                  .base_logits = floats_of(base_logits),
                                  .new_logits = floats_of(new_logits),
                                  .base_classes = static_cast<std::size_t>(base),
                                  .new_classes = static_cast<std::size_t>(all - base),
                                  .classes = classes,
                                  .meta = meta};
  set_sides(predictions, scored.labels, static_cast<std::int32_t>(base));
  save_logit_predictions(predictions, path, "zeroshot");
}

ScoredDataset score_dataset(const Clip& clip, const Dataset& dataset, const ImageFeatures& features,
                            const Tensor& classifier) {
  ScoredDataset scored;
  scored.logits = (logit_scale(clip) *
                   row_products(normalized_features(features, clip.device()), classifier.t()))
                      .to(at::kCPU)
                      .contiguous();
  for (const std::size_t i : features.samples) scored.labels.push_back(dataset.samples[i].label);
  return scored;
}

// A zero feature cannot be normalised, and a broken model gives NaN: no class is the largest then.
void refuse_nan(const ScoredDataset& scored, const Dataset& dataset,
                const ImageFeatures& features) {
  const float* row = scored.logits.data_ptr<float>();
  const auto classes = static_cast<std::size_t>(scored.logits.size(1));
  for (const std::size_t i : features.samples) {
    if (!is_finite({row, classes})) {
      fail("zeroshot", fmt::format("{}: its logits hold NaN; the model's features of it or of the "
                                   "names are zero or not finite",
                                   sample_name(dataset, i)));
    }
    row += classes;
  }
}

// What predictions and results both say.
Json description_json(const ZeroShotResult& result) {
  return {{"method", "zero-shot"},
          {"model", model_summary_json(result.model)},
          {"data", data_summary_json(result.data)},
          {"templates", result.templates},
          {"ensemble", result.ensemble},
          {"base_classes", result.base_classes},
          {"logit_scale", result.logit_scale}};
}

Json accuracy_json(const ZeroShotAccuracy& accuracy, double level) {
  const auto proportion = [&](std::int64_t right) -> Json {
    const Proportion p = wilson_proportion(right, accuracy.images, level);
    return {{"value", p.value},   {"low", p.low},   {"high", p.high},           {"level", level},
            {"method", "wilson"}, {"right", right}, {"images", accuracy.images}};
  };
  Json json = {{"top1", proportion(accuracy.top1)}};
  if (accuracy.top5) json["top5"] = proportion(*accuracy.top5);
  json["mean_per_class"] = accuracy.mean_per_class;
  return json;
}

}  // namespace

Json zero_shot_json(const ZeroShotResult& result) {
  Json json = {{"schema", "openworld.zeroshot/2"}};
  json.update(description_json(result));
  json["accuracy"] =
      result.accuracy ? accuracy_json(*result.accuracy, result.level) : Json::object();
  if (!result.out.empty()) json["out"] = result.out;
  return json;
}

ZeroShotResult run_zero_shot(const ZeroShotRequest& request, const Observer& observer) {
  const at::NoGradGuard no_grad;
  if (!request.out.empty()) expect_writable_npz(request.out, "zeroshot");
  Dataset dataset = request.data.open();
  const std::vector<std::size_t> base =
      choose_base(request.base, dataset.classes.size(), dataset.classes, "zeroshot");
  dataset = reorder_classes(dataset, base_first(base, dataset.classes.size()));
  ZeroShotResult result;
  result.templates = choose_templates(request.templates, dataset);
  result.ensemble = request.ensemble;
  result.level = request.level;
  const std::vector<std::string> names =
      prompt_names(dataset, request.data, request.keep_underscores, "zeroshot");
  result.base_classes = base.size();

  const LoadedModel model = load_model(request.model, "zeroshot", observer);
  const Tokenizer tokenizer = load_tokenizer(model.checkpoint, request.model.vocabulary);
  const Tensor classifier = zeroshot_classifier(
      model.clip, tokenizer, names, result.templates,
      {.ensemble = request.ensemble == "logits" ? Ensemble::kLogits : Ensemble::kFeatures,
       .memory = {request.memory},
       .on_progress = observer.follow("encoding prompts")});
  const ImageFeatures features =
      encode_dataset(model, dataset, request.model, request.cache, observer);
  const ScoredDataset scored = score_dataset(model.clip, dataset, features, classifier);
  refuse_nan(scored, dataset, features);
  result.accuracy = measure(scored);
  result.model = model.description(request.model);
  result.data =
      data_summary(dataset, request.data.path, features.samples.size(), features.failures.size());
  result.logit_scale = logit_scale(model.clip);
  if (!request.out.empty()) {
    save(scored, dataset.classes, static_cast<std::int64_t>(result.base_classes),
         dump_line(description_json(result)), request.out);
    result.out = request.out;
  }
  return result;
}

}  // namespace openworld
