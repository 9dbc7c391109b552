// The tables of a study as JSON, schema "openworld.study_table/1".

#include <nlohmann/json.hpp>

#include "openworld/base/version.h"
#include "openworld/predictions/interval_json.h"
#include "openworld/report/study_table_text.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json cell_json(const TableCell& cell) {
  const StudyValue& value = cell.measured;
  Json json = {{"value", optional_json(value.value)},
               {"done", value.done},
               {"cells", value.cells},
               {"undefined", value.undefined}};
  json["interval"] = interval_json(value.interval);
  json["difference"] = optional_json(value.difference);
  json["p_value_holm"] = optional_json(value.p);
  json["best"] = cell.best;
  json["beyond_chance"] = cell.mark > 0 ? Json("better") : cell.mark < 0 ? Json("worse") : Json();
  return json;
}

std::string_view axis_name(TableAxis axis) {
  for (const TableAxisRow& row : table_axes()) {
    if (row.axis == axis) return row.name;
  }
  return "";
}

Json table_json(const StudyTable& table) {
  Json columns = Json::array(), methods = Json::array();
  for (const TableColumn& column : table.columns) {
    columns.push_back({{"name", column.name},
                       {"title", column.title},
                       {"higher_is_better", column.higher_is_better}});
  }
  for (std::size_t m = 0; m < table.methods.size(); ++m) {
    Json values = Json::object();
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      values[table.columns[c].name] = cell_json(table.cells[m][c]);
    }
    methods.push_back({{"method", table.methods[m]}, {"values", std::move(values)}});
  }
  return {{"scenario", table.scenario},
          {"title", table.title},
          {"by", axis_name(table.axis)},
          {"level", text_or_null(table.level)},
          {"metric", text_or_null(table.metric)},
          {"dataset", text_or_null(table.world)},
          {"datasets", table.worlds},
          {"reference", table.reference ? Json(table.methods[*table.reference]) : Json(nullptr)},
          {"interval", text_or_null(std::string(table.interval))},
          {"confidence", table.confidence},
          {"done", table.done},
          {"cells", table.planned},
          {"friedman_blocks", table.blocks > 0 ? Json(table.blocks) : Json(nullptr)},
          {"columns", std::move(columns)},
          {"methods", std::move(methods)},
          {"notes", table.notes}};
}

}  // namespace

Json study_tables_json(std::span<const StudyTable> tables) {
  Json list = Json::array();
  for (const StudyTable& table : tables) list.push_back(table_json(table));
  return {{"schema", "openworld.study_table/1"},
          {"version", OPENWORLD_VERSION},
          {"tables", std::move(list)}};
}

}  // namespace openworld
