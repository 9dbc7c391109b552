#include "openworld/tuning/tuned_model.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/softmax.h>
#include <fmt/format.h>

#include <filesystem>

#include "openworld/base/error.h"
#include "openworld/io/sha256.h"
#include "openworld/learners/prompt_file.h"
#include "openworld/runs/run_folder.h"
#include "openworld/tuning/image_list.h"
#include "openworld/tuning/learner_input.h"
#include "openworld/tuning/loaded_model.h"
#include "openworld/tuning/method.h"
#include "openworld/tuning/tuning_data.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;
using at::Tensor;

constexpr auto kFunction = "predict";

RunSpec read_spec(const RunFolder& folder) {
  std::error_code ignored;
  RunSpec spec = folder.spec(kFunction);
  if (!fs::is_regular_file(folder.prompts_file(), ignored)) {
    fail(kFunction, fmt::format("{}: not finished, prompts.safetensors is missing; run `openworld "
                                "tune` again to resume",
                                folder.path()));
  }
  folder.expect_whole({RunFile::kSpec, RunFile::kPrompts}, kFunction);
  const Origin origin{kFunction, folder.spec_file()};
  if (spec.model.sha256.empty()) origin.fail("has no model.sha256; expected that of the weights");
  if (spec.model.activation.empty()) origin.fail("has no model.activation");
  if (spec.templates.empty() || spec.ensemble.empty()) origin.fail("has no templates");
  return spec;
}

// Makes something that run.json describes: what is wrong with it is wrong in that file.
template <typename Make>
auto described(const RunFolder& folder, const Make& make) {
  try {
    return make();
  } catch (const Error& e) {
    fail(kFunction, fmt::format("{}: {}", folder.spec_file(), e.message()));
  }
}

// The largest of a row of logits: where, and its probability in that row.
std::pair<std::int64_t, double> best(const Tensor& logits) {
  const Tensor p = at::softmax(logits, 0);
  const std::int64_t at = p.argmax().item<std::int64_t>();
  return {at, p[at].item<double>()};
}

Answer answer_of(const Scores& scores, std::int64_t row, const RunSpec& spec,
                 const std::optional<StoredThreshold>& threshold) {
  Answer answer;
  answer.r = scores.r[row].item<double>();
  const auto [g, g_probability] = best(scores.base_logits[row]);
  answer.base_class = spec.classes[static_cast<std::size_t>(g)];
  answer.base_probability = g_probability;
  answer.is_base = true;
  if (scores.new_logits.size(1) == 0) {
    if (threshold) answer.is_base = answer.r > threshold->value;
    return answer;
  }
  const auto [h, h_probability] = best(scores.new_logits[row]);
  answer.new_class = spec.classes[spec.base_classes + static_cast<std::size_t>(h)];
  answer.new_probability = h_probability;
  answer.is_base = threshold ? answer.r > threshold->value
                             : scores.base_logits[row][g].item<float>() >=
                                   scores.new_logits[row][h].item<float>();
  return answer;
}

}  // namespace

// What the learner and its scorer point into stays where it is.
struct TunedModel::Parts {
  RunSpec spec;
  std::optional<StoredThreshold> threshold;
  ModelSpec model_spec;
  Tokenizer tokenizer;
  LoadedModel model;
  std::unique_ptr<Learner> learner = {};
  Scorer scorer = {};
};

TunedModel::TunedModel(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
TunedModel::TunedModel(TunedModel&&) noexcept = default;
TunedModel::~TunedModel() = default;

TunedModel TunedModel::open(const std::string& path, const ModelSpec& model) {
  const at::NoGradGuard no_grad;
  const RunFolder folder(path);
  RunSpec spec = read_spec(folder);
  std::optional<StoredThreshold> threshold = read_threshold({kFunction, folder.threshold_file()});
  const Method method = described(folder, [&] { return method_of(spec, kFunction); });
  ModelSpec used = model;
  if (used.path.empty()) used.path = spec.model.path;
  if (used.vocabulary.empty()) used.vocabulary = spec.model.vocabulary;
  used.activation = spec.model.activation;
  const auto load = [&] { return load_model(used, kFunction); };
  LoadedModel loaded = model.path.empty() ? described(folder, load) : load();
  if (hex_text(loaded.checkpoint.sha256()) != spec.model.sha256) {
    fail(kFunction, fmt::format("{} is not the checkpoint that {} was tuned on; their SHA-256 "
                                "differ",
                                used.path, path));
  }
  if (spec.model.logit_scale > 0) set_logit_scale(loaded.clip, spec.model.logit_scale);
  // A tokenizer cannot be moved; it is made in its place.
  std::unique_ptr<Parts> parts(
      new Parts{.spec = std::move(spec),
                .threshold = threshold,
                .model_spec = used,
                .tokenizer = load_tokenizer(loaded.checkpoint, used.vocabulary),
                .model = std::move(loaded)});
  const TextModel text_model = {&parts->model.clip, &parts->tokenizer, {}, used.threads};
  parts->learner =
      described(folder, [&] { return method.options->make(task_of(parts->spec, text_model)); });
  load_prompts(*parts->learner, folder.prompts_file());
  parts->scorer =
      described(folder, [&] { return parts->learner->scorer(parts->spec.new_names()); });
  return TunedModel(std::move(parts));
}

const RunSpec& TunedModel::spec() const {
  return parts_->spec;
}

const std::optional<StoredThreshold>& TunedModel::threshold() const {
  return parts_->threshold;
}

PredictedImages TunedModel::predict(const Dataset& images, const Observer& observer) const {
  const at::NoGradGuard no_grad;
  const ModelSpec& spec = parts_->model_spec;
  use_threads(spec);
  const ImageFeatures features =
      encode_dataset(parts_->model, images, spec, {.folder = "", .off = true}, observer);
  const Clip& clip = parts_->model.clip;
  ScoredImages scored{.features = normalized_features(features, clip.device()),
                      .lengths = feature_lengths(features, clip.device())};
  add_learner_input(clip, some_samples(images, features.samples), spec,
                    parts_->learner->scored_input(), scored);
  Scores scores = parts_->scorer(scored);
  for (Tensor* part : {&scores.base_logits, &scores.new_logits, &scores.r}) {
    *part = part->to(at::kCPU);
  }
  PredictedImages result;
  for (std::size_t i = 0; i < features.samples.size(); ++i) {
    Answer& answer = result.answers.emplace_back(
        answer_of(scores, static_cast<std::int64_t>(i), parts_->spec, parts_->threshold));
    answer.path = images.samples[features.samples[i]].path;
  }
  result.skipped = features.failures.size();
  return result;
}

Dataset image_files(const std::vector<std::string>& paths) {
  ImageList list(kFunction);
  for (const std::string& path : paths) list.add_path(path);
  return list.dataset();
}

}  // namespace openworld
