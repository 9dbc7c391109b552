// openworld pretrain, behind libtorch.

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "openworld/base/error.h"
#include "openworld/base/threads.h"
#include "openworld/checkpoint/config_file.h"
#include "openworld/cli/models/long_run.h"
#include "openworld/cli/models/pretraining_run.h"
#include "openworld/cli/models/run_model.h"
#include "openworld/cli/pretrain_flags.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/run_record.h"
#include "openworld/io/mapped_file.h"
#include "openworld/pretrain/init_clip.h"
#include "openworld/pretrain/pretrainer.h"
#include "openworld/text/train_vocabulary.h"
#include "openworld/vlm/freed_memory.h"
#include "openworld/worlds/long_tail.h"
#include "openworld/worlds/templates.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr auto kFunction = "pretrain";

Tower tower_of(const std::string& name) {
  if (name.empty()) return Tower::kNeither;
  return name == "image" ? Tower::kImage : Tower::kText;
}

// A tower that comes from a checkpoint and learns on keeps its mean.
bool centres(const PretrainFlags& flags) {
  const bool has_old = !flags.init.empty() && (flags.reinit.empty() || flags.lock.empty());
  return !flags.no_centre && !has_old;
}

void check_towers(const PretrainFlags& flags) {
  if (flags.lock.empty()) return;
  if (!flags.init.empty() && flags.lock != flags.reinit) return;
  fail(kFunction, fmt::format("--lock {} would keep a tower of random weights; expected --init, "
                              "and no --reinit {}",
                              flags.lock, flags.lock));
}

// The checkpoint, or the random start, or a tower of each.
Clip start_of(const PretrainFlags& flags, const std::optional<ClipCheckpoint>& start,
              const ClipConfig& config) {
  if (!start) return init_clip(config, flags.seed);
  Clip old = load_clip(*start);
  if (flags.reinit.empty()) return old;
  const Clip random = init_clip(config, flags.seed);
  const bool image_is_new = tower_of(flags.reinit) == Tower::kImage;
  return make_clip(config, [&](const TensorSpec& spec) {
    const bool is_image = tower_of_tensor(spec.name) == Tower::kImage;
    return (is_image == image_is_new ? random : old).tensors.at(spec.name);
  });
}

PretrainOptions options_of(const PretrainFlags& flags) {
  PretrainOptions options;
  options.epochs = flags.epochs;
  options.batch = flags.batch;
  options.extra_captions = flags.extra_captions;
  options.naming = flags.naming;
  options.lr = flags.lr;
  options.warmup = flags.warmup;
  options.adamw = {flags.beta1, flags.beta2, flags.epsilon, flags.weight_decay, flags.clip};
  options.loss = {flags.shared, flags.smoothing};
  options.centre = centres(flags);
  options.locked = tower_of(flags.lock);
  options.average = flags.average;
  options.change = flags.augment == "none"   ? ImageChange::kNone
                   : flags.augment == "crop" ? ImageChange::kCrop
                                             : ImageChange::kRedraw;
  options.redraw = {flags.rotate, flags.zoom[0], flags.zoom[1], flags.shear,
                    flags.shift,  flags.flip,    flags.bend,    flags.cover};
  options.seed = flags.seed;
  options.shards = flags.shards;
  options.threads = flags.threads;
  return options;
}

// All that the result depends on, but for the number of threads.
Json run_json(const PretrainFlags& flags, const CaptionSource& pairs, const Clip& clip,
              const Vocabulary& vocabulary) {
  std::vector<std::string> tensors;
  for (const TensorSpec& spec : clip_tensors(clip.config)) {
    tensors.push_back(spec.name + tensor_shape_text(spec.shape));
  }
  std::string words;
  for (const std::string& token : vocabulary.tokens) words += token + '\n';
  const auto digest = [](const std::string& text) {
    return hex_text(sha256(std::as_bytes(std::span(text))));
  };
  return {{"data", pairs.description()},
          {"templates", flags.templates},
          {"long_tail", flags.long_tail},
          {"config", flags.config},
          {"init", flags.init},
          {"lock", flags.lock},
          {"fresh", flags.reinit},
          {"tensors_sha256", digest(fmt::format("{}", fmt::join(tensors, " ")))},
          {"vocabulary", vocabulary.size()},
          {"vocabulary_sha256", digest(words)},
          {"epochs", flags.epochs},
          {"batch", flags.batch},
          {"extra_captions", flags.extra_captions},
          {"naming", flags.naming},
          {"lr", flags.lr},
          {"warmup", flags.warmup},
          {"weight_decay", flags.weight_decay},
          {"beta1", flags.beta1},
          {"beta2", flags.beta2},
          {"eps", flags.epsilon},
          {"clip", flags.clip},
          {"shared", flags.shared},
          {"smoothing", flags.smoothing},
          {"centre", centres(flags)},
          {"average", flags.average},
          {"augment", flags.augment},
          {"redraw",
           {{"rotate", flags.rotate},
            {"zoom", flags.zoom},
            {"shear", flags.shear},
            {"shift", flags.shift},
            {"flip", flags.flip},
            {"bend", flags.bend},
            {"cover", flags.cover}}},
          {"shards", flags.shards},
          {"half", flags.half},
          {"seed", flags.seed}};
}

Vocabulary vocabulary_of(const PretrainFlags& flags, const CaptionSource& pairs,
                         const std::optional<ClipCheckpoint>& start) {
  if (!flags.vocabulary.empty()) return load_vocabulary(flags.vocabulary);
  if (start) return load_tokenizer(*start).vocabulary();
  return train_vocabulary(pairs.corpus(), {.merges = flags.merges});
}

void print_text(const Json& json) {
  fmt::print("wrote {}: {:.2f} M parameters, {} steps\n", json["out"].get<std::string>(),
             json["parameters"].get<double>() / 1e6, json["steps"].get<std::int64_t>());
  for (const auto& [name, value] : json["accuracy"].items()) {
    fmt::print("{}: {:.1f} % zero-shot\n", name, 100 * value.get<double>());
  }
}

void print(const Json& json, bool as_json) {
  if (as_json) return print_json(json);
  print_text(json);
}

// The result of a run that is finished, if that is what lies in the folder.
std::optional<Json> finished(const PretrainPaths& paths, const Json& run) {
  std::error_code ignored;
  if (!fs::is_regular_file(paths.result, ignored)) return std::nullopt;
  // Read in its order, since two objects are equal here only in the same order.
  const Json json =
      Json::parse(as_text(map_file({kFunction, paths.result}).values), nullptr, false);
  if (!json.is_object() || !json.contains("options")) {
    Origin{kFunction, paths.result}.fail("is no result of a training; give another --out");
  }
  expect_same_run(json["options"], run, paths.result, kFunction);
  return json;
}

}  // namespace

void run_pretrain(const PretrainFlags& flags) {
  const RunRecord record;
  check_towers(flags);
  keep_freed_memory();
  at::set_num_threads(flags.threads > 0 ? flags.threads : default_threads());
  CaptionOptions caption_options{dataset_options(flags.data), {}};
  if (!flags.templates.empty()) caption_options.templates = resolve_templates(flags.templates);
  auto pairs = open_captions(flags.data.data, caption_options);
  if (flags.long_tail > 1) pairs = long_tail(std::move(pairs), flags.long_tail, flags.seed);

  std::optional<ClipCheckpoint> start;
  if (!flags.init.empty()) {
    start = open_clip_checkpoint(flags.init, {.activation = {}, .function = kFunction});
  }
  const Tokenizer tokenizer(vocabulary_of(flags, *pairs, start));
  ClipConfig config = start ? start->config() : read_clip_config(flags.config, kFunction);
  const auto size = static_cast<std::int64_t>(tokenizer.vocabulary().size());
  if (start && config.vocabulary != size) {
    fail(kFunction,
         fmt::format("{} has {} tokens, the vocabulary {}", flags.init, config.vocabulary, size));
  }
  config.vocabulary = size;
  Clip clip = start_of(flags, start, config);

  const PretrainPaths paths(flags.out);
  const Json run = run_json(flags, *pairs, clip, tokenizer.vocabulary());
  std::error_code error;
  if (flags.restart) {
    for (const std::string& path : {paths.state, paths.log, paths.result}) fs::remove(path, error);
  }
  if (const auto json = finished(paths, run)) {
    say(flags.out + " is finished; --restart begins anew");
    return print(*json, flags.json);
  }
  fs::create_directories(flags.out, error);
  if (error) Origin{kFunction, flags.out}.fail(fmt::format("cannot be made: {}", error.message()));

  Pretrainer trainer(std::move(clip), *pairs, tokenizer, options_of(flags));
  if (fs::is_regular_file(paths.state, error)) {
    const Json was = Json::parse(saved_run(paths.state), nullptr, false);
    if (was.is_discarded())
      Origin{kFunction, paths.state}.fail("is damaged; --restart begins anew");
    expect_same_run(was, run, paths.state, kFunction);
    trainer.load(paths.state);
  }
  PretrainingRun training(flags, trainer, tokenizer, run);
  if (!flags.json) {
    say(fmt::format("{}; {:.2f} M parameters, {} tokens, {} steps", pairs->description(),
                    static_cast<double>(parameter_count(config)) / 1e6, size, trainer.steps()));
    if (trainer.step() > 0) {
      say(fmt::format("going on from step {} of {}", trainer.step(), trainer.steps()));
    }
  }
  if (!training.train()) {
    fail(kFunction, fmt::format("stopped at step {} of {}; the same command goes on from there",
                                trainer.step(), trainer.steps()));
  }
  print(training.finish(record), flags.json);
}

}  // namespace openworld
