#include "openworld/pretrain/spec/pretrain_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/io/dump_line.h"
#include "openworld/io/json_fields.h"
#include "openworld/io/option_json.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

// The options of a source, of which those of redraw.h and line_art.h stand in objects of their own;
// in "redraw", "zoom" is the list [zoom_low, zoom_high].
struct SourceLists {
  OptionList all, redraw, lines;

  explicit SourceLists(SourceOptions& options) {
    options.declare(all);
    options.augmentation.declare_redraw(redraw);
    options.augmentation.declare_lines(lines);
  }
};

void read_option(const JsonFields& fields, const std::string& key, const std::string& name,
                 const OptionList& list) {
  if (!fields.has(key)) return;
  const OptionValue value = option_value(fields, key);
  for (const OptionRow& row : list.rows()) {
    if (row.name == name && !row.assign(value)) fields.fail(key, row.expected);
  }
}

void read_options(const JsonFields& fields, const OptionList& list) {
  for (const OptionRow& row : list.rows()) read_option(fields, row.name, row.name, list);
}

void write_options(const OptionList& list, Json& json) {
  for (const auto& [name, value] : list.values()) json[name] = option_json(value);
}

void write_source(const SourceRecord& record, Json& json) {
  SourceOptions copy = record.options;  // lists are of fields that can be set
  const SourceLists lists(copy);
  json["data"] = record.data;
  Json redraw = Json::object(), lines = Json::object();
  for (const auto& [name, value] : lists.all.values()) {
    if (name == "zoom_low" || name == "zoom_high") {
      redraw["zoom"].push_back(option_json(value));
    } else {
      Json& to = lists.redraw.has(name) ? redraw : lists.lines.has(name) ? lines : json;
      to[name] = option_json(value);
    }
  }
  json["redraw"] = std::move(redraw);
  json["lines"] = std::move(lines);
}

void read_zoom(const JsonFields& fields, RedrawRange& range) {
  if (!fields.has("zoom")) return;
  const nlohmann::json& zoom = fields["zoom"];
  if (!zoom.is_array() || zoom.size() != 2 || !zoom[0].is_number() || !zoom[1].is_number()) {
    fields.fail("zoom", "two numbers");
  }
  range.low = zoom[0].get<double>();
  range.high = zoom[1].get<double>();
}

SourceRecord read_source(const std::string& name, const JsonFields& fields) {
  SourceRecord record{.name = name, .data = fields.text("data", "")};
  const SourceLists lists(record.options);
  for (const OptionRow& row : lists.all.rows()) {
    const bool apart = lists.redraw.has(row.name) || lists.lines.has(row.name);
    if (!apart) read_option(fields, row.name, row.name, lists.all);
  }
  if (fields.has("redraw")) {
    read_options(fields.object("redraw"), lists.redraw);
    read_zoom(fields.object("redraw"), record.options.augmentation.redraw);
  }
  if (fields.has("lines")) read_options(fields.object("lines"), lists.lines);
  return record;
}

void write_training(const PretrainOptions& training, Json& json) {
  PretrainOptions copy = training;
  OptionList list;
  copy.declare(list);
  write_options(list, json);
}

PretrainOptions read_training(const JsonFields& fields) {
  PretrainOptions training;
  OptionList list;
  training.declare(list);
  read_options(fields, list);
  return training;
}

Json stage_json(const StageRecord& stage) {
  Json json = {{"name", stage.name}};
  for (const auto& [source, weight] : stage.sources) json["sources"][source] = weight;
  write_training(stage.training, json);
  return json;
}

StageRecord read_stage(const JsonFields& fields) {
  StageRecord stage{.name = fields.text("name", ""), .sources = {}};
  const JsonFields shares = fields.object("sources");
  for (const auto& [source, weight] : fields["sources"].items()) {
    stage.sources.push_back({source, shares.number(source, 1)});
  }
  stage.training = read_training(fields);
  return stage;
}

std::uint64_t read_seed(const JsonFields& fields) {
  const nlohmann::json& seed = fields["seed"];
  const bool negative = !seed.is_number_unsigned() && seed.is_number() && seed.get<double>() < 0;
  if (!seed.is_number_integer() || negative) fields.fail("seed", "a whole number, 0 to 2^64 - 1");
  return seed.get<std::uint64_t>();
}

// Both were written by pretrain_record_json.
void expect_same(const Json& was, const Json& now, const std::string& where, const Origin& origin) {
  const auto differs = [&](const std::string& key, const Json& before, const Json& after) {
    origin.fail(fmt::format("holds a run with {} {}, not {}; use another folder, or restart",
                            where + key, dump_line(before), dump_line(after)));
  };
  for (const auto& [key, value] : now.items()) {
    const auto before = was.find(key);
    if (before == was.end()) differs(key, Json(), value);
    if (*before == value) continue;
    if (value.is_object() && before->is_object()) expect_same(*before, value, where, origin);
    if (value.is_array() && before->is_array() && value.size() == before->size()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (!value[i].is_object()) continue;
        const std::string name = value[i].value("name", std::to_string(i));
        expect_same((*before)[i], value[i], fmt::format("{}{} {}: ", where, key, name), origin);
      }
    }
    differs(key, *before, value);
  }
  for (const auto& [key, value] : was.items()) {
    if (!now.contains(key)) differs(key, value, Json());
  }
}

}  // namespace

std::string PretrainRecord::data() const {
  std::vector<std::string> texts;
  for (const SourceRecord& source : sources) texts.push_back(source.data);
  return fmt::format("{}", fmt::join(texts, "; "));
}

Json pretrain_record_json(const PretrainRecord& record) {
  Json json = Json::object();
  if (!record.has_stages) write_source(record.sources.at(0), json);
  json["tensors_sha256"] = record.tensors_sha256;
  json["vocabulary"] = record.vocabulary;
  json["vocabulary_sha256"] = record.vocabulary_sha256;
  json["word_vectors"] = record.word_vectors;
  json["word_vectors_sha256"] = record.word_vectors_sha256;
  PretrainRecord copy = record;
  OptionList list;
  copy.model.declare(list);
  copy.words.declare(list);
  write_options(list, json);
  if (record.has_stages) {
    for (const SourceRecord& source : record.sources) {
      write_source(source, json["sources"][source.name]);
    }
    for (const StageRecord& stage : record.stages) json["stages"].push_back(stage_json(stage));
  } else {
    write_training(record.stages.at(0).training, json);
  }
  json["seed"] = record.seed();
  return json;
}

PretrainRecord read_pretrain_record(const JsonFields& fields) {
  PretrainRecord record;
  record.tensors_sha256 = fields.text("tensors_sha256", "");
  record.vocabulary = fields.integer("vocabulary", 0);
  record.vocabulary_sha256 = fields.text("vocabulary_sha256", "");
  record.word_vectors = fields.integer("word_vectors", 0);
  record.word_vectors_sha256 = fields.text("word_vectors_sha256", "");
  OptionList list;
  record.model.declare(list);
  record.words.declare(list);
  read_options(fields, list);
  read_option(fields, "fresh", "reinit", list);
  record.has_stages = fields.has("stages");
  record.sources.clear();
  record.stages.clear();
  if (record.has_stages) {
    const JsonFields sources = fields.object("sources");
    for (const auto& [name, value] : fields["sources"].items()) {
      record.sources.push_back(read_source(name, sources.object(name)));
    }
    for (const JsonFields& stage : fields.objects("stages")) {
      record.stages.push_back(read_stage(stage));
    }
    if (record.stages.empty()) fields.fail("stages", "a list of at least one stage");
  } else {
    record.sources.push_back(read_source("data", fields));
    record.stages.push_back({"", {{"data", 1}}, read_training(fields)});
  }
  record.stages[0].training.seed = read_seed(fields);
  return record;
}

PretrainRecord first_stages(PretrainRecord record, std::size_t count) {
  if (record.stages.size() > count) record.stages.resize(count);
  return record;
}

void expect_same_record(const PretrainRecord& was, const PretrainRecord& now,
                        const Origin& origin) {
  expect_same(pretrain_record_json(was), pretrain_record_json(now), "", origin);
}

}  // namespace openworld
