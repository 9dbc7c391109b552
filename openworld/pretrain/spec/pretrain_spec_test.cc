#include "openworld/pretrain/spec/pretrain_spec.h"

#include <nlohmann/json.hpp>
#include <set>

#include "openworld/io/json_fields.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

const Origin kOrigin{"pretrain", "state.safetensors"};

PretrainRecord read(const nlohmann::json& json) {
  return read_pretrain_record(JsonFields(json, "", kOrigin));
}

// A value that the option does not have yet.
OptionValue another(const OptionRow& row) {
  const OptionValue value = row.value();
  if (const bool* flag = std::get_if<bool>(&value)) return !*flag;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole + 1;
  if (const double* number = std::get_if<double>(&value)) return *number == 1 ? 1.5 : 0.625;
  for (const char* text : {"image", "redraw", "other"}) {
    if (row.assign(std::string(text))) return std::string(text);
  }
  ADD_FAILURE() << row.name;
  return value;
}

// In which every option has another value than by default.
PretrainRecord changed_record() {
  PretrainRecord record;
  OptionList list;
  record.model.declare(list);
  record.training.declare(list);
  for (const OptionRow& row : list.rows()) {
    // A share may not be 1.5: those that are 1 by default have wider ranges.
    EXPECT_TRUE(row.assign(another(row))) << row.name;
  }
  record.data = "photos: 3 images";
  record.tensors_sha256 = "ab";
  record.vocabulary = 700;
  record.vocabulary_sha256 = "cd";
  record.training.seed = ~std::uint64_t{0};
  return record;
}

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
  for (const char* name : {"templates", "init", "lock", "epochs", "eps", "zoom_low", "merges"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(PretrainSpec, RecordsComeBackFromJson) {
  const PretrainRecord record = changed_record();
  const Json json = pretrain_record_json(record);
  EXPECT_EQ(pretrain_record_json(read(nlohmann::json::parse(json.dump()))), json);
  // No value of the defaults is left, so that a field that is not read would show.
  const Json defaults = pretrain_record_json({});
  for (const auto& [key, value] : defaults.items()) {
    if (value.is_object()) continue;
    EXPECT_NE(json[key], value) << key;
  }
  for (const auto& [key, value] : defaults["redraw"].items()) {
    EXPECT_NE(json["redraw"][key], value) << key;
  }
}

TEST(PretrainSpec, HasTheKeysOfEarlierVersions) {
  const Json json = pretrain_record_json({});
  for (const char* key :
       {"data",    "templates",    "long_tail",      "config",     "init",
        "lock",    "reinit",       "tensors_sha256", "vocabulary", "vocabulary_sha256",
        "epochs",  "batch",        "extra_captions", "naming",     "lr",
        "warmup",  "weight_decay", "beta1",          "beta2",      "eps",
        "clip",    "shared",       "smoothing",      "centre",     "average",
        "augment", "redraw",       "shards",         "half",       "seed"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["redraw"]["zoom"], Json::parse("[0.8, 1.1]"));
  EXPECT_EQ(json["augment"], "crop");
  EXPECT_EQ(json["lock"], "");
}

TEST(PretrainSpec, ReadsRecordsOfEarlierVersions) {
  const PretrainRecord record = read(nlohmann::json::parse(R"({
      "data": "pairs", "init": "model", "lock": "image", "fresh": "text", "epochs": 7,
      "lr": 1, "redraw": {"rotate": 3, "zoom": [0.5, 2]}, "seed": 4})"));
  EXPECT_EQ(record.model.init, "model");
  EXPECT_EQ(record.model.reinit, Tower::kText);
  EXPECT_EQ(record.training.locked, Tower::kImage);
  EXPECT_EQ(record.training.epochs, 7);
  EXPECT_EQ(record.training.lr, 1);
  EXPECT_EQ(record.training.redraw.rotate, 3);
  EXPECT_EQ(record.training.redraw.low, 0.5);
  EXPECT_EQ(record.training.redraw.high, 2);
  EXPECT_EQ(record.training.naming, 0);  // not there yet
}

TEST(PretrainSpec, RefusesInvalidRecordsByName) {
  for (const auto& [key, value, expected] :
       std::vector<std::tuple<const char*, const char*, const char*>>{
           {"epochs", "0", "epochs is 0; expected an integer from 1 to 1073741824"},
           {"lr", "\"fast\"", "lr is \"fast\"; expected a number from 0 to 1e+06"},
           {"augment", "\"blur\"", "augment is \"blur\"; expected crop, redraw or none"},
           {"lock", "\"both\"", "lock is \"both\"; expected image or text"},
           {"half", "1", "half is 1; expected true or false"},
           {"batch", "[1]", "batch is [1]"},
           {"seed", "-1", "seed is -1"},
           {"redraw", "{\"zoom\": 1}", "redraw.zoom is 1; expected two numbers"},
           {"redraw", "{\"flip\": 2}", "redraw.flip is 2; expected a number from 0 to 1"}}) {
    nlohmann::json json = {{"seed", 1}};
    json[key] = nlohmann::json::parse(value);
    EXPECT_ERROR(read(json), std::string("[pretrain] state.safetensors: ") + expected);
  }
}

TEST(PretrainSpec, NamesTheFirstDifference) {
  const PretrainRecord record = changed_record();
  expect_same_record(record, record, kOrigin);
  PretrainRecord other = record;
  other.training.epochs = 5;
  EXPECT_ERROR(expect_same_record(record, other, kOrigin),
               "[pretrain] state.safetensors: holds a run with epochs 31, not 5; use another "
               "folder, or restart");
  other = record;
  other.training.redraw.high = 3;
  EXPECT_ERROR(expect_same_record(record, other, kOrigin), "zoom [0.625,0.625], not [0.625,3.0]");
  other = record;
  other.training.threads = 3;
  expect_same_record(record, other, kOrigin);
}

TEST(PretrainSpec, RefusesContradictions) {
  PretrainSpec spec;
  spec.check();
  spec.training.redraw.low = 1.5;
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

TEST(PretrainSpec, CentresRandomTowersOnly) {
  PretrainSpec spec;
  EXPECT_TRUE(spec.centres());
  spec.model.init = "model";
  EXPECT_FALSE(spec.centres());
  spec.model.reinit = Tower::kText;
  EXPECT_FALSE(spec.centres());
  spec.training.locked = Tower::kImage;  // all that is trained is random
  EXPECT_TRUE(spec.centres());
  spec.training.centre = false;
  EXPECT_FALSE(spec.centres());
}

}  // namespace
}  // namespace openworld
