// openworld zeroshot, behind libtorch.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/cli/models/class_list.h"
#include "openworld/cli/models/run_model.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/run_record.h"
#include "openworld/cli/text_table.h"
#include "openworld/metrics/accuracy.h"
#include "openworld/predictions/logit_predictions.h"
#include "openworld/vlm/zeroshot.h"

namespace openworld {
namespace {

using at::Tensor;
using Json = nlohmann::ordered_json;

constexpr auto kFunction = "zeroshot";

struct Scored {
  Tensor logits;  // [images, classes]
  std::vector<std::int32_t> labels;
};

struct Accuracy {
  std::int64_t known = 0, top1 = 0, top5 = 0;
  double mean_per_class = 0;  // over classes that have images
};

Accuracy measure(const Scored& scored) {
  const std::int64_t classes = scored.logits.size(1);
  const float* row = scored.logits.data_ptr<float>();
  std::vector<std::int64_t> seen(static_cast<std::size_t>(classes)), right(seen.size());
  Accuracy accuracy;
  for (const std::int32_t label : scored.labels) {
    if (label >= 0) {
      // A tie goes to the class that comes first, as argmax decides it.
      const float own = row[label];
      std::int64_t ahead = 0;
      for (std::int64_t c = 0; c < classes; ++c)
        ahead += row[c] > own || (row[c] == own && c < label);
      ++accuracy.known;
      ++seen[static_cast<std::size_t>(label)];
      right[static_cast<std::size_t>(label)] += ahead == 0;
      accuracy.top1 += ahead == 0;
      accuracy.top5 += ahead < 5;
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
  if (present > 0) accuracy.mean_per_class = sum / static_cast<double>(present);
  return accuracy;
}

// The prediction file of io/predictions.h: logits of both sides and r.
void save(const Scored& scored, const std::vector<std::string>& classes, std::int64_t base,
          const Json& meta, const std::string& path) {
  const std::int64_t all = scored.logits.size(1);
  const Tensor base_logits = scored.logits.narrow(1, 0, base).contiguous();
  const Tensor new_logits = scored.logits.narrow(1, base, all - base).contiguous();
  const Tensor score =
      std::get<0>(at::softmax(scored.logits, 1).narrow(1, 0, base).max(1)).contiguous();
  LogitPredictions predictions = {.side = {},
                                  .label = {},
                                  .score = floats_of(score),
                                  .base_logits = floats_of(base_logits),
                                  .new_logits = floats_of(new_logits),
                                  .base_classes = static_cast<std::size_t>(base),
                                  .new_classes = static_cast<std::size_t>(all - base),
                                  .classes = classes,
                                  .meta = dump_line(meta)};
  set_sides(predictions, scored.labels, static_cast<std::int32_t>(base));
  save_logit_predictions(predictions, path, kFunction);
}

Scored score_images(const Clip& clip, const Dataset& dataset, const ImageFeatures& features,
                    const Tensor& classifier) {
  const auto rows = static_cast<std::int64_t>(features.samples.size());
  const Tensor images = at::from_blob(const_cast<float*>(features.features.data()),
                                      {rows, clip.config.embed}, at::kFloat);
  Scored scored;
  scored.logits = (logit_scale(clip) * at::matmul(normalized(images), classifier.t())).contiguous();
  for (const std::size_t i : features.samples) scored.labels.push_back(dataset.samples[i].label);
  return scored;
}

// A zero feature cannot be normalised, and a broken model gives NaN: no class is the largest then.
void refuse_nan(const Scored& scored, const Dataset& dataset, const ImageFeatures& features) {
  const float* row = scored.logits.data_ptr<float>();
  const auto classes = static_cast<std::size_t>(scored.logits.size(1));
  for (const std::size_t i : features.samples) {
    if (!is_finite({row, classes})) {
      fail(kFunction, fmt::format("{}: its logits hold NaN; the model's features of it or of the "
                                  "names are zero or not finite",
                                  sample_name(dataset, i)));
    }
    row += classes;
  }
}

void print_text(const Json& json, const ZeroshotFlags& flags) {
  const Json& accuracy = json["accuracy"];
  const std::size_t classes = json["data"]["classes"];
  fmt::print("{} of {} class{}, {}\n\n", counted(json["data"]["images"], "image"), classes,
             classes == 1 ? "" : "es", counted(json["templates"].size(), "template"));
  TextTable table({"", "%", fmt::format("{:g} % interval", 100 * flags.level)});
  const auto interval = [](const Json& value) {
    return fmt::format("{} - {}", percent(value["low"]), percent(value["high"]));
  };
  for (const char* name : {"top1", "top5"}) {
    if (!accuracy.contains(name)) continue;
    table.add({name == std::string_view("top1") ? "top-1 accuracy" : "top-5 accuracy",
               percent(accuracy[name]["value"]), interval(accuracy[name])});
  }
  if (accuracy.contains("mean_per_class")) {
    table.add({"mean per class", percent(accuracy["mean_per_class"]), ""});
  }
  fmt::print("{}", accuracy.empty() ? "no image has a label; nothing to measure\n" : table.text());
  if (!flags.out.empty()) fmt::print("\nwrote {}; see `openworld eval {}`\n", flags.out, flags.out);
}

}  // namespace

void run_zeroshot(const ZeroshotFlags& flags) {
  const RunRecord record;
  at::NoGradGuard no_grad;
  if (!flags.out.empty()) check_out(flags.out, kFunction);
  const Dataset dataset = load_data(flags.data);
  const std::vector<std::string> templates = choose_templates(flags.templates, dataset);
  const std::vector<std::string> names =
      prompt_names(dataset, flags.data, flags.keep_underscores, kFunction);
  const std::int64_t base = base_classes(flags.base, dataset.classes.size(), kFunction);

  const LoadedModel model = load_model(flags.model, kFunction);
  const Tokenizer tokenizer = load_tokenizer(model.checkpoint, flags.model.vocabulary);
  const Tensor classifier = zeroshot_classifier(
      model.clip, tokenizer, names, templates,
      {.ensemble = flags.ensemble == "logits" ? Ensemble::kLogits : Ensemble::kFeatures,
       .memory = {flags.memory},
       .on_progress = progress_line("encoding prompts")});
  const ImageFeatures features = encode_dataset(model, dataset, flags.model, flags.cache);
  const Scored scored = score_images(model.clip, dataset, features, classifier);
  refuse_nan(scored, dataset, features);
  const Accuracy accuracy = measure(scored);

  const Json meta = {{"method", "zero-shot"},
                     {"model", model_json(model, flags.model)},
                     {"data", data_json(dataset, flags.data, features)},
                     {"templates", templates},
                     {"ensemble", flags.ensemble},
                     {"base_classes", base},
                     {"logit_scale", logit_scale(model.clip)}};
  if (!flags.out.empty()) save(scored, dataset.classes, base, meta, flags.out);

  Json json = {{"schema", "openworld.zeroshot/1"}};
  json.update(meta);
  Json measured = Json::object();
  if (accuracy.known > 0) {
    const auto proportion = [&](std::int64_t right) -> Json {
      const Proportion p = wilson_proportion(right, accuracy.known, flags.level);
      return {{"value", p.value},        {"low", p.low},       {"high", p.high},
              {"level", flags.level},    {"method", "wilson"}, {"right", right},
              {"images", accuracy.known}};
    };
    measured["top1"] = proportion(accuracy.top1);
    if (dataset.classes.size() > 5) measured["top5"] = proportion(accuracy.top5);
    measured["mean_per_class"] = accuracy.mean_per_class;
  }
  json["accuracy"] = std::move(measured);
  if (!flags.out.empty()) json["out"] = flags.out;
  if (!flags.json) return print_text(json, flags);
  json["run"] = Json::parse(record.json());
  print_json(json);
}

}  // namespace openworld
