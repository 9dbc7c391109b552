// Scores of test views: of every learner, beside plain computations from the definitions.

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "openworld/learners/common/partitions.h"
#include "openworld/learners/name_table.h"
#include "openworld/learners/table.h"
#include "openworld/learners/test_util.h"
#include "openworld/learners/text_classifier.h"
#include "openworld/vlm/pixel_source.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr std::int64_t kImages = 6;

const PixelSource& small_pixels() {
  static const PixelSource source(small_images(kImages, 6),
                                  oracle_model().clip.config.preprocessing);
  return source;
}

// Every learner of the table, and those whose r or classifiers differ by an option.
std::vector<TrainedCase> view_cases() {
  std::vector<TrainedCase> cases;
  for (const LearnerRow& row : learners()) {
    cases.push_back({std::string(row.name), small_options(row)});
  }
  for (const auto& [method, option] :
       std::vector<std::pair<std::string, std::string>>{{"locoop", "score=mcm"},
                                                        {"locoop", "score=gl_mcm"},
                                                        {"gallop", "score=gl_mcm"},
                                                        {"dept", "score=cosines"},
                                                        {"dept", "on=cocoop"},
                                                        {"gmop", "new=trained"},
                                                        {"gmop", "single=true"},
                                                        {"vpt", "sentence=template"},
                                                        {"rpo", "sentence=template"}}) {
    cases.push_back({method, small_options(find_learner(method))});
    cases.back().options.push_back(option);
  }
  return cases;
}

std::string text_of(const TrainedCase& what) {
  return what.method + (what.options.empty() ? "" : " " + what.options.back());
}

std::vector<std::int64_t> range(std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(end - begin));
  std::iota(values.begin(), values.end(), begin);
  return values;
}

NameColumns columns(std::vector<std::int64_t> base, std::vector<std::int64_t> new_names) {
  NameColumns view{.base = std::move(base), .new_names = std::move(new_names)};
  view.detected = view.base;
  return view;
}

// Six base names in columns 0 to 5; two new names in 6 and 7; three in other sentences in 8 to 10;
// the base names in those sentences in 11 to 16.
struct Subject {
  TuningTask task = small_setting(5);
  std::unique_ptr<Learner> learner;
  ScoredImages images;

  explicit Subject(const TrainedCase& what) {
    learner = make_learner(what.method, what.options, task);
    const Episode episode = small_episode(task, kImages, 11);
    images = {.features = episode.features, .lengths = episode.lengths};
    const ImageInput input = learner->scored_input();
    if (input == ImageInput::kPatches || input == ImageInput::kPatchStates) {
      images.local = small_patches(task, kImages, input);
    }
    if (input == ImageInput::kPixels) {
      images.pixels = small_pixels().stream(test_items(small_pixels().dataset()), kImages).next();
    }
    // As after the first stage of training.
    if (what.method == "decoop") {
      Episode shots = small_episode(task, kImages);
      learner->begin_stage(1, shots);
    }
  }

  static Sentences drawings() {
    return {.templates = {"a drawing of a {}."},
            .ensemble = {"a drawing of a {}.", "a sketch of a {}."},
            .plain_words = "a drawing of a"};
  }

  std::vector<NameList> lists() const {
    return {{.names = {"otter", "kite"}},
            {.names = {"lamp", "boat", "oak"}, .sentences = drawings()},
            {.names = task.base_names, .sentences = drawings(), .base = true}};
  }

  std::vector<Scores> score(const std::vector<NameColumns>& views) const {
    return learner->view_scorer(lists())(images, views);
  }
};

void expect_equal(const Scores& a, const Scores& b, const std::string& what) {
  EXPECT_TRUE(a.base_logits.equal(b.base_logits)) << what;
  EXPECT_TRUE(a.new_logits.equal(b.new_logits)) << what;
  EXPECT_TRUE(a.r.equal(b.r)) << what;
}

// Texts and products round by what is computed with them.
void expect_close(const Scores& a, const Scores& b, const std::string& what) {
  EXPECT_TRUE(at::allclose(a.base_logits, b.base_logits, 1e-5, 1e-5)) << what;
  EXPECT_TRUE(at::allclose(a.new_logits, b.new_logits, 1e-5, 1e-5)) << what;
  EXPECT_TRUE(at::allclose(a.r, b.r, 1e-5, 1e-6)) << what;
}

TEST(ViewScorer, AViewByItselfHasTheBitsOfAViewAmongOthers) {
  const std::vector<NameColumns> views = {columns(range(0, 6), {6, 7}), columns({4, 1, 2}, {10, 8}),
                                          columns({3}, {}), columns({}, {7, 6}),
                                          columns({11, 13, 16}, {9})};
  for (const TrainedCase& what : view_cases()) {
    const Subject subject(what);
    const std::vector<Scores> together = subject.score(views);
    ASSERT_EQ(together.size(), views.size());
    for (std::size_t v = 0; v < views.size(); ++v) {
      const Scores alone = subject.score({views[v]})[0];
      EXPECT_EQ(alone.base_logits.size(1), static_cast<std::int64_t>(views[v].base.size()));
      EXPECT_EQ(alone.new_logits.size(1), static_cast<std::int64_t>(views[v].new_names.size()));
      expect_equal(alone, together[v], text_of(what) + ", view " + std::to_string(v));
    }
    // Without base names there is nothing that r could find.
    EXPECT_TRUE(together[3].r.eq(0).all().item<bool>()) << text_of(what);
  }
}

TEST(ViewScorer, TheViewOfAllNamesIsTheScorer) {
  for (const TrainedCase& what : view_cases()) {
    const Subject subject(what);
    const Scores plain = subject.learner->scorer({"otter", "kite"})(subject.images);
    expect_close(subject.score({columns(range(0, 6), {6, 7})})[0], plain, text_of(what));
  }
}

TEST(ViewScorer, NewNamesAreThoseOfAScorerMadeForThemAlone) {
  for (const TrainedCase& what : view_cases()) {
    Subject subject(what);
    const Scores ours = subject.score({columns(range(0, 6), {10, 8})})[0];
    // A learner that has no other sentences, with the prompts of the first.
    const ViewScorer alone = subject.learner->view_scorer(
        {{.names = {"oak", "lamp"}, .sentences = Subject::drawings()}});
    const NameColumns view = columns(range(0, 6), {6, 7});
    const Scores theirs = alone(subject.images, {&view, 1})[0];
    expect_close(ours, theirs, text_of(what));
  }
}

// The learners whose r is the largest probability of a base name among all names, by softmax of
// their logits.
bool is_msp(const TrainedCase& what) {
  const std::string& option = what.options.empty() ? what.method : what.options.back();
  return what.method != "gmop" && what.method != "decoop" && !option.starts_with("score=");
}

Tensor msp_of(const Scores& scores) {
  const Tensor all = at::cat({scores.base_logits, scores.new_logits}, 1).to(at::kDouble);
  const Tensor p = (all - all.amax(1, true)).exp();
  return p.narrow(1, 0, scores.base_logits.size(1)).amax(1) / p.sum(1);
}

TEST(ViewScorer, SomeBaseNamesAreColumnsOfAllAndRIsAmongTheViewsNames) {
  const std::vector<std::int64_t> some = {4, 1, 2};
  for (const TrainedCase& what : view_cases()) {
    const Subject subject(what);
    const std::vector<Scores> scores =
        subject.score({columns(range(0, 6), {6, 7, 8}), columns(some, {8, 6})});
    // DeCoOp's classifiers depend on what its detectors know of the view.
    if (what.method != "decoop") {
      EXPECT_TRUE(scores[1].base_logits.equal(columns_of(scores[0].base_logits, some)))
          << text_of(what);
      const std::int64_t of_new[] = {2, 0};
      EXPECT_TRUE(scores[1].new_logits.equal(columns_of(scores[0].new_logits, of_new)))
          << text_of(what);
    }
    if (!is_msp(what)) continue;
    EXPECT_TRUE(at::allclose(scores[1].r.to(at::kDouble), msp_of(scores[1]), 1e-5, 1e-7))
        << text_of(what);
  }
}

TEST(ViewScorer, RMayCompareTrainingNamesThatTheViewLacks) {
  for (const TrainedCase& what : view_cases()) {
    const Subject subject(what);
    NameColumns train = columns({4, 1}, {6, 8});
    train.detected = range(0, 6);
    const std::vector<Scores> scores =
        subject.score({train, columns({4, 1}, {6, 8}), columns(range(0, 6), {6, 8})});
    EXPECT_TRUE(scores[0].r.equal(scores[2].r)) << text_of(what);
    EXPECT_FALSE(scores[0].r.equal(scores[1].r)) << text_of(what);
    EXPECT_EQ(scores[0].base_logits.size(1), 2) << text_of(what);
  }
}

// r of the mixtures: over detectors k, the largest probability that detector k gives a name of its
// part P_k of the view's base names, among all names of the view.
TEST(ViewScorer, DetectorsKnowTheNamesOfTheirPartThatTheViewHas) {
  for (const char* const method : {"gmop", "decoop"}) {
    const Subject subject({method, small_options(find_learner(method))});
    const std::vector<std::int64_t> base = {4, 1, 2}, new_names = {8, 6};
    const Scores scores = subject.score({columns(base, new_names)})[0];
    std::vector<std::string> names;
    const NameTable table(subject.task, subject.lists());
    for (const auto* some : {&base, &new_names}) {
      for (const std::int64_t c : *some) {
        names.push_back(table.names()[static_cast<std::size_t>(c)]);
      }
    }
    const NamedTensors& parameters = subject.learner->parameters();
    const std::vector<Partition> parts = class_partitions(6, 3);
    std::vector<double> expected(kImages, 0.0);
    PromptPool pool(1);
    const at::NoGradGuard no_grad;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Tensor& context = parameters.at("detector." + std::to_string(k));
      ContextPrompts prompts(subject.task.text_model, names, {.tokens = context.size(0)});
      const Tensor p =
          at::softmax(scaled_logits(*subject.task.text_model.clip, subject.images.features,
                                    pool.features(prompts, context)),
                      1);
      for (std::int64_t i = 0; i < kImages; ++i) {
        for (std::int64_t c = 0; c < 3; ++c) {
          const std::int64_t label = base[static_cast<std::size_t>(c)];
          if (std::ranges::count(parts[k].columns, label) == 0) continue;
          double& best = expected[static_cast<std::size_t>(i)];
          best = std::max(best, p[i][c].item<double>());
        }
      }
    }
    for (std::int64_t i = 0; i < kImages; ++i) {
      EXPECT_NEAR(scores.r[i].item<double>(), expected[static_cast<std::size_t>(i)], 1e-6)
          << method << ", image " << i;
    }
  }
}

TEST(ViewScorer, OtherSentencesChangeTheNamesOfLearnersThatUseThem) {
  for (const TrainedCase& what : view_cases()) {
    const Subject subject(what);
    const std::vector<Scores> scores =
        subject.score({columns(range(0, 6), {}), columns(range(11, 17), {})});
    const std::string text = text_of(what);
    const bool uses = what.method == "zero-shot" || what.method == "tcp" || what.method == "vpt" ||
                      what.method == "rpo";
    if (what.method == "decoop") continue;  // only where no detector is sure
    EXPECT_EQ(!at::allclose(scores[0].base_logits, scores[1].base_logits, 1e-5, 1e-5), uses)
        << text;
  }
}

}  // namespace
}  // namespace openworld
