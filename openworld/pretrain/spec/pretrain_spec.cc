#include "openworld/pretrain/spec/pretrain_spec.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/io/dump_line.h"
#include "openworld/io/json_fields.h"
#include "openworld/io/option_json.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kFunction = "pretrain";

// The options of a record, of which those of redraw stand in an object of their own, in which
// "zoom" is the list [zoom_low, zoom_high].
struct RecordLists {
  OptionList all, redraw;

  explicit RecordLists(PretrainRecord& record) {
    record.model.declare(all);
    record.training.declare(all);
    record.training.declare_redraw(redraw);
  }
};

void read_option(const JsonFields& fields, const std::string& key, const std::string& name,
                 OptionList& list) {
  if (!fields.has(key)) return;
  const OptionValue value = option_value(fields, key);
  for (const OptionRow& row : list.rows()) {
    if (row.name == name && !row.assign(value)) fields.fail(key, row.expected);
  }
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

std::uint64_t read_seed(const JsonFields& fields) {
  const nlohmann::json& seed = fields["seed"];
  const bool negative = !seed.is_number_unsigned() && seed.is_number() && seed.get<double>() < 0;
  if (!seed.is_number_integer() || negative) fields.fail("seed", "a whole number, 0 to 2^64 - 1");
  return seed.get<std::uint64_t>();
}

void expect_same(const Json& was, const Json& now, const Origin& origin) {
  for (const auto& [key, value] : now.items()) {
    const Json& before = was.at(key);  // both were written by pretrain_record_json
    if (before == value) continue;
    if (value.is_object()) expect_same(before, value, origin);
    origin.fail(fmt::format("holds a run with {} {}, not {}; use another folder, or restart", key,
                            dump_line(before), dump_line(value)));
  }
}

}  // namespace

void PretrainModelOptions::declare(OptionList& list) {
  list.add("templates", templates,
           "captions for labelled data: a template with {}, a file of them, or a set (`openworld "
           "ls templates`)");
  list.add("long_tail", long_tail, 1, 1e6,
           "F: the rarest class keeps 1 of F of its images, the others more, so that few are "
           "frequent, as on the web");
  list.add("config", config,
           "pocket, vit-b-32, vit-b-16, vit-l-14, or a config.json of Hugging Face");
  list.add("init", init, "checkpoint to start from, instead of a random init");
  declare_tower(list, "reinit", reinit,
                "image or text: tower of the initial checkpoint that gets a random init");
  list.add("device", device, "cpu, cuda or cuda:N");
  list.add("half", half, "write the model in fp16");
}

void PretrainSpec::declare(OptionList& list) {
  model.declare(list);
  training.declare(list);
}

void PretrainSpec::declare_unrecorded(OptionList& list) {
  list.add("vocabulary", vocabulary,
           "merges.txt or bpe_simple_vocab_16e6.txt.gz [learned from the captions]");
  list.add("merges", merges, 0, std::int64_t{1} << 20, "most merges of a learned vocabulary");
  list.add("eval_split", eval_split, "split of the datasets to measure on [their default]");
  list.add("eval_every", eval_every, 0, std::int64_t{1} << 30,
           "epochs between measurements; 0: at the end only");
}

void PretrainSpec::check() const {
  const RedrawRange& range = training.redraw;
  if (range.low > range.high || !(range.low > 0)) {
    fail(kFunction, fmt::format("zoom is {} {}; expected two factors above 0, the smaller one "
                                "first",
                                range.low, range.high));
  }
  const std::string locked = tower_name(training.locked), random = tower_name(model.reinit);
  if (model.init.empty() && !random.empty()) {
    fail(kFunction, fmt::format("reinit is {} without init; expected a checkpoint whose other "
                                "tower is kept",
                                random));
  }
  if (!locked.empty() && (model.init.empty() || locked == random)) {
    fail(kFunction, fmt::format("lock is {}, which would keep a tower with a random init; expected "
                                "init, and another reinit than {}",
                                locked, locked));
  }
}

bool PretrainSpec::centres() const {
  const bool trains_old = !model.init.empty() &&
                          (model.reinit == Tower::kNeither || training.locked == Tower::kNeither);
  return training.centre && !trains_old;
}

Json pretrain_record_json(const PretrainRecord& record) {
  PretrainRecord copy = record;  // lists are of fields that can be set
  const RecordLists lists(copy);
  Json json = {{"data", record.data},
               {"tensors_sha256", record.tensors_sha256},
               {"vocabulary", record.vocabulary},
               {"vocabulary_sha256", record.vocabulary_sha256}};
  Json redraw = Json::object();
  for (const auto& [name, value] : lists.all.values()) {
    if (name == "zoom_low" || name == "zoom_high") {
      redraw["zoom"].push_back(option_json(value));
    } else {
      (lists.redraw.has(name) ? redraw : json)[name] = option_json(value);
    }
  }
  json["redraw"] = std::move(redraw);
  json["seed"] = record.training.seed;
  return json;
}

PretrainRecord read_pretrain_record(const JsonFields& fields) {
  PretrainRecord record;
  RecordLists lists(record);
  record.data = fields.text("data", "");
  record.tensors_sha256 = fields.text("tensors_sha256", "");
  record.vocabulary = fields.integer("vocabulary", 0);
  record.vocabulary_sha256 = fields.text("vocabulary_sha256", "");
  for (const OptionRow& row : lists.all.rows()) {
    if (!lists.redraw.has(row.name)) read_option(fields, row.name, row.name, lists.all);
  }
  read_option(fields, "fresh", "reinit", lists.all);
  if (fields.has("redraw")) {
    const JsonFields redraw = fields.object("redraw");
    for (const OptionRow& row : lists.redraw.rows()) {
      read_option(redraw, row.name, row.name, lists.redraw);
    }
    read_zoom(redraw, record.training.redraw);
  }
  record.training.seed = read_seed(fields);
  return record;
}

void expect_same_record(const PretrainRecord& was, const PretrainRecord& now,
                        const Origin& origin) {
  expect_same(pretrain_record_json(was), pretrain_record_json(now), origin);
}

}  // namespace openworld
