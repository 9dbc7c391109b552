#include "openworld/pretrain/pretrain_inputs.h"

#include <fmt/format.h>

#include <optional>

#include "openworld/base/error.h"
#include "openworld/checkpoint/config_file.h"
#include "openworld/io/sha256.h"
#include "openworld/pretrain/init_clip.h"
#include "openworld/text/train_vocabulary.h"
#include "openworld/vlm/device.h"
#include "openworld/vlm/load_clip.h"
#include "openworld/worlds/long_tail.h"
#include "openworld/worlds/templates.h"

namespace openworld {
namespace {

std::unique_ptr<CaptionSource> open_source(const SourceSpec& spec, std::uint64_t seed) {
  CaptionOptions options{.dataset = spec.dataset, .names = !spec.options.unnamed};
  if (!spec.options.templates.empty()) {
    options.templates = resolve_templates(spec.options.templates);
  }
  auto pairs = open_captions(spec.data, options);
  if (spec.options.long_tail <= 1) return pairs;
  return long_tail(std::move(pairs), spec.options.long_tail, seed);
}

Vocabulary open_vocabulary(const PretrainSpec& spec, const PretrainInputs& inputs,
                           const std::optional<ClipCheckpoint>& start) {
  if (!spec.vocabulary.empty()) return load_vocabulary(spec.vocabulary);
  if (start) return load_tokenizer(*start).vocabulary();
  std::vector<std::string> corpus;
  for (const auto& source : inputs.sources) {
    for (std::string& text : source->corpus()) corpus.push_back(std::move(text));
  }
  if (corpus.empty()) {
    fail("pretrain",
         "no image has captions, from which a vocabulary is learned; expected some, or "
         "vocabulary");
  }
  return train_vocabulary(corpus, {.merges = static_cast<std::size_t>(spec.merges)});
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

// Of the sources of all stages that learn words.
std::unique_ptr<WordTable> make_words(const PretrainSpec& spec, const PretrainInputs& inputs) {
  if (!spec.learns_words()) return nullptr;
  std::vector<bool> used(inputs.sources.size());
  for (const StageSpec& stage : spec.all_stages()) {
    if (!(stage.training.weights.words > 0)) continue;
    if (stage.sources.empty()) used.assign(used.size(), true);
    for (const StageSpec::Share& share : stage.sources) used[share.source] = true;
  }
  std::vector<const CaptionSource*> sources;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) sources.push_back(inputs.sources[i].get());
  }
  return std::make_unique<WordTable>(sources, spec.words);
}

std::string sha256_text(const std::string& text) {
  return hex_text(sha256(std::as_bytes(std::span(text))));
}

std::string sha256_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return sha256_text(text);
}

}  // namespace

StageInputs PretrainInputs::of_stage(const PretrainSpec& spec, const StageSpec& stage) const {
  const std::vector<SourceSpec> all = spec.all_sources();
  std::vector<StageSpec::Share> shares = stage.sources;
  if (shares.empty()) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      shares.push_back({i, static_cast<double>(sources[i]->size())});
    }
  }
  StageInputs inputs{.sources = {}, .tokenizer = tokenizer.get(), .words = words.get()};
  for (const auto& [source, weight] : shares) {
    inputs.sources.push_back({sources[source].get(), all[source].options, weight});
  }
  return inputs;
}

PretrainInputs open_pretrain_inputs(const PretrainSpec& spec) {
  const at::Device device = parse_device(spec.model.device);
  PretrainInputs inputs;
  for (const SourceSpec& source : spec.all_sources()) {
    inputs.sources.push_back(open_source(source, spec.training.seed));
  }
  std::optional<ClipCheckpoint> start;
  if (!spec.model.init.empty()) {
    start = open_clip_checkpoint(spec.model.init, {.activation = {}, .function = "pretrain"});
  }
  inputs.tokenizer = std::make_unique<Tokenizer>(open_vocabulary(spec, inputs, start));
  ClipConfig config = start ? start->config() : read_clip_config(spec.model.config, "pretrain");
  const auto size = static_cast<std::int64_t>(inputs.tokenizer->vocabulary().size());
  if (start && config.vocabulary != size) {
    fail("pretrain", fmt::format("{} has {} tokens, the vocabulary {}", spec.model.init,
                                 config.vocabulary, size));
  }
  if (spec.model.batch_norm && config.stem.empty()) {
    fail("pretrain", fmt::format("batch_norm needs a stem; expected a config with openworld_stem, "
                                 "not {}",
                                 spec.model.config));
  }
  config.vocabulary = size;
  inputs.words = make_words(spec, inputs);
  inputs.model =
      make_trained_model(clip_on(initial_clip(spec, start, config), device), spec.model.batch_norm);
  if (inputs.words) {
    add_word_vectors(inputs.model, static_cast<std::int64_t>(inputs.words->size()),
                     mix64(spec.training.seed));
  }
  return inputs;
}

PretrainRecord pretrain_record(const PretrainSpec& spec, const PretrainInputs& inputs) {
  std::vector<std::string> tensors;
  for (const TensorSpec& tensor : clip_tensors(inputs.model.clip.config)) {
    tensors.push_back(tensor.name + tensor_shape_text(tensor.shape));
  }
  const Vocabulary& vocabulary = inputs.tokenizer->vocabulary();
  PretrainRecord record;
  record.sources.clear();
  record.stages.clear();
  const std::vector<SourceSpec> sources = spec.all_sources();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    record.sources.push_back(
        {sources[i].name, inputs.sources[i]->description(), sources[i].options});
  }
  record.tensors_sha256 = sha256_text(fmt::format("{}", fmt::join(tensors, " ")));
  record.vocabulary = static_cast<std::int64_t>(vocabulary.size());
  record.vocabulary_sha256 = sha256_lines(vocabulary.tokens);
  if (inputs.words) {
    record.word_vectors = static_cast<std::int64_t>(inputs.words->size());
    record.word_vectors_sha256 = sha256_lines(inputs.words->words());
  }
  record.model = spec.model;
  record.words = spec.words;
  for (const StageSpec& stage : spec.all_stages()) {
    StageRecord& row = record.stages.emplace_back();
    row.name = stage.name;
    row.training = stage.training;
    const StageInputs of_stage = inputs.of_stage(spec, stage);
    for (std::size_t i = 0; i < of_stage.sources.size(); ++i) {
      const std::size_t source = stage.sources.empty() ? i : stage.sources[i].source;
      row.sources.push_back({sources[source].name, of_stage.sources[i].share});
    }
  }
  record.has_stages = !spec.stages.empty();
  return record;
}

}  // namespace openworld
