#include "openworld/pretrain/spec/pretrain_record.h"

#include <nlohmann/json.hpp>

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

// Gives every option another value than by default.
void change(OptionList& list) {
  for (const OptionRow& row : list.rows()) {
    // A share may not be 1.5: those that are 1 by default have wider ranges.
    EXPECT_TRUE(row.assign(another(row))) << row.name;
  }
}

PretrainRecord changed_record() {
  PretrainRecord record;
  OptionList list;
  record.sources[0].options.declare(list);
  record.model.declare(list);
  record.words.declare(list);
  record.stages[0].training.declare(list);
  change(list);
  record.sources[0].data = "photos: 3 images";
  record.tensors_sha256 = "ab";
  record.vocabulary = 700;
  record.vocabulary_sha256 = "cd";
  record.word_vectors = 9;
  record.word_vectors_sha256 = "ef";
  record.stages[0].training.seed = ~std::uint64_t{0};
  return record;
}

// Two sources and two stages, all of whose options differ from the defaults.
PretrainRecord staged_record() {
  PretrainRecord record = changed_record();
  record.has_stages = true;
  record.sources[0].name = "icons";
  record.sources.push_back({"photos", "photos: 5 images", record.sources[0].options});
  record.stages[0].name = "words";
  record.stages[0].sources = {{"icons", 0.75}, {"photos", 0.5}};
  record.stages.push_back({"both", {{"photos", 1}}, record.stages[0].training});
  record.stages[1].training.lr = 3;
  return record;
}

TEST(PretrainRecord, ComesBackFromJson) {
  for (const PretrainRecord& record : {changed_record(), staged_record()}) {
    const Json json = pretrain_record_json(record);
    EXPECT_EQ(pretrain_record_json(read(nlohmann::json::parse(json.dump()))), json);
  }
  // No value of the defaults is left, so that a field that is not read would show.
  const Json json = pretrain_record_json(changed_record()), defaults = pretrain_record_json({});
  for (const auto& [key, value] : defaults.items()) {
    if (value.is_object()) continue;
    EXPECT_NE(json[key], value) << key;
  }
  for (const char* group : {"redraw", "lines"}) {
    for (const auto& [key, value] : defaults[group].items()) {
      EXPECT_NE(json[group][key], value) << key;
    }
  }
}

TEST(PretrainRecord, HasTheKeysOfEarlierVersions) {
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

TEST(PretrainRecord, ReadsThoseOfEarlierVersions) {
  const PretrainRecord record = read(nlohmann::json::parse(R"({
      "data": "pairs", "init": "model", "lock": "image", "fresh": "text", "epochs": 7,
      "lr": 1, "redraw": {"rotate": 3, "zoom": [0.5, 2]}, "seed": 4})"));
  EXPECT_EQ(record.model.init, "model");
  EXPECT_EQ(record.model.reinit, Tower::kText);
  const PretrainOptions& training = record.stages.at(0).training;
  EXPECT_EQ(training.locked, Tower::kImage);
  EXPECT_EQ(training.epochs, 7);
  EXPECT_EQ(training.lr, 1);
  const RedrawRange& redraw = record.sources.at(0).options.augmentation.redraw;
  EXPECT_EQ(redraw.rotate, 3);
  EXPECT_EQ(redraw.low, 0.5);
  EXPECT_EQ(redraw.high, 2);
  EXPECT_EQ(training.weights.naming, 0);  // not there yet
  EXPECT_EQ(training.weights.pairs, 1);
  EXPECT_FALSE(record.has_stages);
}

TEST(PretrainRecord, RefusesInvalidOnesByName) {
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
           {"redraw", "{\"flip\": 2}", "redraw.flip is 2; expected a number from 0 to 1"},
           {"lines", "{\"tint\": 2}", "lines.tint is 2; expected a number from 0 to 1"},
           {"stages", "[]", "has no sources object"}}) {
    nlohmann::json json = {{"seed", 1}};
    json[key] = nlohmann::json::parse(value);
    EXPECT_ERROR(read(json), std::string("[pretrain] state.safetensors: ") + expected);
  }
}

TEST(PretrainRecord, NamesTheFirstDifference) {
  const PretrainRecord record = changed_record();
  expect_same_record(record, record, kOrigin);
  PretrainRecord other = record;
  other.stages[0].training.epochs = 5;
  EXPECT_ERROR(expect_same_record(record, other, kOrigin),
               "[pretrain] state.safetensors: holds a run with epochs 31, not 5; use another "
               "folder, or restart");
  other = record;
  other.sources[0].options.augmentation.redraw.high = 3;
  EXPECT_ERROR(expect_same_record(record, other, kOrigin), "zoom [0.625,0.625], not [0.625,3.0]");
  other = record;
  other.stages[0].training.threads = 3;
  expect_same_record(record, other, kOrigin);
}

TEST(PretrainRecord, NamesTheStageThatDiffers) {
  const PretrainRecord record = staged_record();
  expect_same_record(record, record, kOrigin);
  PretrainRecord other = record;
  other.stages[1].training.lr = 4;
  EXPECT_ERROR(expect_same_record(record, other, kOrigin),
               "holds a run with stages both: lr 3.0, not 4.0");
  other = record;
  other.stages[0].sources[1].weight = 2;
  EXPECT_ERROR(expect_same_record(record, other, kOrigin),
               "holds a run with stages words: photos 0.5, not 2.0");
  other = record;
  other.stages[0].sources.pop_back();
  EXPECT_ERROR(expect_same_record(record, other, kOrigin),
               "holds a run with stages words: photos 0.5, not null");
  other = record;
  other.sources[0].data = "icons: 1 image";
  EXPECT_ERROR(expect_same_record(record, other, kOrigin), "data \"photos: 3 images\", not");
  other = record;
  other.stages.pop_back();
  EXPECT_ERROR(expect_same_record(record, other, kOrigin), "holds a run with stages [");
  EXPECT_ERROR(expect_same_record(changed_record(), record, kOrigin), "holds a run with ");
}

}  // namespace
}  // namespace openworld
