#pragma once

// PretrainRecord: what a pre-training run writes about itself into its state and its result: the
// options, and of what they name what was found there. A run is resumed only by an equal one.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "openworld/io/origin.h"
#include "openworld/pretrain/spec/pretrain_spec.h"

namespace openworld {

class JsonFields;

struct SourceRecord {
  std::string name;
  std::string data;  // description of the pairs, with their number
  SourceOptions options = {};
};

struct StageRecord {
  struct Share {
    std::string source;
    double weight = 1;
  };

  std::string name;
  std::vector<Share> sources;
  PretrainOptions training = {};
};

struct PretrainRecord {
  std::vector<SourceRecord> sources = {{.name = "data", .data = ""}};
  std::string tensors_sha256;   // of the names and shapes of the model's tensors
  std::int64_t vocabulary = 0;  // tokens
  std::string vocabulary_sha256;
  std::int64_t word_vectors = 0;  // names and words that have one
  std::string word_vectors_sha256;
  PretrainModelOptions model = {};
  WordOptions words = {};
  std::vector<StageRecord> stages = {{.name = "", .sources = {{"data", 1}}}};
  bool has_stages = false;  // false: one source and one stage, whose entries stand on top

  // Of the first stage; those of the others are made from it.
  std::uint64_t seed() const { return stages.at(0).training.seed; }

  // "photos: 7 images", or one for each source.
  std::string data() const;
};

nlohmann::ordered_json pretrain_record_json(const PretrainRecord& record);

// Options that older runs do not have keep their defaults; their key "fresh" is read as "reinit".
// Throws Error.
PretrainRecord read_pretrain_record(const JsonFields& fields);

// Without the stages after the first `count`: what decides the result of these.
PretrainRecord first_stages(PretrainRecord record, std::size_t count);

// Throws Error, saying what `origin` holds, for the first entry in which `was` differs from `now`.
void expect_same_record(const PretrainRecord& was, const PretrainRecord& now, const Origin& origin);

}  // namespace openworld
