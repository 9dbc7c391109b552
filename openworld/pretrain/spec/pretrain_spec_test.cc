#include "openworld/pretrain/spec/pretrain_spec.h"

#include <set>

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

TEST(PretrainSpec, DeclaresEveryOptionOnce) {
  PretrainSpec spec;
  OptionList list;
  spec.declare(list);
  spec.declare_unrecorded(list);
  std::set<std::string> names;
  for (const OptionRow& row : list.rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.help.empty()) << row.name;
  }
  for (const char* name : {"templates", "init", "lock", "epochs", "eps", "zoom_low", "merges",
                           "outline", "warp", "views", "words", "name_share", "batch_norm"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(PretrainSpec, RefusesContradictions) {
  PretrainSpec spec;
  spec.check();
  spec.source.augmentation.redraw.low = 1.5;
  EXPECT_ERROR(spec.check(), "[pretrain] zoom is 1.5 1.1; expected two factors above 0");
  spec = {};
  spec.training.locked = Tower::kText;
  EXPECT_ERROR(spec.check(), "lock is text, which would keep a tower with a random init");
  spec.model.init = "model";
  spec.check();
  spec.model.reinit = Tower::kText;
  EXPECT_ERROR(spec.check(), "lock is text");
  spec.model.reinit = Tower::kImage;
  spec.check();
  spec.model.init = "";
  EXPECT_ERROR(spec.check(), "reinit is image without init");
}

TEST(PretrainSpec, RefusesLossesThatCannotBe) {
  PretrainSpec spec;
  spec.training.weights.pairs = 0;
  EXPECT_ERROR(spec.check(), "no loss has a weight; expected one of pairs, naming, words,");
  spec.training.weights.words = 1;
  spec.check();
  spec.training.locked = Tower::kText;  // which no loss reads
  spec.check();
  spec.training.weights.texts = 1;
  spec.training.locked = Tower::kNeither;
  spec.check();
  spec.training.weights.words = 0;
  EXPECT_ERROR(spec.check(), "texts needs vectors of names; expected words above 0");
  spec.training.weights.texts = 0;
  spec.training.weights.guesses = 1;
  EXPECT_ERROR(spec.check(), "guesses needs vectors of names; expected words above 0");
  spec = {};
  spec.model.init = "model";
  spec.training.locked = Tower::kImage;
  spec.training.reuse = 4;
  spec.check();
  spec.training.weights.agreement = 1;
  EXPECT_ERROR(spec.check(),
               "lock is image, but words, agreement and guesses train the image tower");
  spec.training.weights.agreement = 0;
  spec.training.locked = Tower::kNeither;
  EXPECT_ERROR(spec.check(), "reuse is 4 without lock image");
  spec = {};
  spec.model.batch_norm = true;
  spec.check();
  spec.model.init = "model";
  EXPECT_ERROR(spec.check(), "batch_norm needs statistics that a checkpoint does not have");
  spec.model.reinit = Tower::kImage;
  spec.check();
}

TEST(PretrainSpec, CentresRandomTowersOnly) {
  PretrainSpec spec;
  const auto centres = [&](std::size_t stage) { return spec.all_stages()[stage].training.centre; };
  EXPECT_TRUE(centres(0));
  spec.model.init = "model";
  EXPECT_FALSE(centres(0));
  spec.model.reinit = Tower::kText;
  EXPECT_FALSE(centres(0));
  spec.training.locked = Tower::kImage;  // all that is trained is random
  EXPECT_TRUE(centres(0));
  spec.training.centre = false;
  EXPECT_FALSE(centres(0));
}

// Image against words, then text on the locked image tower, then both.
PretrainSpec three_stages() {
  PretrainSpec spec;
  spec.sources = {{.name = "icons", .data = "icons"}};
  spec.stages.resize(3);
  spec.stages[0].name = "words";
  spec.stages[0].training.weights = {.pairs = 0, .words = 1};
  spec.stages[1].name = "text";
  spec.stages[1].training.locked = Tower::kImage;
  spec.stages[1].training.weights.texts = 1;
  spec.stages[2].name = "both";
  return spec;
}

TEST(PretrainSpec, StagesBuildOnEachOther) {
  PretrainSpec spec = three_stages();
  spec.check();
  EXPECT_TRUE(spec.learns_words());
  const std::vector<StageSpec> stages = spec.all_stages();
  EXPECT_FALSE(stages[0].training.centre);  // nothing is compared with texts
  EXPECT_TRUE(stages[1].training.centre);
  EXPECT_FALSE(stages[2].training.centre);
  EXPECT_EQ(stages[0].training.seed, spec.training.seed);
  EXPECT_NE(stages[1].training.seed, stages[0].training.seed);
  EXPECT_NE(stages[2].training.seed, stages[1].training.seed);
  std::swap(spec.stages[0], spec.stages[1]);
  EXPECT_ERROR(spec.check(),
               "stage text: lock is image, which would keep a tower with a random init; expected "
               "init, and another reinit than image, or a stage before that trains it");
  spec = three_stages();
  spec.stages.erase(spec.stages.begin());
  spec.model.init = "model";
  EXPECT_ERROR(spec.check(), "stage text: texts needs vectors of names");
}

}  // namespace
}  // namespace openworld
