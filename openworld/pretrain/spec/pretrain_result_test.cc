#include "openworld/pretrain/spec/pretrain_result.h"

#include <nlohmann/json.hpp>

#include "openworld/io/json_fields.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

PretrainResult some_result() {
  PretrainResult result{.out = "model",
                        .parameters = 1234,
                        .steps = 60,
                        .loss = 1.25,
                        .batch_accuracy = 0.5,
                        .accuracy = {{"doodles:all", 0.75}, {"photos", 0.25}},
                        .record = {},
                        .cost = {3.5, std::int64_t{5} << 30, "0.1.0"}};
  result.record.sources[0].data = "pairs";
  result.record.stages[0].training.epochs = 7;
  return result;
}

TEST(PretrainResult, ComesBackFromItsFile) {
  const testing::TempFolder folder;
  PretrainResult result = some_result();
  for (const bool has_loss : {true, false}) {
    if (!has_loss) result.loss = result.batch_accuracy = std::nullopt;
    const Json json = pretrain_result_json(result);
    EXPECT_EQ(json["schema"], "openworld.pretrain/2");
    const std::string path = folder.write("pretrain.json", json.dump(2));
    const PretrainResult read = read_pretrain_result({"pretrain", path});
    EXPECT_EQ(pretrain_result_json(read), json);
    EXPECT_EQ(read.cost, result.cost);
    EXPECT_EQ(read.loss, result.loss);
  }
}

TEST(PretrainResult, OfSchemaOneHasItsCostUnderRun) {
  const testing::TempFolder folder;
  Json json = pretrain_result_json(some_result());
  json["schema"] = "openworld.pretrain/1";
  json["run"] = json["cost"];
  json.erase("cost");
  json["options"]["fresh"] = "text";
  json["options"].erase("reinit");
  const PretrainResult read =
      read_pretrain_result({"pretrain", folder.write("pretrain.json", json.dump())});
  EXPECT_EQ(read.cost, some_result().cost);
  EXPECT_EQ(read.record.model.reinit, Tower::kText);
}

TEST(PretrainResult, RefusesOtherFiles) {
  const testing::TempFolder folder;
  const auto refused = [&](const std::string& text, const std::string& says) {
    const std::string path = folder.write("pretrain.json", text);
    EXPECT_ERROR(read_pretrain_result({"pretrain", path}), says);
  };
  refused("{}", "schema is null; expected openworld.pretrain/2");
  refused(R"({"schema": "openworld.tune/2"})", "schema is \"openworld.tune/2\"");
  refused(R"({"schema": "openworld.pretrain/2"})", "options");
  Json json = pretrain_result_json(some_result());
  json["accuracy"]["photos"] = "good";
  refused(json.dump(), "accuracy.photos is \"good\"; expected a number");
  json = pretrain_result_json(some_result());
  json["options"]["epochs"] = 0;
  refused(json.dump(), "options.epochs is 0");
}

TEST(PretrainEpoch, ComesBackFromItsLine) {
  const PretrainEpoch epoch{.step = 6,
                            .stage = "words",
                            .epoch = 2,
                            .loss = 1.5,
                            .losses = {{"agreement", 0.5}, {"words", 1.25}},
                            .batch_accuracy = 0.25,
                            .gradient_norm = 3,
                            .lr = 1e-3,
                            .logit_scale = 14.25,
                            .images = 30,
                            .unreadable = 1,
                            .images_per_second = 99.5,
                            .gemm_share = 0.5,
                            .accuracy = {{"photos", 0.5}}};
  const Json json = pretrain_epoch_json(epoch);
  const nlohmann::json line = nlohmann::json::parse(json.dump());
  const Origin origin{"pretrain", "log.jsonl"};
  EXPECT_EQ(pretrain_epoch_json(read_pretrain_epoch(JsonFields(line, "", origin))), json);
}

}  // namespace
}  // namespace openworld
