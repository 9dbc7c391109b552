#include "openworld/studies/study_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "openworld/base/text_map.h"
#include "openworld/io/json_fields.h"
#include "openworld/io/json_file.h"
#include "openworld/io/mapped_file.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kStudySchema = "openworld.study/1";

// A cell has some 600 bytes and 30 values.
constexpr JsonLimits kStudyLimits{
    .bytes = std::size_t{1} << 29, .depth = 8, .values = std::size_t{1} << 24};

TextSet ids_of(const std::vector<StudyCell>& cells) {
  TextSet ids;
  for (const StudyCell& cell : cells) ids.insert(cell.id);
  return ids;
}

// The fewest differences between `was` and one of `cells`. Looks at the first kMost of them: this
// is for a message.
std::vector<CellDifference> nearest_differences(const Cell& was,
                                                const std::vector<const Cell*>& cells) {
  constexpr std::size_t kMost = 1000;
  std::vector<CellDifference> least;
  for (std::size_t i = 0; i < std::min(cells.size(), kMost); ++i) {
    std::vector<CellDifference> differences = cell_differences(was, *cells[i]);
    if (least.empty() || differences.size() < least.size()) least = std::move(differences);
  }
  return least;
}

// What became of a cell that is not in the plan any more. A cell that was there before did not take
// its place, however near it is.
std::string removal_text(const Cell& was, const std::vector<StudyCell>& now,
                         const TextSet& old_ids) {
  std::vector<const Cell*> added, all;
  for (const StudyCell& each : now) {
    all.push_back(&each.cell);
    if (!old_ids.contains(each.id)) added.push_back(&each.cell);
  }
  std::vector<std::string> parts;
  if (!added.empty()) {
    for (const auto& [field, before, after] : nearest_differences(was, added)) {
      parts.push_back(fmt::format("{} was {} and is {}", field, before, after));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  }
  for (const CellDifference& each : nearest_differences(was, all)) {
    parts.push_back(fmt::format("{} {}", each.field, each.was));
  }
  return fmt::format("no cell has {} any more", fmt::join(parts, " and "));
}

bool is_id(std::string_view id) {
  return id.size() == 64 && id.find_first_not_of("0123456789abcdef") == id.npos;
}

}  // namespace

std::string study_file_text(const StudyFile& study) {
  Json cells = Json::array();
  for (const StudyCell& each : study.cells) {
    Json json = {{"id", each.id}};
    json.update(cell_json(each.cell));
    cells.push_back(std::move(json));
  }
  Json json = {{"schema", kStudySchema},
               {"protocol", kProtocolVersion},
               {"name", study.name},
               {"folder", study.folder}};
  // A line for each cell: readable, and one that is added is one line in a diff.
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.pop_back();
  text += ",\"cells\":[\n";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text += cells[i].dump(-1, ' ', false, Json::error_handler_t::replace);
    text += i + 1 < cells.size() ? ",\n" : "\n";
  }
  return text + "]}\n";
}

StudyFile parse_study_file(std::string_view text, const Origin& origin) {
  const nlohmann::json json = parse_json(text, origin, kStudyLimits);
  const JsonFields fields(json, "", origin);
  if (fields.text("schema", "") != kStudySchema)
    fields.fail("schema", fmt::format("\"{}\"", kStudySchema));
  if (fields.integer("protocol", 0) != kProtocolVersion) {
    fields.fail("protocol", fmt::format("{}, the version of this program; results of different "
                                        "versions do not mix",
                                        kProtocolVersion));
  }
  StudyFile study;
  study.name = fields.text("name", "");
  study.folder = fields.text("folder", "");
  const std::vector<JsonFields> cells = fields.objects("cells");
  if (cells.size() > kMostCells) {
    origin.fail(fmt::format("has {} cells; expected at most {}", cells.size(), kMostCells));
  }
  TextSet names;
  for (const JsonFields& each : cells) {
    StudyCell cell{read_cell(each), each.text("id", ""), ""};
    if (!is_id(cell.id)) each.fail("id", "64 hexadecimal digits");
    cell.name = cell_name(cell.cell, cell.id);
    if (!names.insert(cell.name).second) each.fail("id", "every cell once");
    study.cells.push_back(std::move(cell));
  }
  return study;
}

StudyFile read_study_file(const Origin& origin) {
  const Bytes bytes = map_file(origin);
  const auto* text = reinterpret_cast<const char*>(bytes.values.data());
  return parse_study_file({text, bytes.values.size()}, origin);
}

PlanChange plan_change(const std::vector<StudyCell>& was, const std::vector<StudyCell>& now) {
  const TextSet old_ids = ids_of(was), new_ids = ids_of(now);
  PlanChange change;
  for (const StudyCell& cell : now) change.added += old_ids.contains(cell.id) ? 0 : 1;
  for (const StudyCell& cell : was) {
    if (new_ids.contains(cell.id)) continue;
    if (change.removed++ > 0) continue;
    change.difference =
        fmt::format("{}: {}", cell_text(cell.cell), removal_text(cell.cell, now, old_ids));
  }
  return change;
}

}  // namespace openworld
