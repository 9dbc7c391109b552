#include "openworld/runs/run_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/io/json_fields.h"
#include "openworld/io/json_file.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/option_json.h"
#include "openworld/runs/json_names.h"
#include "openworld/worlds/templates.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

// Every class name of a large dataset, and every template.
constexpr JsonLimits kSpecLimits{
    .bytes = std::size_t{1} << 26, .depth = 32, .values = std::size_t{1} << 22};

std::vector<std::string> prompt_names(const RunSpec& spec, std::size_t begin, std::size_t end) {
  std::vector<std::string> names;
  for (std::size_t i = begin; i < end; ++i) {
    names.push_back(spec.keep_underscores ? spec.classes[i] : spaced(spec.classes[i]));
  }
  return names;
}

Json model_json(const RunModel& model) {
  Json json = {{"path", model.path},
               {"format", model.format},
               {"sha256", model.sha256},
               {"activation", model.activation},
               {"vocabulary", model.vocabulary},
               {"logit_scale", model.logit_scale}};
  if (model.device != "cpu") json["device"] = model.device;
  if (!model.assumptions.empty()) json["assumptions"] = model.assumptions;
  return json;
}

Json data_json(const RunData& data) {
  return {{"path", data.path},
          {"train_split", data.train_split},
          {"test_split", data.test_split},
          {"test_data", data.test_data},
          {"image_root", data.image_root},
          {"names", data.names},
          {"format", data.format},
          {"allow_duplicate_names", data.allow_duplicate_names},
          {"train_sha256", data.train_sha256},
          {"test_sha256", data.test_sha256}};
}

Json test_data_json(const std::vector<RunTestData>& tests) {
  Json list = Json::array();
  for (const RunTestData& test : tests) {
    list.push_back({{"data", test.data}, {"split", test.split}, {"sha256", test.sha256}});
  }
  return list;
}

Json scenario_json(const RunScenario& scenario) {
  return {{"name", scenario.name},
          {"version", scenario.version},
          {"options", option_json(scenario.options)},
          {"looks", test_data_json(scenario.looks)},
          {"targets", test_data_json(scenario.targets)}};
}

Json network_json(const RunNetwork& network) {
  return {{"name", network.name},
          {"split", network.split},
          {"known", network.known},
          {"input", network.input},
          {"unknown", network.unknown},
          {"unknown_split", network.unknown_split},
          {"unknown_sha256", network.unknown_sha256}};
}

Json spec_json(const RunSpec& spec) {
  Json json = {{"schema", kRunSchema}};
  if (!spec.label.empty()) json["label"] = spec.label;
  json.update({{"method", spec.method},
               {"title", spec.title},
               {"options", option_json(spec.options)},
               {"changed", option_json(spec.changed)},
               {"seed", spec.seed},
               {"shots", spec.shots},
               {"shot_rule", spec.shot_rule},
               {"views", spec.views}});
  if (spec.augment) json["augment"] = true;
  json.update({{"model", model_json(spec.model)}, {"data", data_json(spec.data)}});
  if (spec.scenario) json["scenario"] = scenario_json(*spec.scenario);
  if (spec.network) json["network"] = network_json(*spec.network);
  json.update({{"keep_underscores", spec.keep_underscores},
               {"templates", spec.templates},
               {"template_set", spec.template_set},
               {"ensemble", spec.ensemble},
               {"plain_words", spec.plain_words},
               {"base_classes", spec.base_classes},
               {"new_classes", spec.new_classes()},
               {"classes", spec.classes}});
  return json;
}

// Places are looked for in many folders, which of longer texts takes seconds.
void check_paths(const JsonFields& fields, std::initializer_list<const char*> keys) {
  constexpr std::size_t kMost = 1 << 16;
  for (const char* key : keys) {
    if (fields.text(key, "").size() > kMost) {
      fields.fail(key, fmt::format("a path of at most {} bytes", kMost));
    }
  }
}

RunModel model_of(const JsonFields& fields) {
  check_paths(fields, {"path", "vocabulary"});
  RunModel model{.path = name_field(fields, "path"),
                 .format = fields.text("format", ""),
                 .sha256 = fields.text("sha256", ""),
                 .activation = fields.text("activation", ""),
                 .vocabulary = fields.text("vocabulary", ""),
                 .logit_scale = fields.number("logit_scale", 0),
                 .device = fields.text("device", "cpu"),
                 .assumptions = texts_field(fields, "assumptions")};
  if (!(model.logit_scale >= 0)) fields.fail("logit_scale", "a number of at least 0");
  return model;
}

RunData data_of(const JsonFields& fields) {
  check_paths(fields, {"path", "test_data", "image_root", "names"});
  return {.path = name_field(fields, "path"),
          .train_split = fields.text("train_split", ""),
          .test_split = fields.text("test_split", ""),
          .test_data = fields.text("test_data", ""),
          .image_root = fields.text("image_root", ""),
          .names = fields.text("names", ""),
          .format = fields.text("format", ""),
          .allow_duplicate_names = fields.flag("allow_duplicate_names", false),
          .train_sha256 = fields.text("train_sha256", ""),
          .test_sha256 = fields.text("test_sha256", "")};
}

std::vector<RunTestData> test_data_of(const JsonFields& fields, std::string_view key) {
  std::vector<RunTestData> tests;
  for (const JsonFields& test : fields.objects(key)) {
    tests.push_back({.data = name_field(test, "data"),
                     .split = test.text("split", ""),
                     .sha256 = test.text("sha256", "")});
  }
  return tests;
}

OptionValues options_of(const JsonFields& fields, std::string_view key) {
  OptionValues options = option_values(fields, key);
  // They stand in labels: " key=value".
  const auto plain = [](unsigned char c) { return c > 0x20 && c != 0x7f; };
  for (const auto& [name, value] : options) {
    if (!std::ranges::all_of(name, plain)) {
      fields.fail(key, fmt::format("names of options, not {}", in_quotes(name)));
    }
  }
  return options;
}

RunScenario scenario_of(const JsonFields& fields) {
  return {.name = name_field(fields, "name"),
          .version = fields.integer("version", 1),
          .options = options_of(fields, "options"),
          .looks = test_data_of(fields, "looks"),
          .targets = test_data_of(fields, "targets")};
}

RunNetwork network_of(const JsonFields& fields) {
  RunNetwork network{.name = name_field(fields, "name"),
                     .split = fields.text("split", ""),
                     .known = {},
                     .input = fields.integer("input", 0),
                     .unknown = fields.text("unknown", ""),
                     .unknown_split = fields.text("unknown_split", ""),
                     .unknown_sha256 = fields.text("unknown_sha256", "")};
  if (!fields.has("known") || !fields["known"].is_array()) fields.fail("known", "a list of labels");
  for (const nlohmann::json& label : fields["known"]) {
    if (!label.is_number_unsigned() || label.get<std::uint64_t>() > (1u << 30)) {
      fields.fail("known", "labels from 0 to 2^30");
    }
    network.known.push_back(label.get<std::int64_t>());
  }
  if (network.input < 1 || network.input > (1 << 16)) fields.fail("input", "1 to 65536");
  return network;
}

// The first key of `now`, in its order and however deep, whose value in `was` is another. Objects
// are compared regardless of the order of their keys, which reading does not keep.
void expect_same(const nlohmann::json& was, const Json& now, const Origin& origin) {
  for (const auto& [key, value] : now.items()) {
    const nlohmann::json before = was.contains(key) ? was[key] : nlohmann::json();
    if (before == nlohmann::json(value)) continue;
    if (before.is_object() && value.is_object()) expect_same(before, value, origin);
    const auto text = [](const nlohmann::json& json) {
      return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    };
    origin.fail(fmt::format("holds a run with {} {}, not {}; use another folder, or restart", key,
                            text(before), text(value)));
  }
}

}  // namespace

std::vector<std::string> RunSpec::base_names() const {
  return prompt_names(*this, 0, base_classes);
}

std::vector<std::string> RunSpec::new_names() const {
  return prompt_names(*this, base_classes, classes.size());
}

const std::string& RunSpec::data_name() const {
  return network && !network->split.empty() ? network->split : data.path;
}

std::string RunSpec::table_label() const {
  if (!label.empty()) return label;
  std::string text = method;
  for (const auto& [name, value] : changed) {
    const std::string shown = option_text(value);
    const auto plain = [](unsigned char c) { return c > 0x20 && c != 0x7f; };
    text +=
        fmt::format(" {}={}", name, std::ranges::all_of(shown, plain) ? shown : in_quotes(shown));
  }
  return text;
}

std::string run_spec_text(const RunSpec& spec, int indent) {
  return spec_json(spec).dump(indent, ' ', false, Json::error_handler_t::replace);
}

RunSpec parse_run_spec(std::span<const std::byte> text, const Origin& origin) {
  const nlohmann::json json = parse_json(text, origin, kSpecLimits);
  const JsonFields fields(json, "", origin);
  if (fields.text("schema", "") != kRunSchema) fields.fail("schema", kRunSchema);
  RunSpec spec;
  if (fields.has("label")) spec.label = name_field(fields, "label");
  spec.method = name_field(fields, "method");
  spec.title = name_field(fields, "title");
  spec.options = options_of(fields, "options");
  spec.changed = options_of(fields, "changed");
  spec.seed = seed_field(fields, "seed");
  spec.shots = static_cast<std::size_t>(fields.integer("shots", 0));
  spec.shot_rule = fields.text("shot_rule", spec.shot_rule);
  spec.views = fields.integer("views", 0);
  spec.augment = fields.flag("augment", false);
  spec.model = model_of(fields.object("model"));
  spec.data = data_of(fields.object("data"));
  if (fields.has("scenario")) spec.scenario = scenario_of(fields.object("scenario"));
  if (fields.has("network")) spec.network = network_of(fields.object("network"));
  spec.keep_underscores = fields.flag("keep_underscores", false);
  spec.templates = texts_field(fields, "templates");
  spec.template_set = fields.text("template_set", "");
  spec.ensemble = texts_field(fields, "ensemble");
  spec.plain_words = fields.text("plain_words", spec.plain_words);
  spec.base_classes = static_cast<std::size_t>(fields.integer("base_classes", 0));
  spec.classes = texts_field(fields, "classes");
  if (spec.base_classes == 0 || spec.base_classes > spec.classes.size()) {
    fields.fail("base_classes", fmt::format("1 to {}, the number of classes", spec.classes.size()));
  }
  if (spec.network && spec.network->known.size() != spec.base_classes) {
    fields.fail("network",
                fmt::format("{} known labels, one for each base class", spec.base_classes));
  }
  return spec;
}

RunSpec read_run_spec(const Origin& origin) {
  return parse_run_spec(map_file(origin).values, origin);
}

void expect_same_run(const RunSpec& was, const RunSpec& now, const Origin& origin) {
  if (was.scenario && !now.scenario) {
    origin.fail(
        fmt::format("holds a run of the scenario {}, not one without a scenario; use "
                    "another folder, or restart",
                    was.scenario->name));
  }
  if (was.network.has_value() != now.network.has_value()) {
    origin.fail(
        fmt::format("holds a run of `openworld {}`, not one of `openworld {}`; use another "
                    "folder, or restart",
                    was.network ? "osr" : "tune", now.network ? "osr" : "tune"));
  }
  // What was assumed follows from the weights, and earlier versions did not write it.
  RunSpec same = now;
  same.model.assumptions = was.model.assumptions;
  expect_same(spec_json(was), spec_json(same), origin);
}

}  // namespace openworld
