#include "openworld/cli/score_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "openworld/base/error.h"
#include "openworld/base/progress.h"
#include "openworld/cli/flag_checks.h"

namespace openworld {
namespace {

constexpr const char* kFeatureGroup = "Features";

}  // namespace

void ScoreFlags::declare(CLI::App& app) {
  app_ = &app;
  const auto add = [&](const char* name, auto& value, const char* help) {
    return app.add_option(name, value, help)->group(kFeatureGroup);
  };
  add("--images", files_.images,
      "features [N, D] and label [N] of images: .npz, .pt, .safetensors, or .npy with --labels; a "
      "label is the index or the name of a class, or -1 or unknown");
  add("--texts", files_.texts,
      "features [K, D] of class names, or of prompts, [K, T, D] or [R, D] with label [R], and "
      "names [K] at choice");
  add("--unknown", files_.unknown, "features [M, D] of further images, all of them unknown");
  add("--labels", files_.labels, ".npy or .pt of labels, if not in --images");
  add("--names", files_.names, "text file, a class name on each line, if not in --texts");
  add("--base", base_,
      "base classes: half, all, the number of the first ones, names with commas between them, or a "
      "file with a name on each line")
      ->capture_default_str();
  add("--new", new_names_,
      "new classes: names or a file of them; images of classes that are neither base nor new are "
      "then unknown [all but base]");
  add("--score", options_.scores,
      "detection scores, comma-separated (`openworld ls scores`), or all [msp; base_sigmoid with "
      "--activation sigmoid]");
  add("--logit-scale", options_.form.scale, "logit = scale * cosine + bias")
      ->check(positive_number())
      ->capture_default_str();
  add("--logit-bias", options_.form.bias, "see --logit-scale")
      ->check(finite_number())
      ->capture_default_str();
  add("--activation", activation_, "how the model makes probabilities; sigmoid for SigLIP")
      ->check(CLI::IsMember({"softmax", "sigmoid"}))
      ->capture_default_str();
  add("--ensemble", ensemble_,
      "of several prompts of a class: average normalised features and normalise, or average logits")
      ->check(CLI::IsMember({"features", "logits"}))
      ->capture_default_str();
  app.add_flag("--keep-lengths", keep_lengths_,
               "take features as they are instead of scaling them to length 1")
      ->group(kFeatureGroup);
  add("--mcm-temperature", options_.form.mcm_temperature, "temperature of MCM")
      ->check(positive_number())
      ->capture_default_str();
}

bool ScoreFlags::given(const std::string& function) const {
  if (files_.images.empty() != files_.texts.empty()) {
    fail(function,
         fmt::format("{} without {}; expected both", files_.images.empty() ? "--texts" : "--images",
                     files_.images.empty() ? "--images" : "--texts"));
  }
  if (!files_.images.empty()) return true;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->get_group() == kFeatureGroup && option->count() > 0) {
      fail(function, fmt::format("{} needs --images and --texts", option->get_name()));
    }
  }
  return false;
}

ScoreOptions ScoreFlags::options(const std::string& function, int threads) const {
  ScoreOptions options = options_;
  options.base = base_;
  if (!new_names_.empty()) options.new_names = new_names_;
  options.form.activation =
      activation_ == "sigmoid" ? OutputActivation::kSigmoid : OutputActivation::kSoftmax;
  options.ensemble = ensemble_ == "logits" ? TextEnsemble::kLogits : TextEnsemble::kFeatures;
  options.normalize = !keep_lengths_;
  options.threads = threads;
  options.function = function;
  return options;
}

ScoreFlags::Result ScoreFlags::score(const std::string& function, int threads) const {
  ScoreOptions options = this->options(function, threads);
  ScoreInput input = load_score_input(files_, options);
  const std::size_t images =
      input.images.features.rows + (input.unknown ? input.unknown->features.rows : std::size_t{0});
  Progress progress("scoring images", images);
  options.progress = [&](std::size_t done) { progress.update(done); };
  Result result{.scored = {}, .features = score_features(std::move(input), options)};
  ScoredFeatures::Source source = {{"images", files_.images}, {"texts", files_.texts}};
  if (!files_.unknown.empty()) source.emplace_back("unknown", files_.unknown);
  for (std::size_t k = 0; k < result.features.scores.size(); ++k) {
    result.scored.push_back(
        {result.features.scores[k]->name, result.features.predictions(k, options, source)});
    result.scored.back().predictions.path = files_.images;
  }
  return result;
}

}  // namespace openworld
