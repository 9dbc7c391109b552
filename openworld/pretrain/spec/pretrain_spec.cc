#include "openworld/pretrain/spec/pretrain_spec.h"

#include <fmt/format.h>

#include "openworld/base/error.h"
#include "openworld/base/random.h"

namespace openworld {
namespace {

// Which towers have been trained, or come from a checkpoint.
struct Learned {
  bool image = false, text = false;

  bool& operator[](Tower tower) { return tower == Tower::kImage ? image : text; }
};

Learned at_start(const PretrainModelOptions& model) {
  const bool checkpoint = !model.init.empty();
  return {checkpoint && model.reinit != Tower::kImage, checkpoint && model.reinit != Tower::kText};
}

bool trains(const PretrainOptions& training, Tower tower) {
  if (training.locked == tower) return false;
  return tower == Tower::kImage || training.weights.reads_texts();
}

void learn(const PretrainOptions& training, Learned& learned) {
  for (const Tower tower : {Tower::kImage, Tower::kText}) {
    if (trains(training, tower)) learned[tower] = true;
  }
}

// "" for a run of one stage, else "stage words: ".
std::string where_text(const std::vector<StageSpec>& stages, const StageSpec& stage) {
  return stages.empty() ? "" : fmt::format("stage {}: ", stage.name);
}

void check_redraw(const SourceOptions& options) {
  const RedrawRange& range = options.augmentation.redraw;
  if (range.low <= range.high && range.low > 0) return;
  fail("pretrain", fmt::format("zoom is {} {}; expected two factors above 0, the smaller one first",
                               range.low, range.high));
}

void check_weights(const PretrainOptions& training, const std::string& where) {
  const LossWeights& weights = training.weights;
  const double sum = weights.pairs + weights.naming + weights.words + weights.agreement +
                     weights.guesses + weights.texts;
  if (!(sum > 0)) {
    fail("pretrain", where +
                         "no loss has a weight; expected one of pairs, naming, words, agreement, "
                         "guesses and texts above 0");
  }
  const bool image_is_locked = training.locked == Tower::kImage;
  if (image_is_locked && weights.words + weights.agreement + weights.guesses > 0) {
    fail("pretrain", where +
                         "lock is image, but words, agreement and guesses train the image tower; "
                         "expected all of them to be 0");
  }
  if (!image_is_locked && training.reuse > 1) {
    fail("pretrain",
         fmt::format("{}reuse is {} without lock image; expected 1, since features of a "
                     "tower in training change",
                     where, training.reuse));
  }
}

void check_locked(const PretrainOptions& training, Learned learned, const std::string& where) {
  if (training.locked == Tower::kNeither) return;
  const bool unused = training.locked == Tower::kText && !training.weights.reads_texts();
  if (unused || learned[training.locked]) return;
  const char* const locked = tower_name(training.locked);
  const std::string stage_before = where.empty() ? "" : ", or a stage before that trains it";
  fail("pretrain",
       fmt::format("{}lock is {}, which would keep a tower with a random init; expected "
                   "init, and another reinit than {}{}",
                   where, locked, locked, stage_before));
}

}  // namespace

void PretrainModelOptions::declare(OptionList& list) {
  list.add("config", config,
           "pocket, vit-b-32, vit-b-16, vit-l-14, or a config.json of Hugging Face");
  list.add("init", init, "checkpoint to start from, instead of a random init");
  declare_tower(list, "reinit", reinit,
                "image or text: tower of the initial checkpoint that gets a random init");
  list.add("batch_norm", batch_norm,
           "normalise the outputs of the stem's convolutions while they are trained; the model is "
           "written without");
  list.add("device", device, "cpu, cuda or cuda:N");
  list.add("half", half, "write the model in fp16");
}

void PretrainSpec::declare(OptionList& list) {
  source.declare(list);
  model.declare(list);
  words.declare(list);
  training.declare(list);
}

void PretrainSpec::declare_unrecorded(OptionList& list) {
  list.add("vocabulary", vocabulary,
           "merges.txt or bpe_simple_vocab_16e6.txt.gz [learned from the captions]");
  list.add("merges", merges, 0, std::int64_t{1} << 20, "most merges of a learned vocabulary");
  list.add("eval_split", eval_split, "split of the datasets to measure on [their default]");
  list.add("eval_every", eval_every, 0, std::int64_t{1} << 30,
           "epochs between measurements; 0: at the end only");
}

std::vector<SourceSpec> PretrainSpec::all_sources() const {
  if (!stages.empty()) return sources;
  return {{.name = "data", .data = data, .dataset = dataset, .options = source}};
}

std::vector<StageSpec> PretrainSpec::all_stages() const {
  std::vector<StageSpec> all = stages;
  if (all.empty()) all.push_back({.name = "", .sources = {{}}, .training = training});
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].training.seed = i == 0 ? training.seed : mix64(training.seed ^ mix64(i));
    all[i].training.threads = training.threads;
    all[i].training.centre = centres(i);
  }
  return all;
}

bool PretrainSpec::learns_words() const {
  if (stages.empty()) return training.weights.words > 0;
  for (const StageSpec& stage : stages) {
    if (stage.training.weights.words > 0) return true;
  }
  return false;
}

// Asked for, images and captions are compared, and no tower that is trained has learned before,
// which has a mean of its own.
bool PretrainSpec::centres(std::size_t stage) const {
  Learned learned = at_start(model);
  for (std::size_t i = 0; i < stage; ++i) learn(stages[i].training, learned);
  const PretrainOptions& now = stages.empty() ? training : stages[stage].training;
  if (!now.centre || !now.weights.reads_texts()) return false;
  for (const Tower tower : {Tower::kImage, Tower::kText}) {
    if (trains(now, tower) && learned[tower]) return false;
  }
  return true;
}

void PretrainSpec::check() const {
  for (const SourceSpec& row : all_sources()) check_redraw(row.options);
  if (model.init.empty() && model.reinit != Tower::kNeither) {
    fail("pretrain", fmt::format("reinit is {} without init; expected a checkpoint whose other "
                                 "tower is kept",
                                 tower_name(model.reinit)));
  }
  Learned learned = at_start(model);
  if (model.batch_norm && learned.image) {
    fail("pretrain",
         "batch_norm needs statistics that a checkpoint does not have; expected no init, or reinit "
         "image");
  }
  bool has_vectors = false;
  for (const StageSpec& stage : all_stages()) {
    const std::string where = where_text(stages, stage);
    check_weights(stage.training, where);
    check_locked(stage.training, learned, where);
    has_vectors |= stage.training.weights.words > 0;
    const LossWeights& weights = stage.training.weights;
    for (const auto& [name, weight] :
         {std::pair{"texts", weights.texts}, {"guesses", weights.guesses}}) {
      if (!(weight > 0) || has_vectors) continue;
      fail("pretrain", fmt::format("{}{} needs vectors of names; expected words above 0 here or in "
                                   "a stage before",
                                   where, name));
    }
    learn(stage.training, learned);
  }
}

}  // namespace openworld
