#pragma once

// PretrainResult: what a finished run of pre-training made and what it cost: pretrain.json in the
// model's folder, schema "openworld.pretrain/2". In /1, which is read too, the cost stands under
// the key "run".

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "openworld/io/origin.h"
#include "openworld/io/run_cost.h"
#include "openworld/pretrain/spec/pretrain_record.h"

namespace openworld {

// Zero-shot accuracy on a dataset.
struct NamedAccuracy {
  std::string data;
  double value = 0;

  bool operator==(const NamedAccuracy&) const = default;
};

// The mean of one of several losses, before its weight.
struct NamedLoss {
  std::string name;  // "words", as its weight is called
  double value = 0;

  bool operator==(const NamedLoss&) const = default;
};

// A line of log.jsonl: means over the steps of an epoch, or over those since a resume.
struct PretrainEpoch {
  std::int64_t step = 0;   // that were done at its end, of all stages
  std::string stage = "";  // "" in a run of one
  std::int64_t epoch = 0;  // of the stage
  double loss = 0;
  std::vector<NamedLoss> losses = {};  // if it is a sum of several
  double batch_accuracy = 0;
  double gradient_norm = 0;
  double lr = 0;           // of the last step
  double logit_scale = 0;  // after the last step
  std::size_t images = 0;
  std::size_t unreadable = 0;
  double images_per_second = 0;
  double gemm_share = 0;  // of the rate of a large matrix product on the same threads
  std::vector<NamedAccuracy> accuracy = {};
};

nlohmann::ordered_json pretrain_epoch_json(const PretrainEpoch& epoch);

// Fields that are not there keep their defaults. Throws Error.
PretrainEpoch read_pretrain_epoch(const JsonFields& fields);

struct PretrainResult {
  std::string out;  // the folder it was written to
  std::int64_t parameters = 0;
  std::int64_t steps = 0;
  std::optional<double> loss = {}, batch_accuracy = {};  // of the last epoch, if the log has it
  std::vector<NamedAccuracy> accuracy = {};
  PretrainRecord record = {};
  RunCost cost = {};
};

inline constexpr const char* kPretrainSchema = "openworld.pretrain/2";

nlohmann::ordered_json pretrain_result_json(const PretrainResult& result);

// Throws Error.
PretrainResult read_pretrain_result(const Origin& origin);

}  // namespace openworld
