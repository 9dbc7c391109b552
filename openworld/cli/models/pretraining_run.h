#pragma once

// One run of `openworld pretrain` in its folder: trained to its end or to where it was stopped.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "openworld/cli/models/eval_set.h"
#include "openworld/io/training_log.h"
#include "openworld/cli/pretrain_flags.h"
#include "openworld/cli/run_record.h"
#include "openworld/pretrain/pretrainer.h"
#include "openworld/text/tokenizer.h"

namespace openworld {

struct PretrainPaths {
  std::string state, log, result;

  explicit PretrainPaths(const std::string& out)
      : state(out + "/state.safetensors"),
        log(out + "/log.jsonl"),
        result(out + "/pretrain.json") {}
};

// REQUIRES: what it is given outlives it.
class PretrainingRun {
 public:
  // `run` is all that the result depends on. Throws Error if a set to measure on cannot be opened.
  PretrainingRun(const PretrainFlags& flags, Pretrainer& trainer, const Tokenizer& tokenizer,
                 nlohmann::ordered_json run);

  // Trains to the end; false if it was asked to stop before.
  bool train();

  // Writes the model, and the result that says how it was made.
  nlohmann::ordered_json finish(const RunRecord& record);

 private:
  struct Stretch;

  void save() const;
  void name_failures(const StepReport& report);
  void end_epoch(std::int64_t epoch, const Stretch& stretch, const StepReport& report, double left,
                 TrainingLog& log);

  const PretrainFlags& flags_;
  PretrainPaths paths_;
  Pretrainer& trainer_;
  const Tokenizer& tokenizer_;
  nlohmann::ordered_json run_;
  nlohmann::ordered_json last_;  // line of the log
  std::vector<EvalSet> eval_;
  std::size_t failures_ = 0;
};

}  // namespace openworld
