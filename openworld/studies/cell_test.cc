#include "openworld/studies/cell.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "openworld/io/json_fields.h"
#include "openworld/studies/test_studies.h"

namespace openworld {
namespace {

using testing::cells_of;

Cell plain_cell() {
  Cell cell;
  cell.model.path = "pocket";
  cell.model.sha256 = std::string(64, 'a');
  cell.data.path = "doodles:animals";
  cell.scenario.name = "recognition";
  cell.learner.name = "coop";
  cell.learner.options = {{"lr", 0.002}, {"tokens", std::int64_t{4}}};
  return cell;
}

// Known text and hash: ids must not change between versions of the program, or finished studies
// would be computed again. The hash is of `printf TEXT | sha256sum`.
TEST(Cell, IdIsTheHashOfItsIdentity) {
  const std::string text =
      R"({"data":{"path":"doodles:animals"},"learner":{"name":"coop","options":{"lr":0.002,"tokens":4}},)"
      R"("model":{"sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},)"
      R"("protocol":1,"scenario":{"name":"recognition","version":1},"seed":1,"shots":16})";
  EXPECT_EQ(cell_identity(plain_cell()), text);
  EXPECT_EQ(cell_id(plain_cell()),
            "e22f311d445a722555cd65ae0d875ff4f12950a73ebb953075901b440aa679ed");
}

TEST(Cell, NameIsReadable) {
  Cell cell = plain_cell();
  const std::string id = cell_id(cell);
  EXPECT_EQ(cell_name(cell, id),
            "coop-doodles_animals-recognition-16shots-seed1-" + id.substr(0, 8));
  cell.data.path = "../" + std::string(300, 'x') + "/\xc3\xa4 b/";
  cell.learner.name = "..";
  const std::string name = cell_name(cell, cell_id(cell));
  EXPECT_EQ(
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"),
      std::string::npos);
  EXPECT_LT(name.size(), 200u);
  EXPECT_NE(name[0], '.');
}

TEST(Cell, IdDependsOnWhatTheResultDependsOn) {
  const std::vector<std::function<void(Cell&)>> changes = {
      [](Cell& c) { c.model.sha256[5] = 'b'; },
      [](Cell& c) { c.model.activation = "gelu"; },
      [](Cell& c) { c.model.vocabulary = "v"; },
      [](Cell& c) { c.model.logit_scale = 50; },
      [](Cell& c) { c.data.path = "doodles:food"; },
      [](Cell& c) { c.data.train_split = "val"; },
      [](Cell& c) { c.data.test_split = "val"; },
      [](Cell& c) { c.data.test_data = "other"; },
      [](Cell& c) { c.data.image_root = "root"; },
      [](Cell& c) { c.data.names = "names"; },
      [](Cell& c) { c.data.format = "csv"; },
      [](Cell& c) { c.data.known = "0,1"; },
      [](Cell& c) { c.data.unknown = "mnist"; },
      [](Cell& c) { c.data.unknown_split = "val"; },
      [](Cell& c) { c.data.base = "all"; },
      [](Cell& c) { c.data.templates = "a {}"; },
      [](Cell& c) { c.data.keep_underscores = true; },
      [](Cell& c) { c.data.allow_duplicate_names = true; },
      [](Cell& c) { c.data.allow_fewer = true; },
      [](Cell& c) { c.scenario.name = "ratio"; },
      [](Cell& c) { c.scenario.version = 2; },
      [](Cell& c) {
        c.scenario.options = {{"factor", 0.2}};
      },
      [](Cell& c) { c.learner.name = "kgcoop"; },
      [](Cell& c) { c.learner.shot_rule = "coop"; },
      [](Cell& c) { c.learner.views = 2; },
      [](Cell& c) { c.learner.augment = true; },
      [](Cell& c) { c.learner.options[0].value = 0.003; },
      [](Cell& c) { c.learner.options.pop_back(); },
      [](Cell& c) { c.shots = 4; },
      [](Cell& c) { c.seed = 2; }};
  std::set<std::string> ids = {cell_id(plain_cell())};
  for (const auto& change : changes) {
    Cell cell = plain_cell();
    change(cell);
    EXPECT_TRUE(ids.insert(cell_id(cell)).second) << cell_identity(cell);
    EXPECT_EQ(cell_differences(plain_cell(), cell).size(), 1u);
    const nlohmann::json json = cell_json(cell);
    const Origin origin{"test", "study.json"};
    EXPECT_EQ(cell_identity(read_cell(JsonFields(json, "", origin))), cell_identity(cell));
  }
}

TEST(Cell, IdDoesNotDependOnLabelsAndPlaces) {
  Cell cell = plain_cell();
  cell.model.path = "/elsewhere/pocket";
  cell.model.label = cell.data.label = cell.scenario.label = cell.learner.label = "x";
  EXPECT_EQ(cell_id(cell), cell_id(plain_cell()));
  EXPECT_TRUE(cell_differences(cell, plain_cell()).empty());
}

TEST(Cell, DifferencesNameTheField) {
  Cell now = plain_cell();
  now.learner.options = {{"epochs", std::int64_t{5}}, {"lr", 0.01}, {"tokens", std::int64_t{4}}};
  std::vector<std::string> texts;
  for (const auto& [field, was, is] : cell_differences(plain_cell(), now)) {
    texts.push_back(field + ": " + was + ", " + is);
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"learner.options.lr: 0.002, 0.01",
                                             "learner.options.epochs: not given, 5"}));
}

TEST(Cell, SamePlanGivesTheSameIds) {
  const std::string plan =
      "models=['m']\ndata=['d']\nseeds='1-3'\nlearners=[{name='c',options={lr=[1,2]}}]";
  const std::vector<StudyCell> one = cells_of(plan), two = cells_of(plan);
  ASSERT_EQ(one.size(), 6u);
  std::set<std::string> ids;
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].id, two[i].id);
    EXPECT_EQ(one[i].name, two[i].name);
    EXPECT_TRUE(ids.insert(one[i].id).second);
  }
}

}  // namespace
}  // namespace openworld
