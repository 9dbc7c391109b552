#include "openworld/openset/open_set_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/io/dump_line.h"
#include "openworld/io/json_file.h"
#include "openworld/openset/test_open_set.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

const Origin kOrigin{"read", "x.npz"};

struct Case {
  const char* measures = "all";
  std::int32_t extra = 0;
  ExtraRole role = ExtraRole::kNegative;
  std::vector<std::uint32_t> seeds{};
  OpenSetCi ci = OpenSetCi::kAuto;
  OutputActivation activation = OutputActivation::kSoftmax;
  double gain = 4;  // of the true class
};

// The JSON of a test on random logits of six classes.
Json result_of(const Case& c) {
  constexpr std::int32_t kClasses = 6;
  constexpr std::size_t kImages = 60;
  const auto columns = static_cast<std::size_t>(kClasses + c.extra);
  auto logits = random_logits<float>(kImages, columns, 2, 7);
  const auto label = random_labels(kImages, kClasses, 7);
  for (std::size_t i = 0; i < kImages; ++i) {
    logits[i * columns + label[i]] += static_cast<float>(c.gain);
  }
  OpenSetPlan plan;
  plan.form.activation = c.activation;
  plan.measures = find_uncertainties(c.measures, c.activation);
  plan.classes = kClasses;
  plan.role = c.role;
  if (c.extra > 2) plan.counts = {2};
  plan.seeds = c.seeds;
  if (!c.seeds.empty()) plan.sizes = {1, 3, kClasses};
  const auto source = stored_logits(matrix_of(std::move(logits), columns), "logits", kOrigin);
  const OpenSetScores scores = run_open_set(*source, label, plan, kOrigin);
  const OpenSetCiOptions options{.kind = c.ci, .bootstrap = {.resamples = 20, .seed = 1u << 31}};
  OpenSetReport report = report_open_set(scores, options);
  report.pairs = compare_measures(scores, 0, options);
  adjust_pairs(report.pairs);
  OpenSetContext context{.sources = {{"texts", "t \u00e9.npz"}, {"images", "i.npz"}},
                         .extra_names = {"one", "two"}};
  if (c.ci != OpenSetCi::kNone) context.bootstrap = {20, 1u << 31};
  if (c.extra == 0) context.extra_names.clear();
  return open_set_json(report, context);
}

Json parsed(const std::string& text) {
  return parse_ordered_json(text, kOrigin);
}

TEST(OpenSetJson, ReadsWhatItWrote) {
  const Case cases[] = {
      {},
      {.measures = "entropy,softmax,cosine"},  // an order of its own
      {.extra = 5, .seeds = {0, 1, 2}},
      {.extra = 4, .role = ExtraRole::kClass, .seeds = {3}},
      {.extra = 3, .ci = OpenSetCi::kNone},
      {.activation = OutputActivation::kSigmoid},
      {.seeds = {0, 1}, .ci = OpenSetCi::kBootstrap},
      {.gain = -100},  // no true positive is left, and so no metric
      {.gain = 100},   // no closed-set error
  };
  for (const Case& c : cases) {
    const std::string text = dump_line(result_of(c));
    const StoredOpenSet stored = read_open_set_json(parsed(text), "", kOrigin);
    EXPECT_EQ(dump_line(open_set_json(stored.report, stored.context)), text);
  }
}

TEST(OpenSetJson, KeepsWhatFiguresNeed) {
  const Json json = result_of({.extra = 5, .seeds = {0, 1}});
  const StoredOpenSet stored = read_open_set_json(json, "", kOrigin);
  EXPECT_EQ(stored.report.images, 60);
  EXPECT_EQ(stored.report.by_extra.size(), 3u);
  EXPECT_EQ(stored.report.efficacies.size(), 5u);
  EXPECT_EQ(stored.context.extra_names, (std::vector<std::string>{"one", "two"}));
  ASSERT_EQ(stored.report.growth.size(), 3u);
  EXPECT_EQ(stored.report.growth[1].by_seed.size(), 2u);
  EXPECT_EQ(stored.report.growth[1].metrics.size(), stored.report.all.open_set.size());
  EXPECT_EQ(stored.report.pairs.size(), stored.report.all.open_set.size() - 1);
}

struct Spoiled {
  const char* pointer;
  const char* value;  // JSON, or "" to remove
  const char* says;
};

class SpoiledResult : public ::testing::TestWithParam<Spoiled> {};

TEST_P(SpoiledResult, IsRefusedByItsField) {
  const auto& [pointer, value, says] = GetParam();
  Json json = result_of({.measures = "softmax,entropy", .extra = 5, .seeds = {0, 1}});
  const Json::json_pointer at(pointer);
  ASSERT_TRUE(json.contains(at)) << pointer;
  if (*value == '\0') {
    json[at.parent_pointer()].erase(at.back());
  } else {
    json[at] = parsed(value);
  }
  try {
    read_open_set_json(json, "meta.result", kOrigin);
    FAIL() << pointer << " " << value;
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("[read] x.npz: ")) << message;
    EXPECT_NE(message.find(says), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    OpenSetJson, SpoiledResult,
    ::testing::Values(
        Spoiled{"/schema", "\"openworld.openset/9\"",
                "meta.result.schema is \"openworld.openset/9\"; expected openworld.openset/1"},
        Spoiled{"/options", "", "has no meta.result.options object"},
        Spoiled{"/options/activation", "\"relu\"",
                "options.activation is \"relu\"; expected softm"},
        Spoiled{"/options/logit_scale", "0", "options.logit_scale is 0; expected a number from"},
        Spoiled{"/options/level", "2", "options.level is 2; expected a number from 0 to 1"},
        Spoiled{"/options/seed", "-1", "options.seed is -1; expected a whole number"},
        Spoiled{"/options/resamples", "0", "options.resamples is 0; expected a whole number"},
        Spoiled{"/classes", "null", "meta.result.classes is null; expected a whole number"},
        Spoiled{"/classes", "1.5", "meta.result.classes is 1.5; expected a whole number"},
        Spoiled{"/classes", "99999999999", "classes is 99999999999; expected a whole number"},
        Spoiled{"/negatives", "-1", "negatives is -1; expected a whole number"},
        Spoiled{"/images", "0", "images is 0; expected a whole number from 1"},
        Spoiled{"/tp", "61", "tp is 61; expected a whole number from 0 to 60"},
        Spoiled{"/closed_set_rejected", "60", "closed_set_rejected is 60; expected"},
        Spoiled{"/open_set_rejected", "61", "open_set_rejected is 61; expected"},
        Spoiled{"/accuracy", "1.5", "accuracy is 1.5; expected a number from 0 to 1"},
        Spoiled{"/accuracy", "\"x\"", "accuracy is \"x\"; expected a number"},
        Spoiled{"/accuracy_interval", "null", "accuracy_interval is null; expected an interval"},
        Spoiled{"/accuracy_interval/high", "-1", "accuracy_interval.high is -1; expected at least"},
        Spoiled{"/accuracy_interval/method", "\"magic\"", "method is \"magic\"; expected one of"},
        Spoiled{"/accuracy_interval/level", "1", "accuracy_interval.level is 1; expected between"},
        Spoiled{"/measures", "[]", "measures is []; expected an object with a measure or more"},
        Spoiled{"/measures", "{}", "measures is {}; expected an object with a measure or more"},
        Spoiled{"/measures", "{\"hope\": {}}", "measures.hope is {}; expected a known measure"},
        Spoiled{"/measures", "{\"sigmoid\": {}}", "a known measure of softmax models"},
        Spoiled{"/measures/softmax", "3", "has no meta.result.measures.softmax object"},
        Spoiled{"/measures/entropy", "", "by_extra[0].measures is"},
        Spoiled{"/measures/softmax/aupr", "", "has no meta.result.measures.softmax.aupr object"},
        Spoiled{"/measures/softmax/aupr/value", "-0.1", "softmax.aupr.value is -0.1; expected"},
        Spoiled{"/measures/softmax/aupr/value", "null", "softmax.aupr.why is null; expected why"},
        Spoiled{"/measures/softmax/aupr/interval", "7",
                "no meta.result.measures.softmax.aupr.inte"},
        Spoiled{"/measures/softmax/closed_set", "", "no meta.result.measures.softmax.closed_set"},
        Spoiled{"/source/images", "3", "source.images is 3; expected a string"},
        Spoiled{"/by_extra", "{}", "by_extra is {}; expected a list"},
        Spoiled{"/by_extra/1", "3", "has no meta.result.by_extra[1] object"},
        Spoiled{"/by_extra/1/count", "0", "by_extra[1].count is 0; expected a whole number from 1"},
        Spoiled{"/by_extra/2/count", "6", "by_extra[2].count is 6; expected a whole number from 3"},
        Spoiled{"/by_extra/0/measures/softmax", "", "by_extra[0].measures is"},
        Spoiled{"/efficacy/1/query", "0", "efficacy[1].query is 0; expected a whole number from 1"},
        Spoiled{"/efficacy/1/n_open", "61", "efficacy[1].n_open is 61; expected a whole number"},
        Spoiled{"/efficacy/1/name", "[]", "efficacy[1].name is []; expected a string"},
        Spoiled{"/growth/0/size", "7", "growth[0].size is 7; expected a whole number from 1 to 6"},
        Spoiled{"/growth/0/measures", "{}", "growth[0].measures is {}; expected the same 2"},
        Spoiled{"/growth/1/accuracy/seeds", "0", "growth[1].accuracy.seeds is 0; expected"},
        Spoiled{"/growth/1/accuracy/sd", "null", "accuracy.sd is null; expected a number where"},
        Spoiled{"/growth/1/accuracy/interval", "null", "accuracy.interval is null; expected an"},
        Spoiled{"/growth/1/tp_by_seed", "[1]", "growth[1].tp_by_seed is [1]; expected 2 numbers"},
        Spoiled{"/growth/1/ose_by_seed", "[1, -1]", "expected a list of whole numbers"},
        Spoiled{"/growth/1/images_by_seed", "[]", "images_by_seed is []; expected a list of a num"},
        Spoiled{"/pairs/0/first", "4", "pairs[0].first is 4; expected a string"},
        Spoiled{"/pairs/0/metrics", "", "has no meta.result.pairs[0].metrics object"},
        Spoiled{"/pairs/0/metrics/auroc/first", "null", "auroc.why is null; expected why first"},
        Spoiled{"/pairs/0/metrics/auroc/difference", "2",
                "difference is 2; expected a number from"},
        Spoiled{"/pairs/0/metrics/auroc/p_value", "2", "auroc.p_value is 2; expected a number"}));

}  // namespace
}  // namespace openworld
