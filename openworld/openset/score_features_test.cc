// The pass beside its definition: every logit by itself, and each score from all of them.

#include "openworld/openset/score_features.h"

#include <cmath>
#include <numeric>
#include <set>

#include "openworld/io/test_util.h"
#include "openworld/openset/test_open_set.h"

namespace openworld {
namespace {

constexpr std::size_t kImages = 900, kClasses = 11, kWidth = 24;
const Origin kOrigin{"score", ""};

std::vector<float> normals(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

NamedFeatures features(std::vector<float> values, const char* name = "images") {
  return {matrix_of(std::move(values), kWidth), name, kOrigin};
}

struct Data {
  std::vector<float> images, texts;
  std::vector<std::int32_t> label;
};

// Images near their class, every tenth of no class.
Data make_data() {
  Data data{normals(kImages * kWidth, 1), normals(kClasses * kWidth, 2), {}};
  for (std::size_t i = 0; i < kImages; ++i) {
    const auto c = static_cast<std::int32_t>(i % kClasses);
    for (std::size_t j = 0; j < kWidth; ++j) {
      data.images[i * kWidth + j] += data.texts[static_cast<std::size_t>(c) * kWidth + j];
    }
    data.label.push_back(i % 10 == 0 ? -1 : c);
  }
  return data;
}

ScoreInput input_of(const Data& data, std::vector<std::string> names = {}) {
  return {.images = features(data.images),
          .label = make_column(data.label),
          .texts = {.features = features(data.texts, "texts"),
                    .names = std::move(names),
                    .prompts = kClasses}};
}

std::vector<std::string> letters() {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < kClasses; ++c) names.emplace_back(1, static_cast<char>('a' + c));
  return names;
}

// Logits of one image over these classes.
std::vector<double> logits_of(const Data& data, std::size_t image,
                              const std::vector<std::size_t>& classes, const LogitForm& form) {
  std::vector<double> logits;
  for (const std::size_t c : classes) {
    double product = 0, aa = 0, bb = 0;
    for (std::size_t j = 0; j < kWidth; ++j) {
      const double a = data.images[image * kWidth + j], b = data.texts[c * kWidth + j];
      product += a * b;
      aa += a * a;
      bb += b * b;
    }
    logits.push_back(form.scale * product / std::sqrt(aa * bb) + form.bias);
  }
  return logits;
}

std::int32_t argmax(const std::vector<double>& z, std::size_t from, std::size_t to) {
  return static_cast<std::int32_t>(std::max_element(z.begin() + static_cast<std::ptrdiff_t>(from),
                                                    z.begin() + static_cast<std::ptrdiff_t>(to)) -
                                   z.begin());
}

void check(OutputActivation activation, double tolerance) {
  const Data data = make_data();
  ScoreOptions options;
  options.base = "c,a,k,d";
  options.scores = "all";
  options.form = {activation, 10, activation == OutputActivation::kSigmoid ? -3.0 : 0.0, 0.5};
  const std::vector<std::size_t> order = {0, 2, 3, 10, 1, 4, 5, 6, 7, 8, 9};
  constexpr std::size_t kBase = 4;
  const ScoredFeatures scored = score_features(input_of(data, letters()), options);
  const Predictions& common = scored.common;
  EXPECT_EQ(common.base_classes, 4);
  EXPECT_EQ(common.new_classes, 7);
  EXPECT_EQ(common.classes,
            (std::vector<std::string>{"a", "c", "d", "k", "b", "e", "f", "g", "h", "i", "j"}));
  EXPECT_EQ(common.tied_answers, 0);
  std::vector<std::int32_t> base(kBase), all(kClasses);
  std::iota(base.begin(), base.end(), 0);
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t i = 0; i < kImages; ++i) {
    const std::vector<double> z = logits_of(data, i, order, options.form);
    const std::int32_t g = argmax(z, 0, kBase), h = argmax(z, kBase, kClasses),
                       both = argmax(z, 0, kClasses);
    const std::int32_t truth =
        data.label[i] < 0
            ? -1
            : static_cast<std::int32_t>(
                  std::find(order.begin(), order.end(), static_cast<std::size_t>(data.label[i])) -
                  order.begin());
    ASSERT_EQ(common.side.values[i], truth < 0 ? -1 : truth < 4 ? 0 : 1);
    if (truth >= 0) {
      ASSERT_EQ(common.label.values[i], truth < 4 ? truth : truth - 4);
    }
    ASSERT_EQ(common.predicted.values[i], g);
    ASSERT_EQ(common.correct.values[i], truth >= 0 && (truth < 4 ? g : h) == truth);
    ASSERT_EQ(common.overall_correct.values[i], truth >= 0 && both == truth);

    double sum = 0, base_sum = 0;
    for (std::size_t j = 0; j < kClasses; ++j) {
      sum += std::exp(z[j]);
      if (j < kBase) base_sum += std::exp(z[j]);
    }
    const NaiveAnswer over_base = naive_answer(z.data(), base, options.form);
    const NaiveAnswer over_all = naive_answer(z.data(), all, options.form);
    for (std::size_t k = 0; k < scored.scores.size(); ++k) {
      const DetectionScore& score = *scored.scores[k];
      double expected = 0;
      if (score.name == "msp") {
        expected = std::exp(z[static_cast<std::size_t>(g)]) / sum;
      } else if (score.name == "base_sum") {
        expected = base_sum / sum;
      } else if (score.name == "base_over_new") {
        expected = z[static_cast<std::size_t>(g)] - z[static_cast<std::size_t>(h)];
      } else {
        const auto row = static_cast<std::size_t>(score.measure - uncertainty_table().data());
        expected = static_cast<double>((score.over_all ? over_all : over_base).score[row]);
      }
      ASSERT_NEAR(scored.r[k].values[i], expected, tolerance) << score.name << " " << i;
    }
  }
}

TEST(ScoreFeatures, AsDefinedForSoftmax) {
  check(OutputActivation::kSoftmax, 5e-5);
}

TEST(ScoreFeatures, AsDefinedForSigmoid) {
  check(OutputActivation::kSigmoid, 5e-5);
}

TEST(ScoreFeatures, EveryScoreThatIsDefined) {
  const auto names = [](OutputActivation activation) {
    std::vector<std::string> found;
    for (const DetectionScore* score : find_detection_scores("all", activation, {3, 4}, "test")) {
      found.push_back(score->name);
    }
    return found;
  };
  std::set<std::string> distinct;
  for (const DetectionScore& score : detection_scores()) distinct.insert(score.name);
  EXPECT_EQ(distinct.size(), detection_scores().size());
  EXPECT_EQ(names(OutputActivation::kSoftmax).size(), 3u + 2 * 8);
  EXPECT_EQ(names(OutputActivation::kSigmoid).size(), 1u + 2 * 5);
  EXPECT_EQ(find_detection_scores("", OutputActivation::kSoftmax, {3, 4}, "test")[0]->name, "msp");
  EXPECT_EQ(find_detection_scores("", OutputActivation::kSigmoid, {3, 4}, "test")[0]->name,
            "base_sigmoid");
}

TEST(ScoreFeatures, ThreadsChangeNothing) {
  const Data data = make_data();
  ScoreOptions options;
  options.scores = "all";
  options.threads = 1;
  const ScoredFeatures one = score_features(input_of(data), options);
  options.threads = 3;
  const ScoredFeatures three = score_features(input_of(data), options);
  for (std::size_t k = 0; k < one.r.size(); ++k) {
    EXPECT_TRUE(std::ranges::equal(one.r[k].values, three.r[k].values));
  }
}

TEST(ScoreFeatures, UnknownImagesAndClassesOnNoList) {
  Data data = make_data();
  ScoreOptions options;
  options.base = "2";
  options.new_names = "c,d";
  ScoreInput input = input_of(data, letters());
  input.unknown = features(normals(5 * kWidth, 7), "unknown");
  const ScoredFeatures scored = score_features(std::move(input), options);
  EXPECT_EQ(scored.off_list_classes, 7u);
  ASSERT_EQ(scored.common.side.size(), kImages + 5);
  for (std::size_t i = 0; i < kImages + 5; ++i) {
    const std::int32_t c = i < kImages ? data.label[i] : -1;
    EXPECT_EQ(scored.common.side.values[i], c < 0 || c > 3 ? -1 : c < 2 ? 0 : 1);
  }
  // What is scored does not depend on how unknown images were given.
  Data joined = data;
  const std::vector<float> further = normals(5 * kWidth, 7);
  joined.images.insert(joined.images.end(), further.begin(), further.end());
  joined.label.insert(joined.label.end(), 5, -1);
  const ScoredFeatures together = score_features(input_of(joined, letters()), options);
  for (std::size_t i = 0; i < kImages + 5; ++i) {
    EXPECT_NEAR(together.r[0].values[i], scored.r[0].values[i], 1e-6);
  }
}

TEST(ScoreFeatures, LabelsByName) {
  Data data = make_data();
  ScoreInput input = input_of(data, letters());
  std::vector<std::string> label;
  for (const std::int32_t c : data.label) label.push_back(c < 0 ? "unknown" : letters()[c]);
  input.label = label;
  const ScoredFeatures by_name = score_features(std::move(input), {});
  const ScoredFeatures by_index = score_features(input_of(data, letters()), {});
  EXPECT_TRUE(std::ranges::equal(by_name.common.side.values, by_index.common.side.values));
  EXPECT_TRUE(std::ranges::equal(by_name.common.label.values, by_index.common.label.values));
  label[3] = "bb";
  input = input_of(data, letters());
  input.label = label;
  EXPECT_ERROR(score_features(std::move(input), {}), "label[3] is \"bb\", which is no class; did ");
}

TEST(ScoreFeatures, MeansOfLogitsKeepTheirLengths) {
  Data data = make_data();
  for (float& value : data.texts) value *= 0.5F;
  ScoreInput input = input_of(data);
  ScoreOptions options;
  options.scores = "all_max_logit";
  const ScoredFeatures cosines = score_features(input_of(data), options);
  input.texts.ensemble = TextEnsemble::kLogits;
  const ScoredFeatures lengths = score_features(std::move(input), options);
  // A class that wins with its length is not the one of the largest cosine.
  EXPECT_FALSE(std::ranges::equal(cosines.r[0].values, lengths.r[0].values));
}

TEST(ScoreFeatures, CountsTiedAnswers) {
  Data data = make_data();
  // Classes 0 and 1, both base, have the same feature.
  std::copy_n(data.texts.begin(), kWidth, data.texts.begin() + kWidth);
  const ScoredFeatures scored = score_features(input_of(data), {});
  EXPECT_GT(scored.common.tied_answers, 50);
  EXPECT_LT(scored.common.tied_answers, 400);
}

TEST(ScoreFeatures, PredictionsAreWhatFilesHold) {
  const testing::TempFolder folder;
  const Data data = make_data();
  const ScoredFeatures scored = score_features(input_of(data, letters()), {});
  const Predictions made = scored.predictions(0, {}, {{"images", "i.npz"}});
  save_predictions(made, folder / "p.npz");
  const Predictions read = load_predictions(folder / "p.npz");
  EXPECT_TRUE(std::ranges::equal(read.correct.values, made.correct.values));
  EXPECT_TRUE(std::ranges::equal(std::get<Column<double>>(read.score).values, scored.r[0].values));
  EXPECT_EQ(read.classes, made.classes);
  EXPECT_NE(read.meta.find("\"images\":\"i.npz\""), std::string::npos) << read.meta;
}

TEST(ScoreFeatures, Refusals) {
  const Data data = make_data();
  const auto refused = [&](auto&& change, const char* says) {
    ScoreInput input = input_of(data, letters());
    ScoreOptions options;
    change(input, options);
    EXPECT_ERROR(score_features(std::move(input), options), says);
  };
  refused([](auto&, auto& o) { o.scores = "msq"; }, "unknown score 'msq'; did you mean msp? ");
  refused([](auto&, auto& o) { o.scores = "base_sigmoid"; },
          "score base_sigmoid is not defined for softmax models; expected activation sigmoid");
  refused([](auto&, auto& o) { o.base = "all", o.scores = "base_sum"; },
          "score base_sum needs new names; every class is base");
  refused([](auto&, auto& o) { o.base = "1", o.scores = "base_logit_margin"; },
          "score base_logit_margin needs 2 names; there is 1");
  refused([](auto&, auto& o) { o.base = "a,b", o.new_names = "b"; },
          "\"b\" is a base name and a new name; expected one of them");
  refused([](auto& i, auto&) { i.label = make_column(std::vector<std::int32_t>(3)); },
          "label has 3 rows; expected 900, one for each image");
  refused(
      [&](auto& i, auto&) {
        std::vector<std::int32_t> label = data.label;
        label[7] = kClasses;
        i.label = make_column(label);
      },
      "label[7] is 11; expected 0 to 10, or -1 for an unknown image");
  refused(
      [&](auto& i, auto&) {
        std::vector<float> images = data.images;
        images[5 * kWidth + 2] = std::nanf("");
        i.images = features(images);
      },
      "images[5, 2] is NaN");
  refused(
      [&](auto& i, auto&) {
        i.label = std::vector<std::string>(kImages, "a");
        i.texts.names.clear();
      },
      "label is text, but the classes have no names");
}

}  // namespace
}  // namespace openworld
