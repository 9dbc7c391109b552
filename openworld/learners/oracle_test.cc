// Losses, gradients and scores of every learner against reference_learners.py, a rendering of the
// papers in plain PyTorch and double precision that shares no line with this code.

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "openworld/io/mapped_file.h"
#include "openworld/learners/table.h"
#include "openworld/learners/test_util.h"

namespace openworld {
namespace {

using at::Tensor;

class Case : public testing::Test {
 public:
  explicit Case(const nlohmann::json& json) : case_(json) {}

  void TestBody() override {
    const Origin origin{
        "oracle", std::string(OPENWORLD_ORACLE_DIR) + "/" + case_["tensors"].get<std::string>()};
    const Safetensors file = parse_safetensors(map_file(origin), origin);
    for (const StoredTensor& stored : file.tensors) tensors_[stored.name] = tensor_of(stored);
    make();
    check_loss();
    check_scores();
    if (tensors_.contains("curve")) check_training();
  }

 private:
  void make() {
    TuningTask task = small_setting();
    task.base_names = oracle_cases()["base_names"].get<std::vector<std::string>>();
    const nlohmann::json& own =
        case_.contains("task_templates") ? case_["task_templates"] : oracle_cases()["templates"];
    task.sentences.templates = own.get<std::vector<std::string>>();
    std::vector<std::string> options;
    for (const auto& [name, value] : case_["options"].items()) {
      options.push_back(name + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
    }
    method_ = case_["method"];
    const auto declared = find_learner(method_).options();
    OptionList list;
    declared->declare(list);
    const bool has_init = list.has("init");
    if (has_init && !case_["options"].contains("init")) options.emplace_back("init=");
    learner_ = make_learner(method_, options, task);
    std::size_t parameters = 0;
    for (const auto& [name, tensor] : tensors_) parameters += name.starts_with("parameter.");
    ASSERT_EQ(learner_->parameters().size(), parameters);
    for (const auto& [name, tensor] : learner_->parameters()) {
      const Tensor& value = tensors_.at("parameter." + name);
      ASSERT_EQ(tensor.sizes(), value.sizes()) << name;
      std::memcpy(tensor.data_ptr(), value.data_ptr(), value.nbytes());
    }
  }

  static void expect_close(const Tensor& ours, const Tensor& theirs, const std::string& what) {
    ASSERT_EQ(ours.sizes(), theirs.sizes()) << what;
    if (ours.numel() == 0) return;
    const double scale = theirs.abs().max().item<double>();
    const double error = (ours - theirs).abs().max().item<double>();
    EXPECT_LE(error, 1e-4 * scale + 1e-9) << what << " is off by " << error << " of " << scale;
  }

  // A tensor of the file, or an undefined one.
  Tensor optional(const std::string& name) const {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? Tensor() : found->second;
  }

  // Patches as the learner takes them.
  Tensor patches(const std::string& name, ImageInput input) const {
    const Tensor local = optional(name);
    return local.defined() && input == ImageInput::kPatches ? normalized(local) : local;
  }

  Episode episode() const {
    Episode episode;
    episode.features = normalized(tensors_.at("features"));
    episode.lengths = lengths(tensors_.at("features"));
    episode.labels = tensors_.at("labels");
    return episode;
  }

  Batch batch() const {
    return {.features = normalized(tensors_.at("features")),
            .labels = tensors_.at("labels"),
            .local = patches("local", find_learner(method_).input),
            .pixels = optional("pixels"),
            .lengths = lengths(tensors_.at("features")),
            .step = tensors_.contains("step") ? tensors_.at("step").item<std::int64_t>() : 0};
  }

  void check_loss() {
    if (!tensors_.contains("loss")) return;
    const Episode episode = this->episode();
    const Batch batch = this->batch();
    const std::size_t stage = case_["stage"];
    learner_->begin_stage(stage, episode);
    const double loss = learner_->backward(stage, batch);
    const double expected = tensors_.at("loss").item<double>();
    EXPECT_NEAR(loss, expected, 1e-4 * std::abs(expected));
    for (const auto& [name, tensor] : learner_->parameters()) {
      const Tensor gradient = tensor.grad().defined() ? tensor.grad() : at::zeros_like(tensor);
      expect_close(gradient.detach(), tensors_.at("gradient." + name), "gradient of " + name);
    }
    if (tensors_.contains("threshold")) {
      learner_->begin_stage(1, episode);
      EXPECT_NEAR(learner_->constants().at("threshold").item<double>(),
                  tensors_.at("threshold").item<double>(), 1e-5);
    }
  }

  void check_scores() {
    if (!tensors_.contains("score")) return;
    std::vector<std::string> new_names;
    if (tensors_.contains("new_logits") && tensors_.at("new_logits").size(1) > 0) {
      new_names = oracle_cases()["new_names"].get<std::vector<std::string>>();
    }
    const ScoredImages images = {.features = normalized(tensors_.at("test_features")),
                                 .local = patches("test_local", learner_->scored_input()),
                                 .pixels = optional("test_pixels"),
                                 .lengths = lengths(tensors_.at("test_features"))};
    const Scores scores = learner_->scorer(new_names)(images);
    expect_close(scores.base_logits.detach(), tensors_.at("base_logits"), "base logits");
    if (!new_names.empty()) {
      expect_close(scores.new_logits.detach(), tensors_.at("new_logits"), "new logits");
    }
    expect_close(scores.r.detach(), tensors_.at("score"), "score");
  }

  // All steps of all epochs, with the optimiser and schedule of the learner's own stage, on the
  // batches of the file.
  void check_training() {
    for (const auto& [name, tensor] : learner_->parameters()) {
      const Tensor& value = tensors_.at("parameter." + name);
      std::memcpy(tensor.data_ptr(), value.data_ptr(), value.nbytes());
      tensor.mutable_grad().reset();
    }
    const Stage stage = learner_->stages()[0];
    Optimizer optimizer(learner_->parameters(), stage.optimizer);
    const Tensor& order = tensors_.at("order");
    const Tensor& curve = tensors_.at("curve");
    const Batch all = batch();
    learner_->begin_stage(0, episode());
    std::int64_t step = 0;
    for (std::int64_t epoch = 0; epoch < order.size(0); ++epoch) {
      for (const Tensor& rows : order[epoch].unbind(0)) {
        const auto some = [&](const Tensor& values) {
          return values.defined() ? values.index_select(0, rows) : values;
        };
        const double loss = learner_->backward(0, {.features = some(all.features),
                                                   .labels = some(all.labels),
                                                   .local = some(all.local),
                                                   .pixels = some(all.pixels),
                                                   .lengths = some(all.lengths),
                                                   .step = step});
        const double expected = curve[step].item<double>();
        EXPECT_NEAR(loss, expected, 1e-3 * std::abs(expected)) << "step " << step;
        const auto lr = [&](double base) {
          return scheduled_lr(stage.schedule, base, epoch, stage.epochs, step);
        };
        std::map<std::string, double> rates;
        for (const auto& [name, factor] : stage.lr_factors) rates[name] = lr(factor * stage.lr);
        optimizer.step(lr(stage.lr), rates);
        ++step;
      }
      const at::NoGradGuard no_grad;
      learner_->end_epoch(0, epoch);
    }
    for (const auto& [name, tensor] : learner_->parameters()) {
      const Tensor& expected = tensors_.at("final." + name);
      const double scale = expected.abs().max().item<double>();
      EXPECT_LE((tensor.detach() - expected).abs().max().item<double>(), 1e-3 * scale) << name;
    }
  }

  nlohmann::json case_;
  std::string method_;
  std::map<std::string, Tensor> tensors_;
  std::unique_ptr<Learner> learner_;
};

// The cases are known once oracle.py has run, so that they are one test for ctest.
TEST(Oracle, EveryCaseAgrees) {
  std::map<std::string, int> methods;
  for (const auto& json : oracle_cases()["cases"]) {
    SCOPED_TRACE(json["name"].get<std::string>());
    Case(json).TestBody();
    ++methods[json["method"]];
  }
  for (const LearnerRow& row : learners()) {
    EXPECT_GE(methods[std::string(row.name)], 2) << row.name;
  }
}

}  // namespace
}  // namespace openworld
