#include "openworld/runs/run_spec.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "openworld/io/test_util.h"
#include "openworld/runs/test_util.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

RunSpec parse(const std::string& text) {
  return parse_run_spec(std::as_bytes(std::span(text)), {"f", "run.json"});
}

// Every place in the JSON, deepest first: a path of keys; of a list, the first entry.
void collect(const Json& json, const Json::json_pointer& at,
             std::vector<Json::json_pointer>& places) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) collect(value, at / key, places);
  } else if (json.is_array() && !json.empty()) {
    collect(json[0], at / 0, places);
  }
  if (!at.empty()) places.push_back(at);
}

TEST(RunSpec, ComesBackAsItWasWritten) {
  const RunSpec spec = full_spec();
  const RunSpec read = parse(run_spec_text(spec));
  using Sorted = nlohmann::json;  // options are read in the order of their names
  EXPECT_EQ(Sorted::parse(run_spec_text(read)), Sorted::parse(run_spec_text(spec)));
  EXPECT_EQ(read.model, spec.model);
  EXPECT_EQ(read.data, spec.data);
  EXPECT_EQ(read.classes, spec.classes);
  EXPECT_EQ(read.seed, spec.seed);
  EXPECT_NO_THROW(expect_same_run(read, spec, {"f", "run.json"}));
}

TEST(RunSpec, WritesAssumptionsOnlyWhereThereAreSome) {
  RunSpec spec = full_spec();
  EXPECT_EQ(parse(run_spec_text(spec)).model.assumptions, spec.model.assumptions);
  spec.model.assumptions.clear();
  EXPECT_FALSE(Json::parse(run_spec_text(spec))["model"].contains("assumptions"));
}

TEST(RunSpec, WritesTheDeviceOnlyWhereItIsNotTheCpu) {
  RunSpec spec = full_spec();
  spec.model.device = "cpu";
  EXPECT_FALSE(Json::parse(run_spec_text(spec))["model"].contains("device"));
  spec.model.device = "cuda:1";
  EXPECT_EQ(parse(run_spec_text(spec)).model.device, "cuda:1");
}

RunSpec network_spec() {
  RunSpec spec = full_spec();
  spec.base_classes = 2;
  spec.network = RunNetwork{.name = "vgg32",
                            .split = "cifar10:0",
                            .known = {6, 0},
                            .input = 3,
                            .unknown = "other",
                            .unknown_split = "test",
                            .unknown_sha256 = "03"};
  return spec;
}

TEST(RunSpec, NetworksComeBackAndNameTheirSplit) {
  const RunSpec spec = network_spec();
  const RunSpec read = parse(run_spec_text(spec));
  EXPECT_EQ(read.network, spec.network);
  EXPECT_EQ(read.data_name(), "cifar10:0");
  EXPECT_EQ(full_spec().data_name(), "pets");
  EXPECT_NO_THROW(expect_same_run(read, spec, {"f", "run.json"}));
  EXPECT_THROW(expect_same_run(full_spec(), spec, {"f", "run.json"}), Error);
  EXPECT_THROW(expect_same_run(spec, full_spec(), {"f", "run.json"}), Error);
}

TEST(RunSpec, RefusesNetworksThatDoNotFit) {
  const auto with = [](const char* key, const Json& value) {
    Json json = Json::parse(run_spec_text(network_spec()));
    json["network"][key] = value;
    return json.dump();
  };
  EXPECT_NO_THROW(parse(with("known", {1, 2})));
  EXPECT_THROW(parse(with("known", {1, 2, 3})), Error);
  EXPECT_THROW(parse(with("known", {1, -2})), Error);
  EXPECT_THROW(parse(with("known", "all")), Error);
  EXPECT_THROW(parse(with("input", 0)), Error);
  EXPECT_THROW(parse(with("name", "")), Error);
}

RunSpec scenario_spec() {
  RunSpec spec = full_spec();
  spec.scenario = {.name = "shift",
                   .version = 2,
                   .options = {{"levels", std::string("0,1")}},
                   .looks = {{"pets-sketch", "test", "03"}, {"pets-chalk", "", "04"}},
                   .targets = {}};
  return spec;
}

TEST(RunSpec, HasAScenarioOrNone) {
  const RunSpec spec = scenario_spec();
  EXPECT_EQ(parse(run_spec_text(spec)).scenario, spec.scenario);
  EXPECT_FALSE(Json::parse(run_spec_text(full_spec())).contains("scenario"));
  const Origin origin{"f", "run.json"};
  EXPECT_NO_THROW(expect_same_run(spec, spec, origin));
  EXPECT_ERROR(expect_same_run(spec, full_spec(), origin), "holds a run of the scenario shift");
  EXPECT_ERROR(expect_same_run(full_spec(), spec, origin), "holds a run with scenario null");
  RunSpec other = spec;
  other.scenario->looks[1].sha256 = "05";
  EXPECT_ERROR(expect_same_run(spec, other, origin), "looks");
  other = spec;
  other.scenario->options[0].value = std::string("0,0.5,1");
  EXPECT_ERROR(expect_same_run(spec, other, origin), "levels \"0,1\", not \"0,0.5,1\"");
}

TEST(RunSpec, OlderRunsKeepDefaults) {
  const RunSpec read = parse(R"({"schema": "openworld.run/1", "method": "coop", "title": "CoOp",
      "options": {}, "changed": {}, "seed": 3, "shots": 4, "model": {"path": "m"},
      "data": {"path": "d"}, "base_classes": 1, "classes": ["a", "b"]})");
  EXPECT_EQ(read.views, 0);
  EXPECT_EQ(read.plain_words, "a photo of a");
  EXPECT_EQ(read.model.device, "cpu");
  EXPECT_EQ(read.new_classes(), 1u);
}

// A run.json in which any entry is gone or of another kind is read or refused by name, never more.
TEST(RunSpec, AnyEntryGoneOrOfAnotherKind) {
  const Json whole = Json::parse(run_spec_text(full_spec()));
  std::vector<Json::json_pointer> places;
  collect(whole, Json::json_pointer(), places);
  ASSERT_GT(places.size(), 40u);
  int refused = 0;
  for (const auto& place : places) {
    for (const Json& other : {Json(), Json(-1), Json("\n"), Json::array({1}), Json{{"x", 1}}}) {
      Json spoilt = whole;
      if (other.is_null() && spoilt[place.parent_pointer()].is_object()) {
        spoilt[place.parent_pointer()].erase(place.back());
      } else {
        spoilt[place] = other;
      }
      const std::string error = testing::error_of([&] { parse(spoilt.dump()); });
      if (error == "no Error") continue;
      ++refused;
      EXPECT_EQ(error.find("[f] run.json: "), 0u) << place << " " << error;
      EXPECT_EQ(error.find('\n'), std::string::npos) << place << " " << error;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(RunSpec, RefusesByName) {
  const auto with = [](const char* place, Json value) {
    Json json = Json::parse(run_spec_text(full_spec()));
    json[Json::json_pointer(place)] = std::move(value);
    return json.dump();
  };
  EXPECT_ERROR(parse(with("/schema", "openworld.run/9")),
               "schema is \"openworld.run/9\"; expected openworld.run/1");
  EXPECT_ERROR(parse(with("/classes", {1, 2})), "classes is [1,2]; expected a list of texts");
  EXPECT_ERROR(parse(with("/base_classes", 0)), "base_classes is 0; expected 1 to 4");
  EXPECT_ERROR(parse(with("/base_classes", 5)), "base_classes is 5; expected 1 to 4");
  EXPECT_ERROR(parse(with("/model", "pocket")), "has no model object");
  EXPECT_ERROR(parse(with("/model/sha256", 3)), "model.sha256 is 3; expected a string");
  EXPECT_ERROR(parse(with("/seed", -1)), "seed is -1; expected a whole number below 2^64");
  EXPECT_ERROR(parse(with("/label", "a\nb")), "expected a name");
  EXPECT_ERROR(parse(with("/changed", Json{{"a b", 1}})), "names of options");
  EXPECT_ERROR(parse(with("/options", Json{{"lr", Json::array()}})), "options");
  EXPECT_ERROR(parse("[]"), "[f] run.json: ");
  EXPECT_ERROR(parse("{"), "not valid JSON");
}

TEST(RunSpec, NamesAsPromptsSayThem) {
  RunSpec spec = full_spec();
  EXPECT_EQ(spec.base_names(), (std::vector<std::string>{"ice cream", "cup"}));
  EXPECT_EQ(spec.new_names(), (std::vector<std::string>{"sea horse", "bus"}));
  spec.keep_underscores = true;
  EXPECT_EQ(spec.new_names(), (std::vector<std::string>{"sea_horse", "bus"}));
}

TEST(RunSpec, LabelsSayWhatWasChanged) {
  RunSpec spec = full_spec();
  spec.label = "";
  spec.changed = {{"lr", 0.5}, {"init", std::string("a photo")}, {"epochs", std::int64_t{3}}};
  EXPECT_EQ(spec.table_label(), "coop lr=0.5 init=\"a photo\" epochs=3");
  spec.label = "mine";
  EXPECT_EQ(spec.table_label(), "mine");
}

TEST(RunSpec, AnotherRunIsRefusedWithWhatDiffers) {
  const RunSpec was = full_spec();
  const auto difference = [&](auto change) {
    RunSpec now = was;
    change(now);
    return testing::error_of([&] { expect_same_run(was, now, {"tune", "D/run.json"}); });
  };
  EXPECT_EQ(difference([](RunSpec& now) { now.seed = 8; }),
            "[tune] D/run.json: holds a run with seed 7, not 8; use another folder, or restart");
  EXPECT_EQ(difference([](RunSpec& now) { now.options[0].value = std::int64_t{4}; }),
            "[tune] D/run.json: holds a run with tokens 16, not 4; use another folder, or restart");
  EXPECT_EQ(difference([](RunSpec& now) { now.data.test_split = "val"; }),
            "[tune] D/run.json: holds a run with test_split \"test\", not \"val\"; use another "
            "folder, or restart");
  EXPECT_EQ(difference([](RunSpec& now) { now.model.assumptions.clear(); }), "no Error");
  EXPECT_EQ(difference([](RunSpec& now) { std::swap(now.options[0], now.options[1]); }),
            "no Error");
}

}  // namespace
}  // namespace openworld
