// openworld openset of a checkpoint and images, behind libtorch: features of images, of class names
// in templates, and of negative words, handed to the same test as features from files.

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "openworld/base/error.h"
#include "openworld/cli/models/terminal.h"
#include "openworld/cli/openset_run.h"
#include "openworld/openset/random_queries.h"
#include "openworld/tuning/loaded_model.h"
#include "openworld/tuning/prompt_names.h"
#include "openworld/tuning/score_images.h"
#include "openworld/vlm/zeroshot.h"

namespace openworld {
namespace {

FeatureArrays arrays_of(const at::Tensor& features, const char* name) {
  const at::Tensor rows = features.cpu().contiguous();
  const std::span<const float> values = floats_of(rows);
  FeatureArrays arrays;
  arrays.features = {
      {make_column(std::vector<float>(values.begin(), values.end())),
       static_cast<std::size_t>(rows.size(0)), static_cast<std::size_t>(rows.size(1)), false},
      name,
      {"openset", ""}};
  return arrays;
}

std::vector<std::int32_t> labels_of(const Dataset& dataset, const ImageFeatures& features) {
  std::vector<std::int32_t> labels;
  for (const std::size_t i : features.samples) {
    labels.push_back(dataset.samples[i].label);
    if (labels.back() >= 0) continue;
    fail("openset", fmt::format("{} has no label; expected images of the named classes only",
                                sample_name(dataset, i)));
  }
  return labels;
}

}  // namespace

void run_openset(const OpenSetFlags& flags) {
  const at::NoGradGuard no_grad;
  const Observer observer = terminal_observer();
  const Dataset dataset = flags.data.open();
  const std::vector<std::string> templates = choose_templates(flags.templates, dataset);
  const std::vector<std::string> names = prompt_names(dataset, flags.data, false, "openset");
  ModelSpec spec = flags.model;
  spec.threads = flags.numbers.threads;
  const LoadedModel model = load_model(spec, "openset", observer);
  const Tokenizer tokenizer = load_tokenizer(model.checkpoint, spec.vocabulary);
  const auto options = [&](const char* what) {
    return ZeroshotOptions{.memory = {flags.memory},
                           .on_progress = observer.follow(fmt::format("encoding {}", what))};
  };
  const auto encode = [&](const std::vector<std::string>& queries, const char* what) {
    FeatureArrays arrays = arrays_of(
        zeroshot_classifier(model.clip, tokenizer, queries, templates, options(what)), what);
    arrays.names = queries;
    return arrays;
  };
  FeatureArrays texts = encode(names, "class names");
  std::optional<FeatureArrays> extra;
  if (!flags.extra_queries.empty()) {
    extra = encode(flags.extra_queries, "further queries");
  } else if (flags.random_embeddings > 0 && flags.distribution == "tokens") {
    // Any id but the end of text, in the length of the context, as published.
    const auto ids = random_token_ids(
        flags.random_embeddings, static_cast<std::size_t>(model.clip.config.context),
        static_cast<std::uint32_t>(model.clip.config.end_of_text()), small_negative_seed(flags));
    extra = arrays_of(encode_token_ids(model.clip, ids, options("random tokens")), "random tokens");
  } else {
    extra = random_negatives(texts, flags);
  }
  const ImageFeatures features = encode_dataset(model, dataset, spec, flags.cache, observer);
  FeatureArrays images = arrays_of(normalized_features(features, at::kCPU), "images");
  images.label = make_column(labels_of(dataset, features));
  OpenSetFlags mine = flags;
  mine.form.scale = logit_scale(model.clip);
  const OpenSetInput input =
      features_input(std::move(images), std::move(texts), std::move(extra),
                     {.scale = mine.form.scale, .bias = mine.form.bias, .normalize = true});
  run_open_set_command(input, mine, {{"model", spec.path}, {"data", flags.data.path}},
                       model.checkpoint.notes());
}

}  // namespace openworld
