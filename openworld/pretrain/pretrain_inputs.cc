#include "openworld/pretrain/pretrain_inputs.h"

#include <fmt/format.h>

#include <optional>

#include "openworld/base/error.h"
#include "openworld/checkpoint/config_file.h"
#include "openworld/io/sha256.h"
#include "openworld/pretrain/init_clip.h"
#include "openworld/pretrain/pretrainer.h"
#include "openworld/text/train_vocabulary.h"
#include "openworld/vlm/device.h"
#include "openworld/vlm/load_clip.h"
#include "openworld/worlds/long_tail.h"
#include "openworld/worlds/templates.h"

namespace openworld {
namespace {

constexpr auto kFunction = "pretrain";

std::unique_ptr<CaptionSource> open_pairs(const PretrainSpec& spec) {
  CaptionOptions options{spec.dataset, {}};
  if (!spec.model.templates.empty()) options.templates = resolve_templates(spec.model.templates);
  auto pairs = open_captions(spec.data, options);
  if (spec.model.long_tail <= 1) return pairs;
  return long_tail(std::move(pairs), spec.model.long_tail, spec.training.seed);
}

Vocabulary open_vocabulary(const PretrainSpec& spec, const CaptionSource& pairs,
                           const std::optional<ClipCheckpoint>& start) {
  if (!spec.vocabulary.empty()) return load_vocabulary(spec.vocabulary);
  if (start) return load_tokenizer(*start).vocabulary();
  return train_vocabulary(pairs.corpus(), {.merges = static_cast<std::size_t>(spec.merges)});
}

// The checkpoint, a random init, or a tower of each.
Clip initial_clip(const PretrainSpec& spec, const std::optional<ClipCheckpoint>& start,
                  const ClipConfig& config) {
  if (!start) return init_clip(config, spec.training.seed);
  Clip old = load_clip(*start);
  if (spec.model.reinit == Tower::kNeither) return old;
  const Clip random = init_clip(config, spec.training.seed);
  const bool image_is_new = spec.model.reinit == Tower::kImage;
  return make_clip(config, [&](const TensorSpec& tensor) {
    const bool is_image = tower_of_tensor(tensor.name) == Tower::kImage;
    return (is_image == image_is_new ? random : old).tensors.at(tensor.name);
  });
}

std::string sha256_text(const std::string& text) {
  return hex_text(sha256(std::as_bytes(std::span(text))));
}

}  // namespace

PretrainInputs open_pretrain_inputs(const PretrainSpec& spec) {
  const at::Device device = parse_device(spec.model.device);
  auto pairs = open_pairs(spec);
  std::optional<ClipCheckpoint> start;
  if (!spec.model.init.empty()) {
    start = open_clip_checkpoint(spec.model.init, {.activation = {}, .function = kFunction});
  }
  auto tokenizer = std::make_unique<Tokenizer>(open_vocabulary(spec, *pairs, start));
  ClipConfig config = start ? start->config() : read_clip_config(spec.model.config, kFunction);
  const auto size = static_cast<std::int64_t>(tokenizer->vocabulary().size());
  if (start && config.vocabulary != size) {
    fail(kFunction, fmt::format("{} has {} tokens, the vocabulary {}", spec.model.init,
                                config.vocabulary, size));
  }
  config.vocabulary = size;
  Clip clip = clip_on(initial_clip(spec, start, config), device);
  return {std::move(pairs), std::move(tokenizer), std::move(clip)};
}

PretrainRecord pretrain_record(const PretrainSpec& spec, const PretrainInputs& inputs) {
  std::vector<std::string> tensors;
  for (const TensorSpec& tensor : clip_tensors(inputs.clip.config)) {
    tensors.push_back(tensor.name + tensor_shape_text(tensor.shape));
  }
  const Vocabulary& vocabulary = inputs.tokenizer->vocabulary();
  std::string tokens;
  for (const std::string& token : vocabulary.tokens) tokens += token + '\n';
  PretrainRecord record{.data = inputs.pairs->description(),
                        .tensors_sha256 = sha256_text(fmt::format("{}", fmt::join(tensors, " "))),
                        .vocabulary = static_cast<std::int64_t>(vocabulary.size()),
                        .vocabulary_sha256 = sha256_text(tokens),
                        .model = spec.model,
                        .training = spec.training};
  record.training.centre = spec.centres();
  return record;
}

}  // namespace openworld
