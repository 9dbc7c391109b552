// openworld ls: what there is, printed from the tables.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/print_json.h"
#include "openworld/metrics/curve.h"
#include "openworld/metrics/table.h"

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
    app.add_option("WHAT", what_, "metrics or curves")
        ->check(CLI::IsMember({"metrics", "curves"}))
        ->required();
    app.add_option("NAME", name_, "one of them, in full");
    declare_json(app, json_);
  }

  void run() override {
    if (what_ == "curves") {
      name_.empty() ? list_curves() : show(curve_json(find_curve(name_)));
    } else {
      name_.empty() ? list_metrics() : show(row_json(*find_metric(name_).row));
    }
  }

 private:
  static Json row_json(const MetricRow& row) {
    Json json = {{"name", metric_name(row, row.params)},
                 {"pattern", row.name},
                 {"aliases", row.aliases},
                 {"family", row.family},
                 {"title", row.title},
                 {"brief", row.brief},
                 {"citation", row.citation},
                 {"higher_is_better", row.higher_is_better},
                 {"standard", row.standard}};
    if (row.ties) json["ties"] = ties_name(row);
    json["interval"] = row.kernel ? "delong" : row.interval ? "closed form" : "bootstrap";
    return json;
  }

  static Json curve_json(const CurveRow& row) {
    return {{"name", row.name},
            {"brief", row.brief},
            {"x_title", row.x_title},
            {"y_title", row.y_title},
            {"area", row.metric->name}};
  }

  // By family, both in the order of the table.
  void list_metrics() const {
    if (json_) {
      Json rows = Json::array();
      for (const MetricRow* row : metric_table()) rows.push_back(row_json(*row));
      return print_json({{"metrics", std::move(rows)}});
    }
    std::vector<std::string_view> families;
    for (const MetricRow* row : metric_table()) {
      if (std::find(families.begin(), families.end(), row->family) == families.end()) {
        families.push_back(row->family);
      }
    }
    for (const std::string_view family : families) {
      fmt::print("{}\n", family);
      for (const MetricRow* row : metric_table()) {
        if (row->family == family) print_line(*row);
      }
    }
    fmt::print(
        "\n* in the standard set. Numbers in names are percents and may be others: fpr_at_90tpr.\n"
        "`openworld ls metrics NAME` shows one in full.\n");
  }

  static void print_line(const MetricRow& row) {
    fmt::print("{}{:<32} {}{}\n", row.standard ? "* " : "  ", metric_name(row, row.params),
               row.brief, row.higher_is_better ? "" : " (lower is better)");
  }

  void show(const Json& json) const {
    if (json_) return print_json(json);
    for (const auto& [key, value] : json.items()) {
      fmt::print("{:<17} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }

  void list_curves() const {
    if (json_) {
      Json rows = Json::array();
      for (const CurveRow& row : curve_table()) rows.push_back(curve_json(row));
      return print_json({{"curves", std::move(rows)}});
    }
    for (const CurveRow& row : curve_table()) {
      fmt::print("  {:<12} {}; its area is {}\n", row.name, row.brief, row.metric->title);
    }
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
