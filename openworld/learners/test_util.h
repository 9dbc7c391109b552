#pragma once

// What the tests of this layer share: the oracle's model and cases, and small settings.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "openworld/io/safetensors.h"
#include "openworld/learners/learner.h"
#include "openworld/worlds/dataset.h"

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

// The oracle's text tower with a vision tower of three blocks and random weights, for images of 24
// x 24 pixels.
const Clip& three_block_clip();

// Six class names and a sentence, with the oracle's model.
TuningTask small_setting(std::uint64_t seed = 1, int threads = 1);

// A method of the table with options that make it small and quick.
struct TrainedCase {
  std::string method;
  std::vector<std::string> options;
};

// Every learner of the table that is trained; some with several sets of options.
const std::vector<TrainedCase>& trained_cases();

// Options of the method that keep its prompts within the oracle's model and its training short.
std::vector<std::string> small_options(const LearnerRow& row);

// PNG files with a class's colour and noise, in a folder that is there until the process ends, with
// labels 0, 1, ..., 0, 1, ...
Dataset small_images(std::size_t images, std::size_t classes);

// Random normalised features of `images` images with labels 0, 1, ..., 0, 1, ...
Episode small_episode(const TuningTask& task, std::int64_t images, std::uint64_t seed = 7);

// Random patches of so many images as a learner with that input takes them: normalised features,
// or states as wide as the vision tower.
at::Tensor small_patches(const TuningTask& task, std::int64_t images, ImageInput input);

// A learner of that name with "key=value" options.
std::unique_ptr<Learner> make_learner(const std::string& name,
                                      const std::vector<std::string>& options,
                                      const TuningTask& task);

at::Tensor tensor_of(const StoredTensor& stored);

}  // namespace openworld
