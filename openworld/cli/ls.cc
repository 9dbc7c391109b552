// openworld ls: what there is, printed from the tables.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
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
    if (what_ == "curves") return list_curves();
    if (!name_.empty()) return show(*find_metric(name_).row);
    list_metrics();
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

  void list_metrics() const {
    if (json_) {
      Json rows = Json::array();
      for (const MetricRow* row : metric_table()) rows.push_back(row_json(*row));
      return fmt::print("{}\n", Json{{"metrics", rows}}.dump(2));
    }
    std::string_view family;
    for (const MetricRow* row : metric_table()) {
      fmt::print("{}{}{:<32} {}{}\n", family == row->family ? "" : fmt::format("{}\n", row->family),
                 row->standard ? "* " : "  ", metric_name(*row, row->params), row->brief,
                 row->higher_is_better ? "" : " (lower is better)");
      family = row->family;
    }
    fmt::print(
        "\n* in the standard set. Numbers in names are percents and may be others: fpr_at_90tpr.\n"
        "`openworld ls metrics NAME` shows one in full.\n");
  }

  void show(const MetricRow& row) const {
    const Json json = row_json(row);
    if (json_) return fmt::print("{}\n", json.dump(2));
    for (const auto& [key, value] : json.items()) {
      fmt::print("{:<17} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }

  void list_curves() const {
    if (json_) {
      Json rows = Json::array();
      for (const CurveRow& row : curve_table()) {
        rows.push_back({{"name", row.name}, {"brief", row.brief}, {"area", row.metric->name}});
      }
      return fmt::print("{}\n", Json{{"curves", rows}}.dump(2));
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
