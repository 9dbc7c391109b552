// openworld curve: what a threshold trades, over every threshold.

#include "openworld/analysis/curve.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/version.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/predictions_files.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/csv_cell.h"
#include "openworld/io/run_cost.h"
#include "openworld/report/curve_line.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

class CurveCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("FILE", files_, kPredictionsHelp)->required();
    std::vector<std::string> names;
    for (const CurveRow& row : curve_table()) names.emplace_back(row.name);
    app.add_option("--kind", kind_, "which curve; `openworld ls curves` explains them")
        ->check(CLI::IsMember(names))
        ->capture_default_str();
    declare_open(app, open_);
    app.add_option("--points", points_,
                   "maximum number of points; 0: every threshold; the area always uses all of them")
        ->check(whole_number())
        ->capture_default_str();
    app.add_option("--svg", svg_, "write an SVG plot to this file");
    app.add_flag("--csv", csv_, "print the points: file,x,y,threshold");
    declare_json(app, json_);
  }

  void run() override {
    if (csv_ && json_) fail("curve", "--csv and --json both write to standard output; choose one");
    const RunClock clock;
    const CurveRow& row = find_curve(kind_);
    std::vector<Curve> curves;
    for (const std::string& file : files_) {
      const Predictions predictions = load_argument(file, "curve");
      const RankedScores ranked(predictions.outcomes());
      Curve curve = make_curve(Ranking(ranked), row.kind, {.open = parse_open(open_)}, points_);
      if (!curve.area.defined()) {
        fail("curve", fmt::format("{}: no {} curve: {}", file, kind_, curve.area.why));
      }
      curves.push_back(std::move(curve));
    }
    if (!svg_.empty()) write_file_atomically(svg_, picture(row, curves), "curve");
    if (json_) return print_json(row, curves, clock);
    if (csv_) return print_csv(curves);
    print_text(row, curves);
  }

 private:
  std::string picture(const CurveRow& row, const std::vector<Curve>& curves) const {
    Plot plot{.title = fmt::format("{}, the area below", row.metric->info.title),
              .x_title = std::string(row.x_title),
              .y_title = std::string(row.y_title),
              .lines = {}};
    const auto names = short_names(files_);
    for (std::size_t i = 0; i < curves.size(); ++i) {
      plot.lines.push_back(curve_line(
          fmt::format("{}  {}", percent(curves[i].area.value), names[i]), curves[i].points));
    }
    return svg(plot);
  }

  void print_json(const CurveRow& row, const std::vector<Curve>& curves,
                  const RunClock& clock) const {
    Json list = Json::array();
    for (std::size_t i = 0; i < curves.size(); ++i) {
      Json x = Json::array(), y = Json::array(), t = Json::array();
      for (const CurvePoint& p : curves[i].points) {
        x.push_back(p.x);
        y.push_back(p.y);
        t.push_back(std::isfinite(p.threshold) ? Json(p.threshold) : Json("-inf"));
      }
      list.push_back({{"source", files_[i]},
                      {"area", curves[i].area.value},
                      {"max_error", curves[i].max_error},
                      {"x", std::move(x)},
                      {"y", std::move(y)},
                      {"threshold", std::move(t)}});
    }
    const Json json = {{"schema", "openworld.curve/2"},
                       {"version", OPENWORLD_VERSION},
                       {"kind", row.name},
                       {"x_title", row.x_title},
                       {"y_title", row.y_title},
                       {"area_is", row.metric->info.name},
                       {"curves", std::move(list)},
                       {"cost", run_cost_json(clock.cost())}};
    openworld::print_json(json, 1);
  }

  void print_csv(const std::vector<Curve>& curves) const {
    print_out("file,x,y,threshold\n");
    for (std::size_t i = 0; i < curves.size(); ++i) {
      for (const CurvePoint& p : curves[i].points) {
        print_out("{},{},{},{}\n", csv_cell(files_[i]), p.x, p.y, p.threshold);
      }
    }
  }

  void print_text(const CurveRow& row, const std::vector<Curve>& curves) const {
    const auto names = short_names(files_);
    TextTable areas(
        {"", fmt::format("{} (area)", row.metric->info.title), "points", "largest error"});
    for (std::size_t i = 0; i < curves.size(); ++i) {
      areas.add({names[i], percent(curves[i].area.value), std::to_string(curves[i].points.size()),
                 fmt::format("{:.5f}", curves[i].max_error)});
    }
    print_table(areas);
    for (std::size_t i = 0; i < curves.size(); ++i) {
      print_out("\n{}\n", names[i]);
      TextTable table({std::string(row.x_title), std::string(row.y_title), "threshold"});
      // A dozen rows give the shape; --csv, --json and --svg give the rest.
      const auto& points = curves[i].points;
      const std::size_t step = std::max<std::size_t>(1, points.size() / 12);
      for (std::size_t k = 0; k < points.size(); k += step) {
        table.add({fmt::format("{:.4f}", points[k].x), fmt::format("{:.4f}", points[k].y),
                   fmt::format("{:.6g}", points[k].threshold)});
      }
      print_table(table);
    }
    if (!svg_.empty()) print_out("\nwrote {}\n", svg_);
  }

  std::vector<std::string> files_;
  std::string kind_ = "miss-hit";
  std::string open_ = "auto";
  std::string svg_;
  std::size_t points_ = 1000;
  bool csv_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_curve() {
  return std::make_unique<CurveCommand>();
}

}  // namespace openworld
