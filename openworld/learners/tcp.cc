#include "openworld/learners/tcp.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "openworld/base/error.h"
#include "openworld/learners/common/losses.h"
#include "openworld/learners/common/meta_net.h"
#include "openworld/learners/text_classifier.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr std::uint64_t kNetStream = 10;

// The words around the name in a prompt: those that stay of "X X X X {}, a type of pet.".
struct Words {
  std::string before, after;
};

// As released for the datasets of CoOp; else what the run's template has after the name.
Words prompt_words(const Sentences& sentences) {
  static const std::map<std::string, Words> kReleased = {
      {"OxfordPets", {"", ", a type of pet."}},
      {"OxfordFlowers", {"", ", a type of flower."}},
      {"FGVCAircraft", {"", ", a type of aircraft."}},
      {"DescribableTextures", {"", " texture."}},
      {"StanfordCars", {"", ", a type of car"}},
      {"Food101", {"", ", a type of food."}},
      {"UCF101", {"person doing", "."}},
  };
  if (!find_custom_template(sentences.template_set, TemplateStyle::kTcp)) {
    const std::string& sentence = sentences.templates.front();
    return {"", sentence.substr(sentence.find("{}") + 2)};
  }
  const auto released = kReleased.find(find_template_set(sentences.template_set).name);
  return released == kReleased.end() ? Words{"", "."} : released->second;
}

class Tcp : public Learner {
 public:
  Tcp(const TuningTask& task, const TcpOptions& options)
      : Learner(task), weight_(options.weight), pool_(task.text_model.threads) {
    const ClipConfig& config = clip().config;
    const Tensor context = add_parameter("context", first_context(task, options));
    const std::int64_t hidden =
        options.hidden > 0 ? options.hidden : std::max<std::int64_t>(1, config.embed / 4);
    for (const auto& [name, value] : meta_net_values(
             config.embed, hidden, context.size(0) * config.text.width, task.seed, kNetStream)) {
      add_parameter("meta_net." + name, value.to(clip().device()));
    }
    block_ = static_cast<std::int32_t>(block_of(options.block));
    teacher_ = teacher_of(task.base_names, task.sentences);
    prompts_ = std::make_unique<ContextPrompts>(task.text_model, task.base_names,
                                                shape_of(task.sentences));
    stage_ = options.stage("prompts", parameter_names());
  }

  std::vector<Stage> stages() const override { return {stage_}; }

  Tensor loss(std::size_t, const Batch& batch) override {
    const Tensor texts = pool_.features(*prompts_, rows_of(teacher_));
    const Tensor away = 1 - (texts * teacher_).sum(1).mean();
    return cross_entropy(scaled_logits(clip(), batch.features, texts), batch.labels) +
           weight_ * away;
  }

  ViewScorer view_scorer(const std::vector<NameList>& lists) override {
    const at::NoGradGuard no_grad;
    const NameTable table(task_, lists);
    std::vector<Tensor> texts;
    for (const auto& [names, sentences] : table.groups()) {
      ContextPrompts prompts(task_.text_model, names, shape_of(sentences));
      texts.push_back(pool_.features(prompts, rows_of(teacher_of(names, sentences))));
    }
    return text_scorer(clip(), at::cat(texts));
  }

 private:
  // Block 8 of 12 is released; others have it at two thirds.
  std::int64_t block_of(std::int64_t asked) const {
    const std::int64_t layers = clip().config.text.layers;
    const std::int64_t block = asked > 0 ? asked : layers * 2 / 3;
    if (block < 1 || block >= layers) {
      fail("prompts",
           fmt::format("option block is {}; the text tower has {} block{}, and rows can be "
                       "replaced from block 1 on",
                       block, layers, layers == 1 ? "" : "s"));
    }
    return block;
  }

  PromptShape shape_of(const Sentences& sentences) const {
    const Words words = prompt_words(sentences);
    return {.tokens = parameters_.at("context").size(0),
            .before = task_.text_model.tokenizer->encode(words.before),
            .after = words.after,
            .class_block = block_};
  }

  Tensor teacher_of(const std::vector<std::string>& names, const Sentences& sentences) const {
    return sentence_features(task_.text_model, names,
                             teacher_templates(sentences, TemplateStyle::kTcp), false);
  }

  // The context, then the rows of every class.
  Tensor rows_of(const Tensor& teacher) const {
    const Tensor& context = parameters_.at("context");
    const Tensor own = meta_net(parameters_, teacher, MetaActivation::kQuickGelu);
    return at::cat({context, own.reshape({-1, context.size(1)})});
  }

  double weight_;
  PromptPool pool_;
  std::int32_t block_ = 0;
  Tensor teacher_;
  std::unique_ptr<ContextPrompts> prompts_;
  Stage stage_;
};

}  // namespace

TcpOptions::TcpOptions() {
  tokens = 4;
  optimizer = "adam";
  epsilon = 1e-3;
}

void TcpOptions::declare(OptionList& list) {
  list.add("weight", weight, 0, 1e6, "of staying close to the hand-written sentence");
  list.add("block", block, 0, 1024,
           "of the text tower at whose input the class's rows replace the context; 0: at two "
           "thirds of the tower, block 8 of 12");
  list.add("hidden", hidden, 0, 1 << 16,
           "width of the net's inner layer; 0: a quarter of the features'");
  PromptOptions::declare(list);
}

std::unique_ptr<Learner> TcpOptions::make(const TuningTask& task) const {
  return std::make_unique<Tcp>(task, *this);
}

}  // namespace openworld
