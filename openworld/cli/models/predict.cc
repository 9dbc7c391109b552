// openworld predict, behind libtorch.

#include <ATen/core/grad_mode.h>
#include <ATen/ops/softmax.h>
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "openworld/base/error.h"
#include "openworld/cli/models/tuned_model.h"
#include "openworld/cli/models/tuning_data.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/run_record.h"
#include "openworld/cli/text_table.h"
#include "openworld/io/json_fields.h"
#include "openworld/io/json_file.h"
#include "openworld/io/option_json.h"
#include "openworld/learners/prompt_file.h"
#include "openworld/vlm/extra_features.h"
#include "openworld/worlds/folders.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;
using at::Tensor;
using Json = nlohmann::ordered_json;

constexpr auto kFunction = "predict";

// What `openworld threshold --run` wrote.
struct Threshold {
  double value = 0, max_miss = 0, confidence = 0;
};

std::optional<Threshold> read_threshold(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  const nlohmann::json json = read_json_file({kFunction, path});
  try {
    return Threshold{json.at("threshold"), json.at("max_miss"), json.at("confidence")};
  } catch (const nlohmann::json::exception& e) {
    Origin{kFunction, path}.fail(fmt::format("is no threshold: {}", e.what()));
  }
}

nlohmann::json read_run(const RunPaths& paths, const std::string& folder) {
  std::error_code ignored;
  if (!fs::is_regular_file(paths.run, ignored)) {
    Origin{kFunction, folder}.fail(
        "is no run: it has no run.json; expected a folder that "
        "`openworld tune` wrote");
  }
  if (!fs::is_regular_file(paths.prompts, ignored)) {
    Origin{kFunction, folder}.fail(
        "is not finished, prompts.safetensors is missing; run `openworld "
        "tune` again to go on");
  }
  return read_json_file({kFunction, paths.run}, {.bytes = std::size_t{64} << 20});
}

// Makes something that run.json describes: what is wrong with it is wrong in that file.
template <typename Make>
auto described(const std::string& path, const Make& make) {
  const Origin origin{kFunction, path};
  try {
    return make();
  } catch (const nlohmann::json::exception& e) {
    origin.fail(fmt::format("is no description of a run: {}", e.what()));
  } catch (const Error& e) {
    origin.fail(e.message());
  }
}

Dataset image_files(const std::vector<std::string>& paths) {
  Dataset dataset;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      dataset.samples.push_back({.path = fs::absolute(path, ignored).string()});
      continue;
    }
    std::vector<std::string> found;
    collect_images(path, "", {kFunction, path}, &found);
    if (found.empty()) Origin{kFunction, path}.fail("has no images");
    for (const std::string& file : found) {
      dataset.samples.push_back({.path = (fs::absolute(path, ignored) / file).string()});
    }
  }
  return dataset;
}

struct Answer {
  std::string path;
  bool is_base = false;
  double r = 0;
  std::string base_class, new_class;  // the latter empty if there are no new names
  double base_probability = 0, new_probability = 0;
};

// The largest of a row of logits: where, and its probability in that row.
std::pair<std::int64_t, double> best(const Tensor& logits) {
  const Tensor p = at::softmax(logits, 0);
  const std::int64_t at = p.argmax().item<std::int64_t>();
  return {at, p[at].item<double>()};
}

std::vector<Answer> answers(const Scores& scores, const nlohmann::json& run,
                            const std::optional<Threshold>& threshold) {
  const auto classes = run.at("classes").get<std::vector<std::string>>();
  const auto base = run.at("base_classes").get<std::int64_t>();
  std::vector<Answer> result;
  for (std::int64_t i = 0; i < scores.r.size(0); ++i) {
    Answer& answer = result.emplace_back();
    answer.r = scores.r[i].item<double>();
    const auto [g, g_probability] = best(scores.base_logits[i]);
    answer.base_class = classes[static_cast<std::size_t>(g)];
    answer.base_probability = g_probability;
    answer.is_base = true;
    if (scores.new_logits.size(1) == 0) {
      if (threshold) answer.is_base = answer.r > threshold->value;
      continue;
    }
    const auto [h, h_probability] = best(scores.new_logits[i]);
    answer.new_class = classes[static_cast<std::size_t>(base + h)];
    answer.new_probability = h_probability;
    answer.is_base =
        threshold ? answer.r > threshold->value
                  : scores.base_logits[i][g].item<float>() >= scores.new_logits[i][h].item<float>();
  }
  return result;
}

const char* rule_of(const std::optional<Threshold>& threshold) {
  return threshold ? "base if r > threshold"
                   : "base if the largest logit of all names is of a base name";
}

void print_text(const std::vector<Answer>& all, const std::optional<Threshold>& threshold,
                const std::string& run) {
  TextTable table({"image", "side", "class", "%", "r"});
  for (const Answer& a : all) {
    const std::string& name = a.is_base ? a.base_class : a.new_class;
    const double probability = a.is_base ? a.base_probability : a.new_probability;
    table.add({a.path, a.is_base ? "base" : "new", name.empty() ? "-" : name,
               name.empty() ? "-" : percent(probability, 1), fmt::format("{:.4f}", a.r)});
  }
  fmt::print("{}\n", table.text());
  if (threshold) {
    fmt::print(
        "base if r > {:g}: with confidence {:g} % at most {:g} % of base images are missed, "
        "if they are like those it was chosen on\n",
        threshold->value, 100 * threshold->confidence, 100 * threshold->max_miss);
  } else {
    fmt::print(
        "no threshold was set: {}; `openworld threshold --run {} --max-miss 0.3` sets one "
        "with a guarantee\n",
        rule_of(threshold), run);
  }
}

Json answer_json(const Answer& a) {
  Json json = {{"path", a.path},
               {"side", a.is_base ? "base" : "new"},
               {"class", a.is_base             ? Json(a.base_class)
                         : a.new_class.empty() ? Json()
                                               : Json(a.new_class)},
               {"r", a.r},
               {"base", {{"class", a.base_class}, {"probability", a.base_probability}}}};
  if (!a.new_class.empty()) {
    json["new"] = {{"class", a.new_class}, {"probability", a.new_probability}};
  }
  return json;
}

}  // namespace

void run_predict(const PredictFlags& flags) {
  const RunRecord record;
  const at::NoGradGuard no_grad;
  const RunPaths paths(flags.run);
  const nlohmann::json run = read_run(paths, flags.run);
  const std::optional<Threshold> threshold = read_threshold(paths.threshold);
  const Dataset dataset = image_files(flags.images);

  ModelFlags model_flags;
  model_flags.batch = flags.batch;
  model_flags.threads = flags.threads;
  std::string sha256;
  double scale = 0;  // the model's own
  const ChosenMethod method = described(paths.run, [&] {
    const nlohmann::json& model = run.at("model");
    model_flags.model = flags.model.empty() ? model.at("path").get<std::string>() : flags.model;
    model_flags.activation = model.at("activation").get<std::string>();
    model_flags.vocabulary =
        flags.vocabulary.empty() ? model.at("vocabulary").get<std::string>() : flags.vocabulary;
    sha256 = model.at("sha256").get<std::string>();
    scale = model.at("logit_scale").get<double>();
    ChosenMethod result(run.at("method").get<std::string>());
    result.list.set_values(option_values(JsonFields(run, "", {kFunction, paths.run}), "options"),
                           kFunction);
    return result;
  });
  const auto open_model = [&] { return load_model(model_flags, kFunction); };
  LoadedModel model = flags.model.empty() ? described(paths.run, open_model) : open_model();
  if (hex_text(model.checkpoint.sha256()) != sha256) {
    fail(kFunction, fmt::format("{} is not the checkpoint that {} was tuned on; their SHA-256 "
                                "differ",
                                model_flags.model, flags.run));
  }
  if (scale > 0) set_logit_scale(model.clip, scale);
  const Tokenizer tokenizer = load_tokenizer(model.checkpoint, model_flags.vocabulary);
  const TextModel text_model = {&model.clip, &tokenizer, {}, flags.threads};
  const TuningTask task = task_of(run, text_model, paths.run);
  const auto learner = described(paths.run, [&] { return method.options->make(task); });
  load_prompts(*learner, paths.prompts);
  const Scorer scorer = described(paths.run, [&] { return learner->scorer(new_names_of(run)); });

  const ImageFeatures features =
      encode_dataset(model, dataset, model_flags, CacheFlags{.folder = "", .off = true});
  ScoredImages scored{normalized_features(features)};
  if (learner->scores_patches()) {
    scored.local = patch_features(model.clip, some_samples(dataset, features.samples),
                                  {flags.batch, flags.threads, {}});
  }
  std::vector<Answer> all = answers(scorer(scored), run, threshold);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].path = dataset.samples[features.samples[i]].path;
  }
  if (!flags.json) return print_text(all, threshold, flags.run);
  Json images = Json::array();
  for (const Answer& answer : all) images.push_back(answer_json(answer));
  Json json = {{"schema", "openworld.predict/1"},
               {"source", flags.run},
               {"method", method.row->name},
               {"rule", rule_of(threshold)},
               {"threshold", threshold ? Json{{"value", threshold->value},
                                              {"max_miss", threshold->max_miss},
                                              {"confidence", threshold->confidence}}
                                       : Json()},
               {"images", std::move(images)},
               {"skipped", features.failures.size()},
               {"run", Json::parse(record.json())}};
  print_json(json);
}

}  // namespace openworld
