// openworld ls: lists metrics, learners and the rest, from the tables.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "openworld/analysis/curve.h"
#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/checkpoint/bundled_models.h"
#include "openworld/checkpoint/checkpoint_format.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/model_library.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_rows.h"
#include "openworld/detection/detection_evaluation.h"
#include "openworld/metrics/table.h"
#include "openworld/openset/detection_score.h"
#include "openworld/openset/uncertainty.h"
#include "openworld/scenarios/plan_json.h"
#include "openworld/scenarios/table.h"
#include "openworld/studies/plan_text.h"
#include "openworld/worlds/format.h"
#include "openworld/worlds/templates.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

std::string_view ties_name(const MetricRow& row) {
  if (!row.ties) return "";
  return *row.ties == Ties::kHalf ? "half" : "strict";
}

class Ls : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option(
           "WHAT", what_,
           "learners, scenarios, studies, metrics, curves, scores, uncertainties, templates, "
           "datasets, checkpoints or models")
        ->check(CLI::IsMember({"learners", "scenarios", "studies", "metrics", "curves", "scores",
                               "uncertainties", "templates", "datasets", "checkpoints", "models"}))
        ->required();
    app.add_option("NAME", name_, "show this one in full");
    declare_json(app, json_);
  }

  void run() override {
    if (what_ == "learners") {
      model_library().list_learners({name_, json_});
    } else if (what_ == "scenarios") {
      list_scenarios();
    } else if (what_ == "studies") {
      list_studies();
    } else if (what_ == "curves") {
      name_.empty() ? list_curves() : show(curve_json(find_curve(name_)));
    } else if (what_ == "templates") {
      name_.empty() ? list_templates() : show(template_json(find_template_set(name_)));
    } else if (what_ == "scores") {
      list_scores();
    } else if (what_ == "uncertainties") {
      list_uncertainties();
    } else if (what_ == "datasets" || what_ == "checkpoints" || what_ == "models") {
      if (!name_.empty()) fail("ls", fmt::format("{} cannot be shown one by one", what_));
      list_formats();
    } else {
      name_.empty() ? list_metrics() : show(metric_json());
    }
  }

 private:
  // The metric that was named: of rankings, or of detections.
  Json metric_json() const {
    for (const MetricInfo* info : detection_metric_table()) {
      if (info->name == name_) return detection_row_json(*info);
    }
    return row_json(*find_metric(name_).row);
  }

  static Json info_json(const MetricInfo& info) {
    return {{"name", metric_name(info, info.params)},
            {"pattern", info.name},
            {"aliases", info.aliases},
            {"family", info.family},
            {"title", info.title},
            {"brief", info.brief},
            {"citation", info.citation},
            {"higher_is_better", info.higher_is_better},
            {"standard", info.standard}};
  }

  static Json detection_row_json(const MetricInfo& info) {
    Json json = info_json(info);
    json["interval"] = info.is_count ? "none" : "bootstrap";
    json["command"] = "detect";
    return json;
  }

  static Json row_json(const MetricRow& row) {
    Json json = info_json(row.info);
    if (row.ties) json["ties"] = ties_name(row);
    json["interval"] = row.kernel ? "delong" : row.interval ? "closed form" : "bootstrap";
    return json;
  }

  static Json curve_json(const CurveRow& row) {
    return {{"name", row.name},
            {"brief", row.brief},
            {"x_title", row.x_title},
            {"y_title", row.y_title},
            {"area", row.metric->info.name}};
  }

  // By family, both in the order of the table.
  void list_metrics() const {
    if (wants_rows(json_)) {
      Json rows = Json::array();
      for (const MetricRow* row : metric_table()) rows.push_back(row_json(*row));
      for (const MetricInfo* info : detection_metric_table()) {
        rows.push_back(detection_row_json(*info));
      }
      return print_rows("metrics", rows, json_);
    }
    std::vector<std::string_view> families;
    for (const MetricRow* row : metric_table()) {
      if (std::find(families.begin(), families.end(), row->info.family) == families.end()) {
        families.push_back(row->info.family);
      }
    }
    for (const std::string_view family : families) {
      print_out("{}\n", family);
      for (const MetricRow* row : metric_table()) {
        if (row->info.family == family) print_line(row->info);
      }
    }
    print_out("detection\n");
    for (const MetricInfo* info : detection_metric_table()) print_line(*info);
    print_out(
        "\n* in the standard set. Numbers in names are percentages and can be changed: "
        "fpr_at_90tpr.\n"
        "`openworld ls metrics NAME` shows one in full.\n");
  }

  static void print_line(const MetricInfo& info) {
    print_out("{}{:<32} {}{}\n", info.standard ? "* " : "  ", metric_name(info, info.params),
              info.brief, info.higher_is_better ? "" : " (lower is better)");
  }

  void show(const Json& json) const {
    if (json_) return print_json(json);
    for (const auto& [key, value] : json.items()) {
      print_out("{:<17} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }

  void list_curves() const {
    if (wants_rows(json_)) {
      Json rows = Json::array();
      for (const CurveRow& row : curve_table()) rows.push_back(curve_json(row));
      return print_rows("curves", rows, json_);
    }
    for (const CurveRow& row : curve_table()) {
      print_out("  {:<12} {}; its area is {}\n", row.name, row.brief, row.metric->info.title);
    }
  }

  void list_scenarios() const {
    if (!name_.empty()) {
      const ScenarioRow& row = find_scenario(name_);
      return json_ ? print_json(scenario_json(row)) : print_scenario(row);
    }
    Json rows = Json::array();
    for (const ScenarioRow& row : scenario_rows()) {
      rows.push_back(scenario_json(row));
      if (!wants_rows(json_)) print_out("  {:<14} {}\n", row.name, row.description);
    }
    if (wants_rows(json_)) return print_rows("scenarios", rows, json_);
    print_out("\n`openworld ls scenarios NAME` shows one in full.\n");
  }

  static void print_scenario(const ScenarioRow& row) {
    print_out("{} ({}, version {}): {}\n{}\n\nlevels    {}\ntuned on  {}\n", row.title, row.name,
              row.version, row.description, row.citation, row.levels, row.trained);
    const Scenario scenario(row.name);
    print_out("\nOptions, set by --set key=value:\n");
    for (const OptionRow& option : scenario.options().rows()) {
      print_out("  {:<12} {} [{}]\n{:15}{}\n", option.name, option.help,
                option_text(option.value()), "", option.expected);
    }
    print_out("\nopenworld scenario show {} --data doodles:animals\n", row.name);
  }

  static Json study_json(const BundledPlan& plan) {
    return {{"name", plan.name},
            {"description", plan.description},
            {"source", plan.source},
            {"plan", plan.path}};
  }

  void list_studies() const {
    Json rows = Json::array();
    std::vector<std::string> names;
    for (const BundledPlan& plan : bundled_plans("ls")) {
      if (name_ == plan.name) return show(study_json(plan));
      names.push_back(plan.name);
      rows.push_back(study_json(plan));
      if (wants_rows(json_) || !name_.empty()) continue;
      print_out("  {:<22} {} ({})\n", plan.name, plan.description, short_source(plan.source));
    }
    if (!name_.empty()) {
      fail("ls",
           fmt::format("no bundled plan is called '{}'; {}", name_, known_names(name_, names)));
    }
    if (wants_rows(json_)) return print_rows("studies", rows, json_);
    print_out("\n`openworld study run NAME --out STUDY` runs one, with --quick a small variant.\n");
  }

  // The part of a citation that names the table.
  static std::string_view short_source(std::string_view source) {
    const std::size_t at = std::min(source.find("Table"), source.find("Figure"));
    return at == std::string_view::npos ? source : source.substr(at);
  }

  static Json models_json(bool softmax, bool sigmoid) {
    Json models = Json::array();
    if (softmax) models.push_back("softmax");
    if (sigmoid) models.push_back("sigmoid");
    return models;
  }

  void list_scores() const {
    Json rows = Json::array();
    std::vector<std::string> known;
    for (const DetectionScore& score : detection_scores()) {
      known.emplace_back(score.name);
      if (!name_.empty() && score.name != name_) continue;
      rows.push_back({{"name", score.name},
                      {"brief", score.brief},
                      {"citation", score.citation},
                      {"models", models_json(score.softmax, score.sigmoid)}});
      if (!wants_rows(json_) && name_.empty()) {
        print_out("  {:<18} {}\n", score.name, score.brief);
      }
    }
    if (rows.empty()) {
      fail("ls", fmt::format("no score is called '{}'; {}", name_, known_names(name_, known)));
    }
    if (!name_.empty()) return show(rows[0]);
    if (wants_rows(json_)) return print_rows("scores", rows, json_);
    print_out("\nLarger means more base-like. `openworld score` and `eval` use them.\n");
  }

  void list_uncertainties() const {
    Json rows = Json::array();
    std::vector<std::string> known;
    for (const UncertaintyRow& row : uncertainty_table()) {
      known.emplace_back(row.name);
      if (!name_.empty() && row.name != name_) continue;
      const Json models = models_json(row.softmax, row.sigmoid);
      rows.push_back({{"name", row.name},
                      {"title", row.title},
                      {"brief", row.brief},
                      {"citation", row.citation},
                      {"models", models},
                      {"published", row.published}});
      if (!wants_rows(json_) && name_.empty()) {
        print_out("{}{:<14} {} ({})\n", row.published ? "* " : "  ", row.name, row.brief,
                  fmt::join(models.get<std::vector<std::string>>(), ", "));
      }
    }
    if (rows.empty()) {
      fail("ls",
           fmt::format("no uncertainty is called '{}'; {}", name_, known_names(name_, known)));
    }
    if (!name_.empty()) return show(rows[0]);
    if (wants_rows(json_)) return print_rows("uncertainties", rows, json_);
    print_out("\n* as published. Larger means more certain. `openworld openset` uses them.\n");
  }

  static Json template_json(const TemplateSet& set) {
    return {{"name", set.name},
            {"description", set.description},
            {"source", set.source},
            {"templates", set.templates}};
  }

  void list_templates() const {
    if (wants_rows(json_)) {
      Json rows = Json::array();
      for (const TemplateSet& set : template_sets()) rows.push_back(template_json(set));
      return print_rows("templates", rows, json_);
    }
    for (const TemplateSet& set : template_sets()) {
      print_out("  {:<22} {}\n", set.name, set.description);
    }
    print_out("\n`openworld ls templates NAME` shows one in full.\n");
  }

  // What --data or --model can be.
  void list_formats() const {
    std::vector<std::pair<std::string_view, std::string_view>> rows;
    if (what_ == "datasets") {
      for (const DatasetFormat* row : dataset_formats())
        rows.emplace_back(row->name, row->looks_like);
    } else if (what_ == "models") {
      for (const BundledModel& row : bundled_models()) rows.emplace_back(row.name, row.description);
    } else {
      for (const CheckpointFormat& row : checkpoint_formats()) {
        rows.emplace_back(row.name, row.description);
      }
    }
    Json json = Json::array();
    for (const auto& [name, description] : rows) {
      if (!wants_rows(json_)) print_out("  {:<14} {}\n", name, description);
      json.push_back({{"name", name}, {"description", description}});
    }
    if (wants_rows(json_)) print_rows(what_, json, json_);
  }

  std::string what_;
  std::string name_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_ls() {
  return std::make_unique<Ls>();
}

}  // namespace openworld
