#include "openworld/studies/cell.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "openworld/io/json_fields.h"
#include "openworld/io/json_number.h"
#include "openworld/io/option_json.h"
#include "openworld/io/sha256.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;
using SortedJson = nlohmann::json;

// The fields that differ from a default-made T, in the order declared.
template <class T>
OptionValues changed_fields(T part) {
  T plain;
  OptionList list, defaults;
  part.declare(list);
  plain.declare(defaults);
  return list.changed_from(defaults);
}

Json options_json(const OptionValues& options) {
  return options.empty() ? Json(nullptr) : option_json(options);
}

void put(Json& json, const char* key, Json value) {
  if (!value.is_null()) json[key] = std::move(value);
}

Json model_json(const CellModel& model) {
  Json json = option_json(changed_fields(model));
  json["sha256"] = model.sha256;
  return json;
}

Json scenario_json(const CellScenario& scenario) {
  Json json = option_json(changed_fields(scenario));
  json["version"] = scenario.version;
  put(json, "options", options_json(scenario.options));
  return json;
}

Json learner_json(const CellLearner& learner) {
  Json json = option_json(changed_fields(learner));
  put(json, "options", options_json(learner.options));
  return json;
}

// Sorted by key, without what the result does not depend on.
SortedJson identity(const Cell& cell) {
  SortedJson json = cell_json(cell);
  for (const char* part : {"model", "data", "scenario", "learner"}) json[part].erase("label");
  json["model"].erase("path");
  json["protocol"] = kProtocolVersion;
  return json;
}

// A path or name as a part of a file name: its last `kMost` characters, of letters, digits, . and -
// with _ for the others.
std::string name_part(std::string_view text) {
  constexpr std::size_t kMost = 40;
  while (text.ends_with('/')) text.remove_suffix(1);
  if (text.size() > kMost) text.remove_prefix(text.size() - kMost);
  std::string part;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-';
    part += plain ? c : '_';
  }
  while (part.starts_with('.') || part.starts_with('-')) part.erase(0, 1);
  return part.empty() ? "x" : part;
}

template <class T>
void read_fields(const JsonFields& fields, T& part, std::initializer_list<std::string_view> other) {
  OptionList list;
  part.declare(list);
  std::vector<std::string_view> keys(other);
  OptionValues values;
  for (const OptionRow& row : list.rows()) {
    keys.push_back(row.name);
    if (!fields.has(row.name)) continue;
    const OptionValue value = option_value(fields, row.name);
    if (!row.assign(value)) fields.fail(row.name, row.expected);
  }
  fields.expect_only(keys);
}

OptionValues read_options(const JsonFields& fields) {
  return fields.has("options") ? option_values(fields, "options") : OptionValues{};
}

// Calls note("learner.options.lr", was, now) for every leaf that differs.
template <class Note>
void compare(const std::string& path, const SortedJson& was, const SortedJson& now,
             const Note& note) {
  if (was == now) return;
  if (!was.is_object() || !now.is_object()) return note(path, was, now);
  static const SortedJson kNone;
  const std::string prefix = path.empty() ? "" : path + ".";
  for (const auto& [key, value] : was.items()) {
    compare(prefix + key, value, now.contains(key) ? now[key] : kNone, note);
  }
  for (const auto& [key, value] : now.items()) {
    if (!was.contains(key)) compare(prefix + key, kNone, value, note);
  }
}

std::string value_text(const SortedJson& value) {
  if (value.is_null()) return "not given";
  return value.dump(-1, ' ', true, SortedJson::error_handler_t::replace);
}

std::int64_t read_count(const JsonFields& fields, const char* key) {
  const std::optional<std::int64_t> value = json_integer(fields[key]);
  if (!value || *value < 0) fields.fail(key, "a whole number");
  return *value;
}

}  // namespace

void CellModel::declare(OptionList& list) {
  list.add("path", path, "a CLIP checkpoint, the name of a bundled one, or a network, net:small");
  list.add("label", label, "its name in tables");
  list.add("activation", activation, {"", "quick_gelu", "gelu"}, "instead of the checkpoint's");
  list.add("vocabulary", vocabulary, "instead of what lies beside the weights");
  list.add("logit_scale", logit_scale, 0, 1e6, "instead of the model's own; 0: its own");
}

void CellData::declare(OptionList& list) {
  list.add("path", path, "a dataset, or the name of a world");
  list.add("label", label, "its name in tables");
  list.add("train_split", train_split, "split of the training images");
  list.add("test_split", test_split, "split to evaluate on");
  list.add("test_data", test_data, "separate dataset of test images");
  list.add("image_root", image_root, "folder that paths in a list are relative to");
  list.add("names", names, "file of class names");
  list.add("format", format, "format of the dataset");
  list.add("looks", looks, "datasets with its classes in other looks");
  list.add("targets", targets, "datasets with other classes");
  list.add("known", known, "known classes of open-set training, labels or names, with commas");
  list.add("unknown", unknown, "dataset of unknown test samples, instead of the other classes");
  list.add("unknown_split", unknown_split, "split of it");
  list.add("base", base, "base classes: half, all, or their number");
  list.add("templates", templates, "a template, a file of them, or a set");
  list.add("keep_underscores", keep_underscores, "keep _ in class names");
  list.add("allow_duplicate_names", allow_duplicate_names, "classes may share a name");
  list.add("allow_fewer", allow_fewer, "use all images of a class that has fewer than the shots");
}

void CellScenario::declare(OptionList& list) {
  list.add("name", name, "a scenario");
  list.add("label", label, "its name in tables");
  list.add("looks", looks, "datasets with classes of the source in other looks");
  list.add("targets", targets, "datasets with other classes");
}

void CellLearner::declare(OptionList& list) {
  list.add("name", name, "a learner");
  list.add("label", label, "its name in tables");
  list.add("shot_rule", shot_rule, {"auto", "coop", "decoop"}, "few-shot sampling");
  list.add("views", views, 0, 1 << 16, "random views of each training image");
  list.add("augment", augment, "a new random crop of each training image in every epoch");
}

Json cell_json(const Cell& cell) {
  return {{"model", model_json(cell.model)},
          {"data", option_json(changed_fields(cell.data))},
          {"scenario", scenario_json(cell.scenario)},
          {"learner", learner_json(cell.learner)},
          {"shots", cell.shots},
          {"seed", cell.seed}};
}

Cell read_cell(const JsonFields& fields) {
  Cell cell;
  const JsonFields model = fields.object("model"), data = fields.object("data"),
                   scenario = fields.object("scenario"), learner = fields.object("learner");
  read_fields(model, cell.model, {"sha256"});
  cell.model.sha256 = model.text("sha256", "");
  read_fields(data, cell.data, {});
  read_fields(scenario, cell.scenario, {"version", "options"});
  cell.scenario.version = read_count(scenario, "version");
  cell.scenario.options = read_options(scenario);
  read_fields(learner, cell.learner, {"options"});
  cell.learner.options = read_options(learner);
  cell.shots = read_count(fields, "shots");
  cell.seed = read_count(fields, "seed");
  return cell;
}

std::string cell_identity(const Cell& cell) {
  return identity(cell).dump(-1, ' ', true, SortedJson::error_handler_t::replace);
}

std::string cell_id(const Cell& cell) {
  const std::string text = cell_identity(cell);
  return hex_text(sha256(std::as_bytes(std::span(text))));
}

std::string cell_name(const Cell& cell, const std::string& id) {
  return fmt::format("{}-{}-{}-{}shots-seed{}-{}", name_part(cell.learner.name),
                     name_part(cell.data.path), name_part(cell.scenario.name), cell.shots,
                     cell.seed, id.substr(0, 8));
}

std::string cell_text(const Cell& cell) {
  std::string text = cell.learner.name;
  for (const auto& [name, value] : cell.learner.options) {
    text += fmt::format(" {}={}", name, option_text(value));
  }
  text += fmt::format(" on {}, {}", cell.data.path, cell.scenario.name);
  for (const auto& [name, value] : cell.scenario.options) {
    text += fmt::format(" {}={}", name, option_text(value));
  }
  return text + fmt::format(", {} shots, seed {}", cell.shots, cell.seed);
}

std::vector<CellDifference> cell_differences(const Cell& was, const Cell& now) {
  std::vector<CellDifference> differences;
  compare("", identity(was), identity(now),
          [&](const std::string& path, const SortedJson& before, const SortedJson& after) {
            differences.push_back({path, value_text(before), value_text(after)});
          });
  return differences;
}

}  // namespace openworld
