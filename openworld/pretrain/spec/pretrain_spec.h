#pragma once

// PretrainSpec: everything that the result of a pre-training run depends on.
//
// A run is a sequence of stages, each of which shows images of some sources and minimises losses of
// its own, starting from what the one before has learned. Without a file of stages
// (stages_file.h) there is one source, `data`, and one stage, `training`.
//
// PretrainRecord is what a run writes into its state and its result, so that resuming one with
// another spec is refused: the options, and of what they name (captions, model, vocabulary) what
// was found there. pretrain_record.cc holds its one reader and its one writer.

#include <cstdint>
#include <string>
#include <vector>

#include "openworld/base/option_list.h"
#include "openworld/pretrain/spec/pretrain_options.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

// Options that name or change what is read and written around the training itself.
struct PretrainModelOptions {
  std::string config = "pocket";   // an architecture's name, or a config.json
  std::string init;                // a checkpoint to start from; "": random init
  Tower reinit = Tower::kNeither;  // of init: a tower that starts from a random init all the same
  bool batch_norm = false;         // batch normalisation in the stem while it is trained (stem.h)
  std::string device = "cpu";      // "cpu", "cuda" or "cuda:N"
  bool half = false;               // write the model in fp16

  void declare(OptionList& list);
};

// Images with captions (captions.h), and how they are shown.
struct SourceSpec {
  std::string name;
  std::string data;
  DatasetOptions dataset = {};
  SourceOptions options = {};
};

struct StageSpec {
  struct Share {
    std::size_t source = 0;  // index into the sources of the run
    double weight = 1;       // relative to the others: share of the pairs of a batch
  };

  std::string name;
  std::vector<Share> sources;
  PretrainOptions training = {};
};

struct PretrainSpec {
  std::string data;  // the only source, and defaults of all of them
  DatasetOptions dataset = {};
  SourceOptions source = {};
  PretrainModelOptions model = {};
  WordOptions words = {};
  PretrainOptions training = {};         // of the only stage, and defaults of all of them
  std::vector<SourceSpec> sources = {};  // with stages: in place of `data`
  std::vector<StageSpec> stages = {};    // none: one stage
  std::string vocabulary;                // a file; "": that of init, else learned from the captions
  std::int64_t merges = 4000;            // of a learned vocabulary, at most
  std::vector<std::string> eval;         // labelled datasets whose zero-shot accuracy is measured
  std::string eval_split;                // of those; "": their default
  std::int64_t eval_every = 0;           // epochs between measurements; 0: at the end only

  // The options that a record holds.
  void declare(OptionList& list);

  // Those it does not hold as they are: a vocabulary is recorded by its tokens, and evaluation does
  // not change the model.
  void declare_unrecorded(OptionList& list);

  // The sources and stages, of which there is at least one. Every stage has a seed of its own, made
  // from that of `training` (the first has that one); `centre` is set only where centres() holds.
  std::vector<SourceSpec> all_sources() const;
  std::vector<StageSpec> all_stages() const;

  // Whether any stage learns a vector for each name and word.
  bool learns_words() const;

  // Throws Error for options that contradict each other.
  void check() const;

 private:
  bool centres(std::size_t stage) const;
};

}  // namespace openworld
