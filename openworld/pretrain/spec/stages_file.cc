#include "openworld/pretrain/spec/stages_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "openworld/base/nearest_name.h"
#include "openworld/io/json_fields.h"
#include "openworld/io/json_file.h"
#include "openworld/io/option_json.h"

namespace openworld {
namespace {

// Strings of DatasetOptions by their keys here.
struct TextKey {
  const char* key;
  std::string DatasetOptions::*member;
};
constexpr TextKey kTextKeys[] = {{"split", &DatasetOptions::split},
                                 {"image_root", &DatasetOptions::image_root},
                                 {"class_names", &DatasetOptions::names},
                                 {"format", &DatasetOptions::format}};
constexpr auto kDuplicates = "allow_duplicate_names";

// Sets the options of the list from keys of the same names; `own` are the other keys there may be.
void read_options(const nlohmann::json& json, const JsonFields& fields, OptionList& list,
                  const std::vector<std::string>& own) {
  for (const auto& [key, value] : json.items()) {
    if (std::find(own.begin(), own.end(), key) != own.end()) continue;
    if (!list.has(key)) {
      std::vector<std::string> known = own;
      for (const OptionRow& row : list.rows()) known.push_back(row.name);
      fields.fail(key, "no such key; " + known_names(key, known));
    }
    const OptionValue given = option_value(fields, key);
    for (const OptionRow& row : list.rows()) {
      if (row.name == key && !row.assign(given)) fields.fail(key, row.expected);
    }
  }
}

SourceSpec read_source(const std::string& name, const nlohmann::json& json,
                       const JsonFields& fields, const PretrainSpec& spec) {
  SourceSpec source{.name = name, .data = "", .dataset = spec.dataset, .options = spec.source};
  source.data = fields.text("data", "");
  if (source.data.empty()) fields.fail("data", "images with captions");
  std::vector<std::string> own = {"data", kDuplicates};
  for (const TextKey& row : kTextKeys) {
    source.dataset.*row.member = fields.text(row.key, source.dataset.*row.member);
    own.emplace_back(row.key);
  }
  source.dataset.allow_duplicate_names =
      fields.flag(kDuplicates, source.dataset.allow_duplicate_names);
  OptionList list;
  source.options.declare(list);
  read_options(json, fields, list, own);
  return source;
}

// An empty list: all sources, by their numbers of pairs.
std::vector<StageSpec::Share> read_shares(const JsonFields& fields,
                                          const std::vector<SourceSpec>& sources) {
  std::vector<StageSpec::Share> shares;
  if (!fields.has("sources")) return shares;
  const JsonFields weights = fields.object("sources");
  std::vector<std::string> names;
  for (const SourceSpec& source : sources) names.push_back(source.name);
  for (const auto& [name, value] : fields["sources"].items()) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      weights.fail(name, fmt::format("the name of a source: {}", fmt::join(names, ", ")));
    }
    const double weight = weights.number(name, 0);
    if (!std::isfinite(weight) || !(weight > 0)) weights.fail(name, "a number above 0");
    shares.push_back({static_cast<std::size_t>(found - names.begin()), weight});
  }
  if (shares.empty()) fields.fail("sources", "names of sources with their weights");
  return shares;
}

StageSpec read_stage(std::size_t number, const nlohmann::json& json, const JsonFields& fields,
                     const PretrainSpec& spec) {
  StageSpec stage{.name = fields.text("name", std::to_string(number + 1)),
                  .sources = read_shares(fields, spec.sources),
                  .training = spec.training};
  if (stage.name.empty()) fields.fail("name", "a name, or no such key");
  OptionList list;
  stage.training.declare(list);
  read_options(json, fields, list, {"name", "sources"});
  return stage;
}

}  // namespace

void read_stages(const std::string& path, PretrainSpec& spec) {
  const Origin origin{"pretrain", path};
  const nlohmann::json json = read_json_file(origin);
  const JsonFields fields(json, "", origin);
  OptionList none;
  read_options(json, fields, none, {"sources", "stages"});
  const JsonFields sources = fields.object("sources");
  spec.sources.clear();
  for (const auto& [name, value] : json["sources"].items()) {
    spec.sources.push_back(read_source(name, value, sources.object(name), spec));
  }
  if (spec.sources.empty()) fields.fail("sources", "at least one source");
  spec.stages.clear();
  for (const JsonFields& stage : fields.objects("stages")) {
    const std::size_t number = spec.stages.size();
    spec.stages.push_back(read_stage(number, json["stages"][number], stage, spec));
  }
  if (spec.stages.empty()) fields.fail("stages", "a list of at least one stage");
}

}  // namespace openworld
