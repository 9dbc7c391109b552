#include "openworld/tuning/tuned_model.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/softmax.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "openworld/analysis/unknown_threshold.h"
#include "openworld/base/error.h"
#include "openworld/io/machine_error.h"
#include "openworld/io/sha256.h"
#include "openworld/learners/prompt_file.h"
#include "openworld/predictions/derive.h"
#include "openworld/runs/run_folder.h"
#include "openworld/runs/run_paths.h"
#include "openworld/tuning/image_list.h"
#include "openworld/tuning/learner_input.h"
#include "openworld/tuning/loaded_model.h"
#include "openworld/tuning/method.h"
#include "openworld/tuning/tuning_data.h"
#include "openworld/worlds/folders.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;
using at::Tensor;

RunSpec read_spec(const RunFolder& folder) {
  std::error_code ignored;
  RunSpec spec = folder.spec("predict");
  if (spec.network) {
    fail("predict", fmt::format("{}: a run of `openworld osr train`, which tunes no CLIP model; "
                                "`openworld osr score` predicts with it",
                                folder.path()));
  }
  if (!fs::is_regular_file(folder.prompts_file(), ignored)) {
    fail("predict", fmt::format("{}: not finished, prompts.safetensors is missing; run `openworld "
                                "tune` again to resume",
                                folder.path()));
  }
  folder.expect_whole({RunFile::kSpec, RunFile::kPrompts}, "predict");
  const Origin origin{"predict", folder.spec_file()};
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
    fail("predict", fmt::format("{}: {}", folder.spec_file(), e.message()));
  }
}

// Where the weights of the run are now: of the places that are possible, the first with their hash,
// else the first.
std::string find_weights(const RunFolder& folder, const RunModel& model) {
  const std::vector<std::string> places = path_candidates(folder, model.path, "predict");
  const auto has_hash = [&](const std::string& place) {
    try {
      const CheckpointOptions options{find_activation(model.activation), "predict"};
      return hex_text(open_clip_checkpoint(place, options).sha256()) == model.sha256;
    } catch (const MachineError&) {
      throw;
    } catch (const Error&) {
      return false;  // something else of that name
    }
  };
  if (places.size() == 1) return places[0];  // it is hashed when it is opened
  const auto found = std::ranges::find_if(places, has_hash);
  return found == places.end() ? places[0] : *found;
}

LoadedModel load_found(const RunFolder& folder, const ModelSpec& model) {
  try {
    return load_model(model, "predict");
  } catch (const MachineError&) {
    throw;
  } catch (const Error& e) {
    fail("predict", fmt::format("{}: {}; name the checkpoint's place now with --model, or model=",
                                folder.spec_file(), e.message()));
  }
}

// The largest of a row of logits: where, and its probability in that row.
std::pair<std::int64_t, double> best(const Tensor& logits) {
  const Tensor p = at::softmax(logits, 0);
  const std::int64_t at = p.argmax().item<std::int64_t>();
  return {at, p[at].item<double>()};
}

Matrix matrix_of(const Tensor& logits) {
  return {make_column(std::vector<float>(logits.data_ptr<float>(),
                                         logits.data_ptr<float>() + logits.numel())),
          static_cast<std::size_t>(logits.size(0)), static_cast<std::size_t>(logits.size(1)),
          false};
}

// By image, as it is of the predictions that thresholds are chosen on.
std::vector<double> fit_of(const Scores& scores, const std::string& run) {
  const Matrix base = matrix_of(scores.base_logits);
  const Matrix new_side = matrix_of(scores.new_logits);
  return name_fit({.base = &base, .new_side = new_side.columns > 0 ? &new_side : nullptr},
                  {"predict", run});
}

Side side_of(const Answer& answer, bool base_is_largest,
             const std::optional<StoredThreshold>& threshold) {
  if (!threshold) return base_is_largest ? Side::kBase : Side::kNew;
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  return openworld::answer_of(answer.r, answer.fit, threshold->value,
                              threshold->unknown ? threshold->unknown->value : kNever);
}

Answer make_answer(const Scores& scores, std::int64_t row, double fit, const RunSpec& spec,
                   const std::optional<StoredThreshold>& threshold) {
  Answer answer;
  answer.r = scores.r[row].item<double>();
  answer.fit = fit;
  const auto [g, g_probability] = best(scores.base_logits[row]);
  answer.base_class = spec.classes[static_cast<std::size_t>(g)];
  answer.base_probability = g_probability;
  bool base_is_largest = true;
  if (scores.new_logits.size(1) > 0) {
    const auto [h, h_probability] = best(scores.new_logits[row]);
    answer.new_class = spec.classes[spec.base_classes + static_cast<std::size_t>(h)];
    answer.new_probability = h_probability;
    base_is_largest =
        scores.base_logits[row][g].item<float>() >= scores.new_logits[row][h].item<float>();
  }
  answer.side = side_of(answer, base_is_largest, threshold);
  return answer;
}

}  // namespace

// What the learner and its scorer point into stays where it is.
struct TunedModel::Parts {
  std::string folder;
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
  std::optional<StoredThreshold> threshold = read_threshold({"predict", folder.threshold_file()});
  const Method method = described(folder, [&] { return method_of(spec, "predict"); });
  ModelSpec used = model;
  used.activation = spec.model.activation;
  if (used.path.empty()) used.path = find_weights(folder, spec.model);
  if (used.vocabulary.empty() && !spec.model.vocabulary.empty()) {
    used.vocabulary = find_path(folder, spec.model.vocabulary, "predict");
  }
  LoadedModel loaded = model.path.empty() ? load_found(folder, used) : load_model(used, "predict");
  if (hex_text(loaded.checkpoint.sha256()) != spec.model.sha256) {
    fail("predict", fmt::format("{} is not the checkpoint that {} was tuned on; their SHA-256 "
                                "differ",
                                used.path, path));
  }
  if (spec.model.assumptions.empty()) spec.model.assumptions = loaded.checkpoint.notes();
  if (spec.model.logit_scale > 0) set_logit_scale(loaded.clip, spec.model.logit_scale);
  // A tokenizer cannot be moved; it is made in its place.
  std::unique_ptr<Parts> parts(
      new Parts{.folder = path,
                .spec = std::move(spec),
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
  if (images.skipped > 0) {
    observer.warn(fmt::format("skipped: {} {} not named like an image; expected {}", images.skipped,
                              images.skipped == 1 ? "file is" : "files are", kImageEndings));
  }
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
    *part = part->to(at::kCPU).contiguous();
  }
  const std::vector<double> fit = fit_of(scores, parts_->folder);
  PredictedImages result;
  for (std::size_t i = 0; i < features.samples.size(); ++i) {
    Answer& answer = result.answers.emplace_back(
        make_answer(scores, static_cast<std::int64_t>(i), fit[i], parts_->spec, parts_->threshold));
    answer.path = images.samples[features.samples[i]].path;
  }
  result.skipped = features.failures.size();
  return result;
}

Dataset image_files(const std::vector<std::string>& paths) {
  ImageList list("predict");
  for (const std::string& path : paths) list.add_path(path);
  return list.dataset();
}

}  // namespace openworld
