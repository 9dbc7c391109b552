#pragma once

// What the tests of this layer share: the oracle's model and cases, and small settings.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "openworld/io/safetensors.h"
#include "openworld/learners/learner.h"

namespace openworld {

// A model with its tokenizer.
struct TestModel {
  Clip clip;
  Tokenizer tokenizer;

  TextModel text_model(int threads = 1) const { return {&clip, &tokenizer, {}, threads}; }
};

// The model that oracle.py wrote.
const TestModel& oracle_model();
const nlohmann::json& oracle_cases();

// Six class names and a sentence, with the oracle's model.
TuningTask small_setting(std::uint64_t seed = 1, int threads = 1);

// Random normalised features of `images` images with labels 0, 1, ..., 0, 1, ...
Episode small_episode(const TuningTask& task, std::int64_t images, std::uint64_t seed = 7);

// A learner of that name with "key=value" options.
std::unique_ptr<Learner> make_learner(const std::string& name,
                                      const std::vector<std::string>& options,
                                      const TuningTask& task);

at::Tensor tensor_of(const StoredTensor& stored);

}  // namespace openworld
