// Losses, gradients and scores of every learner against reference_learners.py, a rendering of the
// papers in plain PyTorch and double precision that shares no line with this code.

#include <ATen/TensorOperators.h>
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
  }

 private:
  void make() {
    TuningTask task = small_setting();
    task.base_names = oracle_cases()["base_names"].get<std::vector<std::string>>();
    task.templates = oracle_cases()["templates"].get<std::vector<std::string>>();
    std::vector<std::string> options;
    for (const auto& [name, value] : case_["options"].items()) {
      options.push_back(name + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
    }
    const std::string method = case_["method"];
    if (case_["options"].contains("tokens")) options.emplace_back("init=");
    learner_ = make_learner(method, options, task);
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

  void check_loss() {
    if (!tensors_.contains("loss")) return;
    Episode episode;
    episode.features = normalized(tensors_.at("features"));
    episode.labels = tensors_.at("labels");
    Batch batch;
    batch.features = episode.features;
    batch.labels = episode.labels;
    if (tensors_.contains("local")) batch.local = normalized(tensors_.at("local"));
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
    ScoredImages images{normalized(tensors_.at("test_features"))};
    if (learner_->scored_input() == ImageInput::kPatches)
      images.local = normalized(tensors_.at("test_local"));
    const Scores scores = learner_->scorer(new_names)(images);
    expect_close(scores.base_logits.detach(), tensors_.at("base_logits"), "base logits");
    if (!new_names.empty()) {
      expect_close(scores.new_logits.detach(), tensors_.at("new_logits"), "new logits");
    }
    expect_close(scores.r.detach(), tensors_.at("score"), "score");
  }

  nlohmann::json case_;
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
