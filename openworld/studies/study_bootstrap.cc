#include "openworld/studies/study_bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>

#include "openworld/analysis/compare_runs.h"
#include "openworld/base/progress.h"
#include "openworld/predictions/predictions.h"
#include "openworld/runs/prediction_meta.h"

namespace openworld {
namespace {

// The predictions of every cell, and views of them as compare_runs takes them.
struct LoadedRuns {
  std::deque<Predictions> predictions;
  RunSet set;
};

// None, and why, if there is a cell without predictions.
std::optional<LoadedRuns> load_runs(const StudyGrid& grid, const std::string& folder,
                                    const std::string& level, std::string& why) {
  LoadedRuns loaded;
  for (const GridWorld& world : grid.worlds) loaded.set.datasets.push_back(world.name);
  for (std::size_t m = 0; m < grid.methods.size(); ++m) {
    RunMethod& method = loaded.set.methods.emplace_back(RunMethod{.name = grid.methods[m]});
    for (std::size_t w = 0; w < grid.worlds.size(); ++w) {
      for (const auto& [seed, cell] : grid.of(m, grid.worlds[w].data)) {
        const std::string path = view_predictions(folder, cell, grid.worlds[w].world, level);
        std::error_code ignored;
        if (path.empty() || !std::filesystem::exists(path, ignored)) {
          why = fmt::format("{} has no predictions", cell.cell->name);
          return std::nullopt;
        }
        loaded.predictions.push_back(load_predictions(path));
        method.runs.push_back({.dataset = w,
                               .seed = static_cast<std::uint64_t>(seed),
                               .outcomes = loaded.predictions.back().outcomes()});
      }
    }
  }
  return loaded;
}

// Scenarios whose views have the same images for every seed. Others draw classes or images by it,
// or leave out the shots where the source is tuned and tested on one split.
constexpr std::string_view kSameViews[] = {"domain"};

// Whether every seed of a world was tested on the same images: resamples are paired by their place.
// Predictions of a run without a scenario list them where they are not all of a split; those of
// views do not.
bool same_samples(const StudyGrid& grid, const LoadedRuns& runs) {
  const auto has_views = [](const GridWorld& world) { return !world.world.empty(); };
  if (std::ranges::any_of(grid.worlds, has_views) &&
      std::ranges::find(kSameViews, grid.scenario) == std::end(kSameViews)) {
    return false;
  }
  struct Samples {
    const Outcomes* outcomes = nullptr;
    std::vector<std::size_t> tested = {};
  };
  std::vector<Samples> first(runs.set.datasets.size());
  auto predictions = runs.predictions.begin();
  for (const RunMethod& method : runs.set.methods) {
    for (const RunOutcomes& run : method.runs) {
      const std::vector<std::size_t> tested =
          tested_samples(*predictions, {"study", predictions->path});
      ++predictions;
      Samples& theirs = first[run.dataset];
      if (theirs.outcomes == nullptr) theirs = {&run.outcomes, tested};
      if (!std::ranges::equal(run.outcomes.side, theirs.outcomes->side) ||
          !std::ranges::equal(run.outcomes.label, theirs.outcomes->label) ||
          tested != theirs.tested) {
        return false;
      }
    }
  }
  return true;
}

// Whether every method has the same cells, which is what compare_runs needs.
bool is_full(const StudyGrid& grid) {
  const auto same_seed = [](const auto& a, const auto& b) { return a.first == b.first; };
  for (const auto& by_data : grid.cells_of) {
    for (std::size_t d = 0; d < by_data.size(); ++d) {
      if (by_data[d].empty() || !std::ranges::equal(by_data[d], grid.cells_of[0][d], same_seed)) {
        return false;
      }
    }
  }
  return true;
}

// The predictions, or none and why.
std::optional<LoadedRuns> paired_runs(const StudyGrid& grid, const BootstrapRequest& request,
                                      std::string& why) {
  if (!is_full(grid)) {
    why = "methods have different datasets or seeds";
    return std::nullopt;
  }
  if (grid.done < grid.cells) {
    why = fmt::format("{} of {} cells are not done", grid.cells - grid.done, grid.cells);
    return std::nullopt;
  }
  std::optional<LoadedRuns> runs = load_runs(grid, request.folder, request.level, why);
  if (runs && !same_samples(grid, *runs)) {
    why = "seeds may have different test samples";
    return std::nullopt;
  }
  return runs;
}

}  // namespace

std::string view_predictions(const std::string& folder, const GridCell& cell,
                             const std::string& world, const std::string& level) {
  const std::string of_cell = folder + "/cells/" + cell.cell->name + "/";
  if (world.empty() && level.empty()) return of_cell + "predictions.npz";
  // A run of a scenario has a file for each view, in the order of the views.
  std::vector<std::pair<std::string, std::string>> views;
  for (const CellValue& value : cell.status->result->values) {
    const std::pair view(value.world, value.level);
    if (std::ranges::find(views, view) == views.end()) views.push_back(view);
  }
  std::vector<std::string> files;
  for (const CellFile& file : cell.status->result->files) {
    if (file.name.starts_with("view-")) files.push_back(file.name);
  }
  const auto found = std::ranges::find(views, std::pair(world, level));
  if (found == views.end() || files.size() != views.size()) return "";
  return of_cell + files[static_cast<std::size_t>(found - views.begin())];
}

void add_bootstrap(MeasuredLevel& measured, const StudyGrid& grid, const BootstrapRequest& request,
                   const BootstrapOptions& options) {
  const std::optional<LoadedRuns> runs = paired_runs(grid, request, measured.note);
  if (!runs) return;
  std::vector<MetricRequest> requests;
  for (const std::string& metric : request.metrics) requests.push_back(find_metric(metric));
  EvalOptions eval{.ci = Ci::kBootstrap, .bootstrap = options};
  Progress progress("resampling cells", options.resamples);
  eval.bootstrap.progress = [&](std::size_t done) { progress.update(done); };
  const RunComparison comparison =
      compare_runs(runs->set, requests, request.reference.value_or(0), eval);
  for (std::size_t k = 0; k < requests.size(); ++k) {
    for (std::size_t m = 0; m < grid.methods.size(); ++m) {
      MeasuredMethod& mine = measured.metrics[k][m];
      const RunMetric& values = comparison.values[m][k];
      mine.average.interval = values.mean.interval;
      for (std::size_t w = 0; w < mine.worlds.size(); ++w) {
        mine.worlds[w].interval = values.by_dataset[w].interval;
      }
      if (!request.reference || m == *request.reference) continue;
      const RunMetric& differences = comparison.differences[m][k];
      mine.average.p = differences.mean.p_value;
      for (std::size_t w = 0; w < mine.worlds.size(); ++w) {
        mine.worlds[w].p = differences.by_dataset[w].p_value;
      }
    }
  }
  measured.interval = "two_way_bootstrap";
}

}  // namespace openworld
