#pragma once

// PretrainSpec: everything that the result of a pre-training run depends on.
//
// PretrainRecord is what a run writes into its state and its result, so that resuming one with
// another spec is refused: the options, and of what they name (captions, model, vocabulary) what
// was found there. pretrain_spec.cc holds its one reader and its one writer.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "openworld/base/option_list.h"
#include "openworld/io/origin.h"
#include "openworld/pretrain/spec/pretrain_options.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

class JsonFields;

// Options that name or change what is read and written around the training itself.
struct PretrainModelOptions {
  std::string templates;  // captions for labelled data: a template, a file or a set; "": its own
  double long_tail = 1;   // the rarest class keeps 1 of this many images (long_tail.h)
  std::string config = "pocket";   // an architecture's name, or a config.json
  std::string init;                // a checkpoint to start from; "": random init
  Tower reinit = Tower::kNeither;  // of init: a tower that starts from a random init all the same
  std::string device = "cpu";      // "cpu", "cuda" or "cuda:N"
  bool half = false;               // write the model in fp16

  void declare(OptionList& list);
};

struct PretrainSpec {
  std::string data;  // images with captions (captions.h)
  DatasetOptions dataset = {};
  PretrainModelOptions model = {};
  PretrainOptions training = {};
  std::string vocabulary;         // a file; "": that of init, else learned from the captions
  std::int64_t merges = 4000;     // of a learned vocabulary, at most
  std::vector<std::string> eval;  // labelled datasets whose zero-shot accuracy is measured
  std::string eval_split;         // of those; "": their default
  std::int64_t eval_every = 0;    // epochs between measurements; 0: at the end only

  // The options that a record holds.
  void declare(OptionList& list);

  // Those it does not hold as they are: a vocabulary is recorded by its tokens, and evaluation does
  // not change the model.
  void declare_unrecorded(OptionList& list);

  // Throws Error for options that contradict each other.
  void check() const;

  // Whether the features are centred before the first step: asked for, and no tower that is trained
  // comes from a checkpoint, which has a mean of its own.
  bool centres() const;
};

struct PretrainRecord {
  std::string data;             // description of the pairs, with their number
  std::string tensors_sha256;   // of the names and shapes of the model's tensors
  std::int64_t vocabulary = 0;  // tokens
  std::string vocabulary_sha256;
  PretrainModelOptions model = {};
  PretrainOptions training = {};
};

nlohmann::ordered_json pretrain_record_json(const PretrainRecord& record);

// Options that older runs do not have keep their defaults; their key "fresh" is read as "reinit".
// Throws Error.
PretrainRecord read_pretrain_record(const JsonFields& fields);

// Throws Error, saying what `origin` holds, for the first entry in which `was` differs from `now`.
void expect_same_record(const PretrainRecord& was, const PretrainRecord& now, const Origin& origin);

}  // namespace openworld
