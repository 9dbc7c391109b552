#include "openworld/studies/cell_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "openworld/base/error.h"
#include "openworld/io/json_file.h"
#include "openworld/io/json_number.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/sha256.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kResultSchema = "openworld.cell/1";
constexpr auto kFailureSchema = "openworld.cell_failure/1";
constexpr JsonLimits kResultLimits{.bytes = std::size_t{1} << 22, .depth = 4, .values = 1 << 17};

// Of worlds, of levels and of metrics in a result.
constexpr std::size_t kMostNames = 1024;

std::string dump(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

std::string hash_of(std::string_view text) {
  return hex_text(sha256(std::as_bytes(std::span(text))));
}

// All but the cost and the hash.
Json facts(const CellResult& result) {
  Json files = Json::array(), values = Json::array();
  for (const CellFile& file : result.files) {
    files.push_back({{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  }
  for (const CellValue& value : result.values) {
    values.push_back({{"world", value.world},
                      {"level", value.level},
                      {"metric", value.metric},
                      {"value", value.value ? Json(*value.value) : Json(nullptr)}});
  }
  return {{"schema", kResultSchema},
          {"id", result.id},
          {"files", std::move(files)},
          {"values", std::move(values)}};
}

// None, or one of nlohmann's exceptions, for fields that are missing or of another type.
std::optional<CellResult> result_of(const Json& json) {
  CellResult result;
  std::set<std::string> names, worlds, levels, metrics;
  result.id = json.at("id").get<std::string>();
  for (const Json& file : json.at("files")) {
    const std::optional<std::int64_t> bytes = json_integer(file.at("bytes"));
    if (!bytes) return std::nullopt;
    result.files.push_back(
        {file.at("name").get<std::string>(), *bytes, file.at("sha256").get<std::string>()});
    // One listed twice would be read twice.
    if (!names.insert(result.files.back().name).second) return std::nullopt;
  }
  for (const Json& value : json.at("values")) {
    const Json& number = value.at("value");
    result.values.push_back(
        {value.at("world").get<std::string>(), value.at("level").get<std::string>(),
         value.at("metric").get<std::string>(),
         number.is_null() ? std::nullopt : std::optional(number.get<double>())});
    worlds.insert(result.values.back().world);
    levels.insert(result.values.back().level);
    metrics.insert(result.values.back().metric);
  }
  // Tables have a place for each combination.
  if (std::max({worlds.size(), levels.size(), metrics.size()}) > kMostNames) return std::nullopt;
  result.seconds = json.at("cost").at("seconds").get<double>();
  return result;
}

}  // namespace

std::string cell_result_text(const CellResult& result) {
  Json json = facts(result);
  const std::string hash = hash_of(dump(json));
  json["cost"] = {{"seconds", result.seconds}};
  json["sha256"] = hash;
  return dump(json) + "\n";
}

std::optional<CellResult> parse_cell_result(std::string_view text) {
  const std::optional<Json> json = try_parse_json(text, kResultLimits);
  if (!json || !json->is_object()) return std::nullopt;
  try {
    std::optional<CellResult> result = result_of(*json);
    if (result && cell_result_text(*result) != text) return std::nullopt;
    return result;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

CellFile describe_file(const std::string& folder, const std::string& name,
                       std::string_view function) {
  const Bytes bytes =
      map_file({std::string(function), (std::filesystem::path(folder) / name).string()});
  return {name, static_cast<std::int64_t>(bytes.values.size()), hex_text(sha256(bytes.values))};
}

std::string cell_failure_text(const CellFailure& failure) {
  return dump({{"schema", kFailureSchema},
               {"id", failure.id},
               {"attempts", failure.attempts},
               {"error", failure.error}}) +
         "\n";
}

CellFailure parse_cell_failure(std::string_view text) {
  const std::optional<Json> json = try_parse_json(text, kResultLimits);
  CellFailure failure{.id = "", .attempts = 1, .error = "the record of the failure is damaged"};
  if (!json || !json->is_object()) return failure;
  try {
    // Bounded, since the next attempt adds one.
    const std::int64_t attempts = json_integer(json->at("attempts")).value_or(failure.attempts);
    return {json->at("id").get<std::string>(), std::clamp<std::int64_t>(attempts, 1, 1 << 30),
            json->at("error").get<std::string>()};
  } catch (const Json::exception&) {
    return failure;
  }
}

}  // namespace openworld
