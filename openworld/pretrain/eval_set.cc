#include "openworld/pretrain/eval_set.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/matmul.h>
#include <fmt/format.h>

#include "openworld/base/error.h"
#include "openworld/vlm/image_features.h"
#include "openworld/vlm/zeroshot.h"
#include "openworld/worlds/templates.h"

namespace openworld {

EvalSet open_eval_set(const std::string& name, const std::string& split) {
  Dataset dataset = open_dataset(name, {.split = split});
  std::vector<std::string> templates =
      resolve_templates(dataset.templates.empty() ? "photo" : dataset.templates);
  return {name, std::move(dataset), std::move(templates)};
}

double zeroshot_accuracy(const Clip& clip, const Tokenizer& tokenizer, const EvalSet& set,
                         int threads) {
  at::NoGradGuard no_grad;
  std::vector<std::string> names;
  for (const std::string& name : set.dataset.classes) names.push_back(spaced(name));
  const at::Tensor classifier = zeroshot_classifier(clip, tokenizer, names, set.templates);
  const ImageFeatures features = image_features(
      clip, set.dataset,
      {.batch = 128, .threads = threads, .store = nullptr, .on_hash = {}, .on_encode = {}});
  const auto rows = static_cast<std::int64_t>(features.samples.size());
  if (rows == 0) fail("pretrain", fmt::format("{}: no image could be read", set.name));
  const at::Tensor images =
      normalized(at::from_blob(const_cast<float*>(features.features.data()),
                               {rows, static_cast<std::int64_t>(features.width)}, at::kFloat))
          .to(classifier.device());
  const at::Tensor best = at::matmul(images, classifier.t()).argmax(1).to(at::kCPU);
  std::int64_t right = 0;
  for (std::size_t i = 0; i < features.samples.size(); ++i) {
    right += best.data_ptr<std::int64_t>()[i] == set.dataset.samples[features.samples[i]].label;
  }
  return static_cast<double>(right) / static_cast<double>(rows);
}

}  // namespace openworld
