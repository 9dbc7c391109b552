#include "openworld/pretrain/spec/pretrain_result.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/io/json_fields.h"
#include "openworld/io/json_file.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

Json accuracy_json(const std::vector<NamedAccuracy>& accuracy) {
  Json json = Json::object();
  for (const auto& [data, value] : accuracy) json[data] = value;
  return json;
}

std::vector<NamedAccuracy> read_accuracy(const JsonFields& fields) {
  std::vector<NamedAccuracy> accuracy;
  if (!fields.has("accuracy")) return accuracy;
  const JsonFields values = fields.object("accuracy");
  for (const auto& [data, value] : fields["accuracy"].items()) {
    if (!value.is_number()) values.fail(data, "a number");
    accuracy.push_back({data, value.get<double>()});
  }
  return accuracy;
}

std::optional<double> read_number(const JsonFields& fields, std::string_view key) {
  if (!fields.has(key)) return std::nullopt;
  return fields.number(key, 0);
}

}  // namespace

Json pretrain_epoch_json(const PretrainEpoch& epoch) {
  Json json = {{"step", epoch.step}};
  if (!epoch.stage.empty()) json["stage"] = epoch.stage;
  json["epoch"] = epoch.epoch;
  json["loss"] = epoch.loss;
  for (const auto& [name, value] : epoch.losses) json["losses"][name] = value;
  json["batch_accuracy"] = epoch.batch_accuracy;
  json["gradient_norm"] = epoch.gradient_norm;
  json["lr"] = epoch.lr;
  json["logit_scale"] = epoch.logit_scale;
  json["images"] = epoch.images;
  json["unreadable"] = epoch.unreadable;
  json["images_per_second"] = epoch.images_per_second;
  json["gemm_share"] = epoch.gemm_share;
  if (!epoch.accuracy.empty()) json["accuracy"] = accuracy_json(epoch.accuracy);
  return json;
}

PretrainEpoch read_pretrain_epoch(const JsonFields& fields) {
  std::vector<NamedLoss> losses;
  if (fields.has("losses")) {
    const JsonFields values = fields.object("losses");
    for (const auto& [name, value] : fields["losses"].items()) {
      losses.push_back({name, values.number(name, 0)});
    }
  }
  return {.step = fields.integer("step", 0),
          .stage = fields.text("stage", ""),
          .epoch = fields.integer("epoch", 0),
          .loss = fields.number("loss", 0),
          .losses = std::move(losses),
          .batch_accuracy = fields.number("batch_accuracy", 0),
          .gradient_norm = fields.number("gradient_norm", 0),
          .lr = fields.number("lr", 0),
          .logit_scale = fields.number("logit_scale", 0),
          .images = static_cast<std::size_t>(fields.integer("images", 0)),
          .unreadable = static_cast<std::size_t>(fields.integer("unreadable", 0)),
          .images_per_second = fields.number("images_per_second", 0),
          .gemm_share = fields.number("gemm_share", 0),
          .accuracy = read_accuracy(fields)};
}

Json pretrain_result_json(const PretrainResult& result) {
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json();
  };
  return {{"schema", kPretrainSchema},
          {"out", result.out},
          {"parameters", result.parameters},
          {"steps", result.steps},
          {"loss", number(result.loss)},
          {"batch_accuracy", number(result.batch_accuracy)},
          {"accuracy", accuracy_json(result.accuracy)},
          {"options", pretrain_record_json(result.record)},
          {"cost", run_cost_json(result.cost)}};
}

PretrainResult read_pretrain_result(const Origin& origin) {
  const nlohmann::json json = read_json_file(origin);
  const JsonFields fields(json, "", origin);
  const std::string schema = fields.text("schema", "");
  if (schema != kPretrainSchema && schema != "openworld.pretrain/1") {
    fields.fail("schema", fmt::format("{}, the result of a pre-training run", kPretrainSchema));
  }
  return {.out = fields.text("out", ""),
          .parameters = fields.integer("parameters", 0),
          .steps = fields.integer("steps", 0),
          .loss = read_number(fields, "loss"),
          .batch_accuracy = read_number(fields, "batch_accuracy"),
          .accuracy = read_accuracy(fields),
          .record = read_pretrain_record(fields.object("options")),
          .cost = read_run_cost(fields)};
}

}  // namespace openworld
