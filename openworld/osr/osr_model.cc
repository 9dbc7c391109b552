#include "openworld/osr/osr_model.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "openworld/base/error.h"
#include "openworld/osr/batch_stream.h"
#include "openworld/osr/table.h"
#include "openworld/vlm/inner_threads.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr std::size_t kScoringBatch = 256;  // images in memory at a time: 3 MB

// What the file of a model holds.
struct Tensors {
  NamedTensors parameters, buffers;

  explicit Tensors(const OsrModel& model)
      : parameters(model.parameters()), buffers(model.network().buffers()) {}
  TensorGroups groups() const { return {{"", &parameters}, {"", &buffers}}; }
};

}  // namespace

OsrModel::OsrModel(const OsrModelSpec& spec)
    : method_(&find_osr_method(spec.method)),
      row_(&find_network(spec.net)),
      options_(method_->options()),
      classes_(spec.classes) {
  OptionList list;
  options_->declare(list);
  list.set_values(spec.options, "osr");
  if (options_->generates() && !row_->takes_images) {
    fail("osr", fmt::format("{} generates images, and {} takes features; expected vgg32 or "
                            "small, or another method",
                            method_->name, row_->name));
  }
  if (spec.input > most_inputs(*row_)) {
    fail("osr", fmt::format("{} for {} {}; expected at most {}", row_->name, spec.input,
                            row_->takes_images ? "channels" : "features", most_inputs(*row_)));
  }
  const int sets = spec.norm_sets > 0 ? spec.norm_sets : options_->generates() ? 2 : 1;
  network_ = row_->make({.input = spec.input, .norm_sets = sets, .seed = spec.seed});
  head_ = options_->make({classes_, network_->width()}, spec.seed);
}

NamedTensors OsrModel::parameters() const {
  NamedTensors all = network_->parameters();
  all.insert(head_->parameters().begin(), head_->parameters().end());
  return all;
}

std::int64_t OsrModel::parameter_count() const {
  std::int64_t count = 0;
  for (const auto& [name, tensor] : parameters()) count += tensor.numel();
  return count;
}

OsrPredictions OsrModel::predict(const OsrSamples& samples, int thread_count) const {
  const at::NoGradGuard no_grad;
  const OpenMpThreads open_mp(1);
  const BlasThreads blas(1);
  BatchThreads threads(thread_count);
  std::vector<std::vector<std::uint32_t>> batches;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i % kScoringBatch == 0) batches.emplace_back();
    batches.back().push_back(static_cast<std::uint32_t>(i));
  }
  BatchStream stream(samples, std::move(batches), {}, 1);
  OsrPredictions predictions;
  while (stream.left() > 0) {
    const Tensor features = network_->evaluate(stream.next().input, threads, nullptr);
    const Tensor logits = head_->logits(features).contiguous();
    const Tensor score =
        std::get<0>(osr_scores(logits.to(at::kDouble), options_->score).max(1)).to(at::kFloat);
    const auto append = [](std::vector<float>& to, const Tensor& values) {
      to.insert(to.end(), values.data_ptr<float>(), values.data_ptr<float>() + values.numel());
    };
    append(predictions.logits, logits);
    append(predictions.score, score);
  }
  return predictions;
}

void OsrModel::save(const std::string& path) const {
  const Tensors tensors(*this);
  write_tensor_state({.groups = tensors.groups()}, {"osr", path});
}

void OsrModel::load(const std::string& path) {
  const Origin origin{"osr", path};
  const Tensors tensors(*this);
  read_tensors(open_tensor_state(origin), origin, tensors.groups());
}

}  // namespace openworld
