#include "openworld/cli/models/tuned_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/cli/models/class_list.h"
#include "openworld/cli/models/run_model.h"
#include "openworld/io/option_json.h"
#include "openworld/io/sha256.h"
#include "openworld/worlds/templates.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kFunction = "tune";

// "a photo of a" of "a photo of a {}, a type of pet.".
std::string words_before_name(const std::string& sentence) {
  std::string words = sentence.substr(0, sentence.find("{}"));
  while (words.ends_with(' ')) words.pop_back();
  return words;
}

std::vector<std::string> prompt_names_of(const nlohmann::json& run) {
  auto names = run.at("classes").get<std::vector<std::string>>();
  if (!run.at("keep_underscores").get<bool>()) {
    std::transform(names.begin(), names.end(), names.begin(), spaced);
  }
  return names;
}

// Which images a dataset is, in order.
std::string list_sha256(const Dataset& dataset) {
  std::string list;
  for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
    list += fmt::format("{}\t{}\n", dataset.samples[i].path, dataset.samples[i].label);
  }
  return hex_text(sha256(std::as_bytes(std::span(list))));
}

}  // namespace

RunPaths::RunPaths(const std::string& folder)
    : run(folder + "/run.json"),
      log(folder + "/log.jsonl"),
      state(folder + "/state.safetensors"),
      prompts(folder + "/prompts.safetensors"),
      predictions(folder + "/predictions.npz"),
      result(folder + "/result.json"),
      threshold(folder + "/threshold.json") {}

ChosenMethod::ChosenMethod(const std::string& name)
    : row(&find_learner(name)), options(row->options()) {
  options->declare(list);
}

Json ChosenMethod::changed() const {
  const auto own = row->options();
  OptionList defaults;
  own->declare(defaults);
  return option_json(list.changed_from(defaults));
}

Json run_json(const TuneFlags& flags, const ChosenMethod& method, const LoadedModel& model,
              const Dataset& train, const Dataset& test, std::uint64_t seed) {
  const std::int64_t base = base_classes(flags.base, train.classes.size(), kFunction);
  // A dataset that says how it is prompted is no dataset of photos.
  const bool drawings = !train.templates.empty();
  Json model_part = model_json(model, flags.model);
  model_part["vocabulary"] = flags.model.vocabulary;
  model_part["logit_scale"] = flags.logit_scale;
  Json run = {{"schema", kRunSchema}};
  if (!flags.label.empty()) run["label"] = flags.label;
  run.update({{"method", method.row->name},
              {"title", method.row->title},
              {"options", option_json(method.list.values())},
              {"changed", method.changed()},
              {"seed", seed},
              {"shots", flags.shots},
              {"shot_rule", flags.shot_rule},
              {"views", flags.views},
              {"model", std::move(model_part)},
              {"data",
               {{"path", flags.data.data},
                {"train_split", train.split},
                {"test_split", test.split},
                {"test_data", flags.test_data},
                {"image_root", flags.data.image_root},
                {"names", flags.data.names},
                {"format", flags.data.format},
                {"allow_duplicate_names", flags.data.allow_duplicate_names},
                {"train_sha256", list_sha256(train)},
                {"test_sha256", list_sha256(test)}}},
              {"keep_underscores", flags.keep_underscores},
              {"templates", choose_templates(flags.templates, train)},
              {"template_set", flags.templates},
              {"ensemble", find_template_set(drawings ? "doodles7" : "select7").templates},
              {"plain_words", drawings ? words_before_name(train.templates) : "a photo of a"},
              {"base_classes", base},
              {"new_classes", static_cast<std::int64_t>(train.classes.size()) - base},
              {"classes", train.classes}});
  return run;
}

TuningTask task_of(const nlohmann::json& run, const TextModel& text_model,
                   const std::string& path) {
  try {
    if (run.at("schema") != kRunSchema) throw Error("");
    const std::vector<std::string> names = prompt_names_of(run);
    const auto base = run.at("base_classes").get<std::size_t>();
    if (base > names.size() || base == 0) throw Error("");
    return {.text_model = text_model,
            .base_names = {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(base)},
            .templates = run.at("templates").get<std::vector<std::string>>(),
            .template_set = run.at("template_set").get<std::string>(),
            .ensemble = run.at("ensemble").get<std::vector<std::string>>(),
            .plain_words = run.at("plain_words").get<std::string>(),
            .seed = run.at("seed").get<std::uint64_t>()};
  } catch (const nlohmann::json::exception& e) {
    Origin{"run", path}.fail(fmt::format("is no description of a run: {}", e.what()));
  } catch (const Error&) {
    Origin{"run", path}.fail(fmt::format("is no description of a run of schema {}", kRunSchema));
  }
}

std::vector<std::string> new_names_of(const nlohmann::json& run) {
  const std::vector<std::string> names = prompt_names_of(run);
  return {names.begin() + run.at("base_classes").get<std::ptrdiff_t>(), names.end()};
}

}  // namespace openworld
