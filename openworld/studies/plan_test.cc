#include "openworld/studies/plan.h"

#include <gtest/gtest.h>

#include <set>

#include "openworld/studies/test_studies.h"

namespace openworld {
namespace {

using testing::cells_of;

Plan parse(const std::string& text) {
  return parse_plan(text, {"study", "plan.toml"});
}

constexpr auto kPlan = R"(name = "small"
models = ["pocket", {path = "b.safetensors", activation = "gelu", logit_scale = 50}]
data = ["doodles:animals"]
scenarios = ["recognition", {name = "domain", options = {looks = ["line", "filled"], n = 3}}]
shots = [4, 16]
seeds = "1-3"

[[learners]]
name = "coop"
options = {tokens = [4, 16], lr = [0.002, 0.01], optimizer = "sgd"}

[[learners]]
name = "zero-shot"
label = "CLIP"
)";

TEST(Plan, ReadsEveryField) {
  const Plan plan = parse(kPlan);
  EXPECT_EQ(plan.name, "small");
  ASSERT_EQ(plan.models.size(), 2u);
  EXPECT_EQ(plan.models[0].model.path, "pocket");
  EXPECT_EQ(plan.models[1].model.activation, "gelu");
  EXPECT_EQ(plan.models[1].model.logit_scale, 50);
  ASSERT_EQ(plan.scenarios.size(), 2u);
  const OptionValues options = {{"looks", std::string("line,filled")}, {"n", std::int64_t{3}}};
  EXPECT_EQ(plan.scenarios[1].scenario.options, options);
  EXPECT_EQ(plan.shots, (std::vector<std::int64_t>{4, 16}));
  EXPECT_EQ(plan.seeds, (std::vector<std::int64_t>{1, 2, 3}));
  ASSERT_EQ(plan.learners.size(), 2u);
  EXPECT_EQ(plan.learners[0].line, 8);
  EXPECT_EQ(plan.learners[1].learner.label, "CLIP");
  EXPECT_EQ(plan.size(), 2u * 1 * 2 * (4 + 1) * 2 * 3);
  EXPECT_EQ(plan.size(), cells_of(kPlan).size());
}

TEST(Plan, TakesLooksAndTargetsWithTheScenarioOrTheData) {
  const std::string learners = "models=['m']\nlearners=['coop']\n";
  const std::string plain = learners + "data=['d']\nscenarios=['domain']";
  const Plan plan = parse(learners +
                          "data=[{path='d', targets='food,home'}]\n"
                          "scenarios=[{name='domain', looks=['chalk', 'crayon']}]");
  EXPECT_EQ(plan.data[0].data.targets, "food,home");
  EXPECT_EQ(plan.scenarios[0].scenario.looks, "chalk,crayon");
  // They are part of what a cell is.
  const std::string looks = learners + "data=['d']\nscenarios=[{name='domain', looks='chalk'}]";
  const std::string of_data = learners + "data=[{path='d', looks='chalk'}]\nscenarios=['domain']";
  EXPECT_NE(cells_of(plain)[0].id, cells_of(looks)[0].id);
  EXPECT_NE(cells_of(plain)[0].id, cells_of(of_data)[0].id);
  EXPECT_NE(cells_of(looks)[0].id, cells_of(of_data)[0].id);
  EXPECT_ERROR(parse(learners + "data=['d']\nscenarios=[{name='domain', looks=[]}]"),
               "line 4: \"looks\" is an empty list");
  EXPECT_ERROR(parse(learners + "data=['d']\nscenarios=[{name='domain', looks=['a', 'a']}]"),
               "line 4: \"looks\" has the value a twice");
  EXPECT_ERROR(parse(learners + "data=[{path=['d', 'e']}]"), "line 3: \"path\" is a list");
}

TEST(Plan, HasDefaults) {
  const Plan plan = parse("models=['m']\ndata=['d']\nlearners=['coop']");
  EXPECT_EQ(plan.scenarios[0].scenario.name, "recognition");
  EXPECT_EQ(plan.shots, std::vector<std::int64_t>{16});
  EXPECT_EQ(plan.seeds, std::vector<std::int64_t>{1});
  EXPECT_EQ(plan.data[0].data.base, "half");
}

TEST(Plan, ExpandsInAFixedOrder) {
  const std::vector<StudyCell> cells = cells_of(
      "models=['m','n']\ndata=['d','e']\nseeds=[2,1]\nshots=[4,1]\n"
      "learners=[{name='coop',options={b=[1,2],a=['x','y']}},'clip']");
  ASSERT_EQ(cells.size(), 2u * 2 * 5 * 2 * 2);
  const auto text = [&](std::size_t i) { return cell_text(cells[i].cell); };
  EXPECT_EQ(text(0), "coop a=x b=1 on d, recognition, 4 shots, seed 2");
  EXPECT_EQ(text(1), "coop a=x b=1 on d, recognition, 4 shots, seed 1");
  EXPECT_EQ(text(2), "coop a=x b=1 on d, recognition, 1 shots, seed 2");
  EXPECT_EQ(text(4), "coop a=x b=2 on d, recognition, 4 shots, seed 2");
  EXPECT_EQ(text(8), "coop a=y b=1 on d, recognition, 4 shots, seed 2");
  EXPECT_EQ(text(16), "clip on d, recognition, 4 shots, seed 2");
  EXPECT_EQ(text(20), "coop a=x b=1 on e, recognition, 4 shots, seed 2");
  EXPECT_EQ(cells[39].cell.model.path, "m");
  EXPECT_EQ(cells[40].cell.model.path, "n");
}

struct Refusal {
  const char* text;
  const char* says;
};

class Refused : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refused, WithTheLine) {
  EXPECT_ERROR(cells_of(GetParam().text), GetParam().says);
  EXPECT_ERROR(cells_of(GetParam().text), "[study] plan.toml: ");
}

const std::string& deep_plan() {
  static const std::string kText = [] {
    std::string text;
    for (int i = 0; i < 30'000; ++i) text += "a.";
    return text + "a=1";
  }();
  return kText;
}

const std::string& long_plan() {
  static const std::string kText(kMostPlanBytes + 1, '\n');
  return kText;
}

INSTANTIATE_TEST_SUITE_P(
    Plans, Refused,
    ::testing::Values(
        Refusal{"models = [\n'a'\n'b']", "line 3: not valid TOML: "},
        Refusal{"models=['m']\n\nlearner=['coop']",
                "line 3: unknown key \"learner\"; did you mean learners?"},
        Refusal{"models=['m']\ndata=['d']\n[[learners]]\nname='coop'\nepochs=3",
                "line 5: unknown key \"epochs\""},
        Refusal{"models=[{path='m',\nactivaton='gelu'}]", "not valid TOML"},
        Refusal{"models=['m']\ndata=[{path='d', test_splt='x'}]\nlearners=['c']",
                "line 2: unknown key \"test_splt\"; did you mean test_split?"},
        Refusal{"models=['m']\ndata=['d']\n[[learners]]\nname='c'\nviews=-1",
                "line 5: views is -1; expected an integer from 0 to 65536"},
        Refusal{"models=['m']\ndata=['d']\n[[learners]]\nname='c'\nshot_rule='cop'",
                "line 5: shot_rule is \"cop\"; expected auto, coop or decoop"},
        Refusal{"models=[{path='m', activation=3}]\ndata=['d']\nlearners=['c']",
                "line 1: activation is 3; expected quick_gelu or gelu"},
        Refusal{"data=['d']\nlearners=['c']", "models is missing"},
        Refusal{"models=['m']\ndata=[]\nlearners=['c']", "line 2: data is an empty list"},
        Refusal{"models='m'\ndata=['d']\nlearners=['c']",
                "line 1: models is text; expected a list"},
        Refusal{"models=['m']\ndata=[3]\nlearners=['c']",
                "line 2: an entry of data is 3; expected a name or a table"},
        Refusal{"models=['m']\ndata=['']\nlearners=['c']", "line 2: an entry of data has no path"},
        Refusal{"models=['m']\ndata=['d']\n[[learners]]\nlabel='x'",
                "line 3: an entry of learners has no name"},
        Refusal{"models=['m']\ndata=['d']\nlearners=['c']\nseeds='3-1'", "line 4: seeds are '3-1'"},
        Refusal{"models=['m']\ndata=['d']\nlearners=['c']\nseeds=[1,\n1]",
                "line 5: seeds has 1 twice"},
        Refusal{"models=['m']\ndata=['d']\nlearners=['c']\nshots=-1",
                "line 4: shots has -1; expected whole numbers"},
        Refusal{"models=['m']\ndata=['d']\nlearners=['c']\nshots=[]",
                "line 4: shots is an empty list"},
        Refusal{"models=['m']\ndata=['d']\nlearners=['c']\nname=2000-01-01",
                "line 4: name is a date or a time; expected text"},
        Refusal{"models=['m']\ndata=['d']\nlearners=[{name='c',options={lr=[]}}]",
                "line 3: \"lr\" is an empty list"},
        Refusal{"models=['m']\ndata=['d']\nlearners=[{name='c',options={lr=[1,2,1]}}]",
                "line 3: \"lr\" has the value 1 twice"},
        Refusal{"models=['m']\ndata=['d']\nlearners=[{name='c',options={lr=nan}}]",
                "line 3: \"lr\" is nan; expected true, false, a finite number or text"},
        Refusal{"models=['m']\ndata=['d']\nlearners=[{name='c',options={lr={a=1}}}]",
                "line 3: \"lr\" is a table"},
        Refusal{"models=['m']\ndata=['d']\nlearners=[{name='c',options=3}]",
                "line 3: options is 3; expected a table"},
        Refusal{"models=['m']\ndata=['d']\nlearners=['c','c']", "has the cell c on d, recognition"},
        Refusal{"models=['m']\ndata=['d']\nlearners=['c']\nseeds='1-9999'\nshots=[1,2,3,4,5,6,7,8,"
                "9,10,11]",
                "has more than 100000 cells"},
        Refusal{deep_plan().c_str(), "has more than 4096 dots"},
        Refusal{long_plan().c_str(), "has 65537 bytes; a plan has at most 65536"}));

TEST(Plan, SizeDoesNotOverflow) {
  std::string text = "models=['m']\ndata=['d']\nlearners=[{name='c',options={";
  for (int i = 0; i < 64; ++i) text += "o" + std::to_string(i) + "=[1,2],";
  text.back() = '}';
  EXPECT_ERROR(parse(text + "}]"), "has more than 100000 cells");
}

// Every cell has the label.
TEST(Plan, LimitsTheTextOfAllCells) {
  const std::string text = "models=['m']\ndata=['d']\nseeds='1-10000'\nlearners=[{name='c',label='";
  EXPECT_EQ(testing::cells_of(text + std::string(10'000, 'x') + "'}]").size(), 10'000u);
  EXPECT_ERROR(testing::cells_of(text + std::string(40'000, 'x') + "'}]"),
               "plan.toml: has 10000 cells with up to 40");
}

// There is the model m, the dataset d, and the learner c with the option lr = 1.
class FewNames : public testing::PathResolver {
 public:
  std::string model_sha256(const CellModel& model) override {
    if (model.path != "m") fail("open", model.path + ": no such file");
    return testing::PathResolver::model_sha256(model);
  }
  void check_data(const CellData& data, const CellScenario&) override {
    if (data.path != "d") fail("open", data.path + ": no such dataset");
  }
  void check_learner(const CellLearner& learner, const CellScenario&) override {
    if (learner.name != "c") fail("find", "no learner " + learner.name);
    for (const auto& [name, value] : learner.options) {
      if (name != "lr") fail("set", "no option " + name);
      if (option_text(value) != "1") fail("set", "lr is " + option_text(value));
    }
  }
};

TEST(Plan, RefusalsOfTheResolverNameTheLine) {
  FewNames resolver;
  const Origin origin{"study", "plan.toml"};
  const auto expand = [&](const std::string& text) {
    return expand_plan(parse(text), resolver, origin).size();
  };
  EXPECT_EQ(expand("data=['d']\nlearners=[{name='c',options={lr=1}}]\nmodels=['m']"), 1u);
  EXPECT_ERROR(expand("data=['d']\nlearners=['c']\nmodels=['n']"),
               "[study] plan.toml: line 3: n: no such file");
  EXPECT_ERROR(expand("data=['d',\n'e']\nlearners=['c']\nmodels=['m']"),
               "[study] plan.toml: line 2: e: no such dataset");
  EXPECT_ERROR(expand("data=['d']\nmodels=['m']\n[[learners]]\nname='c'\n[[learners]]\nname='k'"),
               "[study] plan.toml: line 5: no learner k");
  EXPECT_ERROR(expand("data=['d']\nmodels=['m']\n[[learners]]\nname='c'\noptions.lr=1\n"
                      "options.lrr=1"),
               "[study] plan.toml: line 6: no option lrr");
  EXPECT_ERROR(expand("data=['d']\nmodels=['m']\n[[learners]]\nname='c'\noptions.lr=[1,2]"),
               "[study] plan.toml: line 5: lr is 2");
}

}  // namespace
}  // namespace openworld
