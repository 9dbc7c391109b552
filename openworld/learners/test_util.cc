#include "openworld/learners/test_util.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <map>

#include "openworld/base/random.h"
#include "openworld/io/json_file.h"
#include "openworld/io/png_writer.h"
#include "openworld/io/test_util.h"
#include "openworld/learners/table.h"
#include "openworld/vlm/index_tensor.h"
#include "openworld/vlm/load_clip.h"
#include "openworld/worlds/templates.h"

namespace openworld {
namespace {

const std::string kOracle = OPENWORLD_ORACLE_DIR;

at::Tensor normal_tensor(at::IntArrayRef shape, Random& random) {
  at::Tensor tensor = at::empty(shape);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    tensor.data_ptr<float>()[i] = static_cast<float>(random.normal());
  }
  return tensor;
}

}  // namespace

const TestModel& oracle_model() {
  static const TestModel model = [] {
    const ClipCheckpoint checkpoint = open_clip_checkpoint(kOracle + "/clip");
    return TestModel{load_clip(checkpoint), load_tokenizer(checkpoint)};
  }();
  return model;
}

const nlohmann::json& oracle_cases() {
  static const nlohmann::json cases = read_json_file({"oracle", kOracle + "/cases.json"});
  return cases;
}

const Clip& three_block_clip() {
  static const Clip clip = [] {
    const Clip& oracle = oracle_model().clip;
    ClipConfig config = oracle.config;
    config.vision = {.width = 32, .layers = 3, .heads = 4, .mlp = 64};
    std::uint64_t stream = 0;
    return make_clip(config, [&](const TensorSpec& spec) {
      ++stream;
      if (!spec.name.starts_with("visual.")) return oracle.tensors.at(spec.name);
      Random random(23, stream);
      const bool is_norm = spec.name.find("ln_") != std::string::npos;
      at::Tensor tensor = at::empty(spec.shape);
      for (std::int64_t i = 0; i < tensor.numel(); ++i) {
        tensor.data_ptr<float>()[i] = static_cast<float>(0.15 * random.normal());
      }
      return is_norm && spec.name.ends_with("weight") ? tensor + 1 : tensor;
    });
  }();
  return clip;
}

TuningTask small_setting(std::uint64_t seed, int threads) {
  return {.text_model = oracle_model().text_model(threads),
          .base_names = {"cat", "snow leopard", "ragdoll", "fire truck", "violin", "zebra"},
          .sentences = {.templates = {"a photo of a {}."},
                        .ensemble = find_template_set("select7").templates},
          .seed = seed};
}

std::vector<std::string> small_options(const LearnerRow& row) {
  // Where a method has such an option.
  static const std::pair<std::string, std::string> generic[] = {
      {"epochs", "3"},  {"batch", "4"},           {"lr", "0.1"},
      {"tokens", "3"},  {"detector_tokens", "3"}, {"classifier_tokens", "2"},
      {"prompts", "4"},
  };
  static const std::map<std::string_view, std::vector<std::string>> own = {
      {"kgcoop", {"lr=0.005"}},
      {"prograd", {"tokens=12"}},  // its words have seven
      {"decoop", {"epochs=2", "momentum=0.9"}},
      {"proda", {"prompt_batch=2", "init=", "lr=0.005"}},
      {"tcp", {"lr=0.01"}},
      {"gallop", {"lr=0.02"}},
      {"dept", {"lr=0.01"}},
      {"promptsrc", {"lr=0.02"}},
      {"maple", {"lr=0.02"}},
      {"cocoop", {"lr=0.02"}},
  };
  const auto options = row.options();
  OptionList list;
  options->declare(list);
  std::vector<std::string> result;
  for (const auto& [name, value] : generic) {
    if (list.has(name)) result.push_back(name + "=" + value);
  }
  const auto found = own.find(row.name);
  if (found != own.end()) result.insert(result.end(), found->second.begin(), found->second.end());
  return result;
}

const std::vector<TrainedCase>& trained_cases() {
  static const std::vector<TrainedCase> cases = [] {
    std::vector<TrainedCase> result;
    for (const LearnerRow& row : learners()) {
      const TrainedCase one = {std::string(row.name), small_options(row)};
      if (!make_learner(one.method, one.options, small_setting())->stages().empty()) {
        result.push_back(one);
      }
    }
    TrainedCase adam = {"coop", small_options(find_learner("coop"))};
    for (const char* const option : {"optimizer=adam", "drop_last=false", "lr=0.002"}) {
      adam.options.emplace_back(option);
    }
    result.push_back(adam);
    TrainedCase conditional = {"dept", small_options(find_learner("dept"))};
    conditional.options.emplace_back("on=cocoop");
    result.push_back(conditional);
    return result;
  }();
  return cases;
}

Dataset small_images(std::size_t images, std::size_t classes) {
  // ctest runs cases in processes of their own, side by side, so that a fixed name would be shared.
  static std::deque<testing::TempFolder> folders;
  const testing::TempFolder& folder = folders.emplace_back();
  Dataset dataset;
  dataset.root = folder / "";
  Random random(5);
  for (std::size_t i = 0; i < images; ++i) {
    const int width = 28 + static_cast<int>(random.below(9));
    const int height = 28 + static_cast<int>(random.below(9));
    std::vector<std::uint8_t> rgb(static_cast<std::size_t>(3 * width * height));
    const std::size_t label = i % classes;
    for (std::size_t k = 0; k < rgb.size(); ++k) {
      const std::size_t colour = (40 * (label + 1) * (k % 3 + 1)) % 200;
      rgb[k] = static_cast<std::uint8_t>(colour + random.below(56));
    }
    const std::string name = "image_" + std::to_string(i) + ".png";
    folder.write(name, make_png(width, height, rgb, PngCompression::kDeflated));
    dataset.samples.push_back({.path = name, .label = static_cast<std::int32_t>(label)});
  }
  return dataset;
}

Episode small_episode(const TuningTask& task, std::int64_t images, std::uint64_t seed) {
  Random random(seed);
  Episode episode;
  const at::Tensor features = normal_tensor({images, task.text_model.clip->config.embed}, random);
  episode.features = normalized(features);
  episode.lengths = lengths(features);
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < images; ++i) {
    labels.push_back(i % static_cast<std::int64_t>(task.base_names.size()));
  }
  episode.labels = index_tensor(labels);
  return episode;
}

at::Tensor small_patches(const TuningTask& task, std::int64_t images, ImageInput input) {
  const ClipConfig& config = task.text_model.clip->config;
  Random random(9);
  const std::int64_t patches = config.grid() * config.grid();
  if (input == ImageInput::kPatchStates) {
    return normal_tensor({images, patches, config.vision.width}, random);
  }
  return normalized(normal_tensor({images, patches, config.embed}, random));
}

std::unique_ptr<Learner> make_learner(const std::string& name,
                                      const std::vector<std::string>& options,
                                      const TuningTask& task) {
  const auto made = find_learner(name).options();
  OptionList list;
  made->declare(list);
  for (const std::string& option : options) list.set(option, "test");
  return made->make(task);
}

at::Tensor tensor_of(const StoredTensor& stored) {
  const bool whole = stored.type == TensorType::kI64;
  at::Tensor tensor = at::empty(stored.shape, whole ? at::kLong : at::kFloat);
  std::memcpy(tensor.data_ptr(), stored.bytes.values.data(), stored.bytes.values.size());
  return tensor;
}

}  // namespace openworld
