#include "openworld/learners/test_util.h"

#include <ATen/ops/empty.h>

#include <cstring>

#include "openworld/base/random.h"
#include "openworld/io/json_file.h"
#include "openworld/learners/table.h"
#include "openworld/vlm/index_tensor.h"
#include "openworld/vlm/load_clip.h"
#include "openworld/worlds/templates.h"

namespace openworld {
namespace {

const std::string kOracle = OPENWORLD_ORACLE_DIR;

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

TuningTask small_setting(std::uint64_t seed, int threads) {
  return {.text_model = oracle_model().text_model(threads),
          .base_names = {"cat", "snow leopard", "ragdoll", "fire truck", "violin", "zebra"},
          .templates = {"a photo of a {}."},
          .template_set = "",
          .ensemble = find_template_set("select7").templates,
          .seed = seed};
}

Episode small_episode(const TuningTask& task, std::int64_t images, std::uint64_t seed) {
  Random random(seed);
  Episode episode;
  episode.features = at::empty({images, task.text_model.clip->config.embed});
  for (std::int64_t i = 0; i < episode.features.numel(); ++i) {
    episode.features.data_ptr<float>()[i] = static_cast<float>(random.normal());
  }
  episode.features = normalized(episode.features);
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < images; ++i) {
    labels.push_back(i % static_cast<std::int64_t>(task.base_names.size()));
  }
  episode.labels = index_tensor(labels);
  return episode;
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
