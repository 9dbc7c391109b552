#include "openworld/pretrain/eval_set.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/matmul.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "openworld/base/error.h"
#include "openworld/vlm/image_features.h"
#include "openworld/vlm/index_tensor.h"
#include "openworld/vlm/zeroshot.h"
#include "openworld/worlds/templates.h"

namespace openworld {
namespace {

struct Encoded {
  at::Tensor images;                 // [n, embed], of length 1
  std::vector<std::int64_t> labels;  // of each
};

Encoded encode(const Clip& clip, const EvalSet& set, int threads) {
  const ImageFeatures features = image_features(
      clip, set.dataset,
      {.batch = 128, .threads = threads, .store = nullptr, .on_hash = {}, .on_encode = {}});
  const auto rows = static_cast<std::int64_t>(features.samples.size());
  if (rows == 0) fail("pretrain", fmt::format("{}: no image could be read", set.name));
  Encoded encoded;
  encoded.images =
      normalized(at::from_blob(const_cast<float*>(features.features.data()),
                               {rows, static_cast<std::int64_t>(features.width)}, at::kFloat))
          .to(clip.device());
  for (const std::size_t sample : features.samples) {
    encoded.labels.push_back(set.dataset.samples[sample].label);
  }
  return encoded;
}

// Share of the images whose nearest row of the classifier is that of their label, of those whose
// label has a row.
double share_right(const Encoded& encoded, const at::Tensor& classifier,
                   const std::vector<std::int64_t>& labels) {
  const at::Tensor best = at::matmul(encoded.images, classifier.t()).argmax(1).to(at::kCPU);
  std::int64_t right = 0, asked = 0;
  for (std::size_t i = 0; i < encoded.labels.size(); ++i) {
    if (std::find(labels.begin(), labels.end(), encoded.labels[i]) == labels.end()) continue;
    const auto row = static_cast<std::size_t>(best.data_ptr<std::int64_t>()[i]);
    ++asked;
    right += labels[row] == encoded.labels[i] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(std::max<std::int64_t>(asked, 1));
}

}  // namespace

EvalSet open_eval_set(const std::string& name, const std::string& split) {
  Dataset dataset = open_dataset(name, {.split = split});
  if (!dataset.named || dataset.classes.empty()) {
    fail("pretrain", fmt::format("{}: the classes have no names; expected a dataset with classes "
                                 "that are named",
                                 name));
  }
  std::vector<std::string> templates =
      resolve_templates(dataset.templates.empty() ? "photo" : dataset.templates);
  return {name, std::move(dataset), std::move(templates)};
}

double zeroshot_accuracy(const Clip& clip, const Tokenizer& tokenizer, const EvalSet& set,
                         int threads) {
  const at::NoGradGuard no_grad;
  std::vector<std::string> names;
  for (const std::string& name : set.dataset.classes) names.push_back(spaced(name));
  std::vector<std::int64_t> labels(names.size());
  std::iota(labels.begin(), labels.end(), 0);
  const at::Tensor classifier = zeroshot_classifier(clip, tokenizer, names, set.templates);
  return share_right(encode(clip, set, threads), classifier, labels);
}

NamedAccuracy vector_accuracy(const Clip& clip, const WordTable& words, const at::Tensor& vectors,
                              const EvalSet& set, int threads) {
  const at::NoGradGuard no_grad;
  std::vector<std::int64_t> labels, rows;
  for (std::size_t i = 0; i < set.dataset.classes.size(); ++i) {
    const auto word = words.find(set.dataset.classes[i]);
    if (!word) continue;
    labels.push_back(static_cast<std::int64_t>(i));
    rows.push_back(*word);
  }
  if (rows.empty()) {
    fail("pretrain", fmt::format("{}: no class has a name with a vector, which measuring before "
                                 "there is a text tower needs",
                                 set.name));
  }
  const at::Tensor classifier =
      normalized(vectors.index_select(0, index_tensor(rows, vectors.device())));
  return {fmt::format("{}, {} of {} names by vectors", set.name, rows.size(),
                      set.dataset.classes.size()),
          share_right(encode(clip, set, threads), classifier, labels)};
}

}  // namespace openworld
