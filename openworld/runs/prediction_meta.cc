#include "openworld/runs/prediction_meta.h"

#include <nlohmann/json.hpp>

#include "openworld/io/dump_line.h"
#include "openworld/io/json_file.h"
#include "openworld/io/option_json.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

// Every index of a large test set.
constexpr JsonLimits kMetaLimits{
    .bytes = std::size_t{1} << 28, .depth = 32, .values = std::size_t{1} << 24};

Json run_meta(const RunSpec& spec) {
  Json model = model_summary_json(spec.model);
  model["vocabulary"] = spec.model.vocabulary;
  model["logit_scale"] = spec.model.logit_scale;
  return {{"method", spec.method},
          {"options", option_json(spec.options)},
          {"seed", spec.seed},
          {"shots", spec.shots},
          {"model", std::move(model)}};
}

}  // namespace

DataSummary data_summary(const Dataset& dataset, const std::string& path, std::size_t images,
                         std::size_t skipped) {
  return {.path = path,
          .format = dataset.format,
          .split = dataset.split,
          .root = dataset.root,
          .classes = dataset.classes.size(),
          .images = images,
          .skipped = skipped,
          .not_images = dataset.skipped,
          .samples = {}};
}

Json data_summary_json(const DataSummary& data) {
  Json json = {{"path", data.path},
               {"format", data.format},
               {"split", data.split.empty() ? Json() : Json(data.split)},
               {"root", data.root},
               {"classes", data.classes},
               {"images", data.images},
               {"skipped", data.skipped},
               {"not_images", data.not_images}};
  if (!data.samples.empty()) json["samples"] = data.samples;
  return json;
}

Json model_summary_json(const RunModel& model) {
  return {{"path", model.path},
          {"format", model.format},
          {"sha256", model.sha256},
          {"activation", model.activation},
          {"assumptions", model.assumptions}};
}

std::string prediction_meta(const RunSpec& spec, const DataSummary& data) {
  Json meta = run_meta(spec);
  meta["data"] = data_summary_json(data);
  meta["templates"] = spec.templates;
  return dump_line(meta);
}

std::string view_meta(const RunSpec& spec, const ViewSummary& view) {
  Json meta = run_meta(spec);
  meta["data"] = {{"path", spec.data.path}};
  meta["templates"] = spec.templates;
  meta["scenario"] = {{"name", spec.scenario->name},
                      {"version", spec.scenario->version},
                      {"options", option_json(spec.scenario->options)},
                      {"world", view.world},
                      {"level", view.level},
                      {"t", view.t ? Json(*view.t) : Json()}};
  return dump_line(meta);
}

std::vector<std::size_t> tested_samples(const Predictions& predictions, const Origin& origin) {
  std::vector<std::size_t> samples;
  if (predictions.meta.empty()) return samples;
  const nlohmann::json meta = parse_json(predictions.meta, origin, kMetaLimits);
  const nlohmann::json::json_pointer listed("/data/samples");
  if (!meta.is_object() || !meta.contains(listed) || !meta[listed].is_array()) return samples;
  for (const nlohmann::json& index : meta[listed]) {
    if (!index.is_number_unsigned()) origin.fail("meta lists samples that are not indices");
    samples.push_back(index.get<std::size_t>());
  }
  return samples;
}

}  // namespace openworld
