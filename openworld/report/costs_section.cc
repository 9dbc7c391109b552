#include <fmt/format.h>

#include <set>

#include "openworld/base/version.h"
#include "openworld/report/run_sections.h"
#include "openworld/report/svg_axes.h"

namespace openworld {
namespace {

// The mean over runs that say it.
struct Mean {
  double sum = 0;
  int count = 0;

  void add(const std::optional<double>& value) {
    if (!value) return;
    sum += *value;
    ++count;
  }
  std::string text(double scale, int decimals) const {
    return count == 0 ? "-" : fmt::format("{:.{}f}", scale * sum / count, decimals);
  }
};

struct Costs {
  Mean parameters, train_images, epochs, train_seconds, seconds_per_image, memory;
};

std::string joined(const std::set<std::string>& values) {
  return fmt::format("{}", fmt::join(values, ", "));
}

}  // namespace

void add_costs(HtmlPage& page, const ReportContext& context) {
  std::vector<Costs> costs(context.runs.labels.size());
  for (const CollectedRun& run : context.runs.runs) {
    const RunResult result = run.folder.result("report");
    Costs& mine = costs[run.label];
    mine.parameters.add(static_cast<double>(result.parameters));
    mine.train_images.add(static_cast<double>(result.train_images));
    mine.epochs.add(static_cast<double>(result.epochs));
    mine.train_seconds.add(result.cost.train_seconds);
    mine.seconds_per_image.add(result.cost.seconds_per_image);
    mine.memory.add(result.cost.peak_memory_bytes);
  }
  page.section("What it costs");
  page.paragraph("Means over runs, measured during each run.");
  HtmlTable table({"method", "parameters learned", "training images", "epochs", "training, s",
                   "scoring, ms an image", "peak memory, MiB"});
  for (std::size_t m = 0; m < costs.size(); ++m) {
    const Costs& c = costs[m];
    table.add({{.text = context.runs.labels[m]},
               {.text = c.parameters.text(1, 0)},
               {.text = c.train_images.text(1, 0)},
               {.text = c.epochs.text(1, 0)},
               {.text = c.train_seconds.text(1, 1)},
               {.text = c.seconds_per_image.text(1e3, 3)},
               {.text = c.memory.text(1.0 / (1 << 20), 0)}},
              page.method(context.runs.labels[m]), HtmlTable::Kind::kMethod);
  }
  page.table(table);
}

void add_methods(HtmlPage& page, const ReportContext& context) {
  page.section("How this was made");
  HtmlTable table({"method", "title", "shots", "model", "runs"});
  for (std::size_t m = 0; m < context.runs.labels.size(); ++m) {
    std::set<std::string> titles, shots, models;
    int runs = 0;
    for (const CollectedRun& run : context.runs.runs) {
      if (run.label != m) continue;
      titles.insert(run.spec.title);
      shots.insert(std::to_string(run.spec.shots));
      models.insert(run.spec.model.path);
      ++runs;
    }
    table.add({{.text = context.runs.labels[m]},
               {.text = joined(titles)},
               {.text = joined(shots)},
               {.text = joined(models)},
               {.text = std::to_string(runs)}},
              page.method(context.runs.labels[m]), HtmlTable::Kind::kMethod);
  }
  page.table(table);
  const EvalOptions& options = context.measured.options;
  if (options.ci != Ci::kNone) {
    page.paragraph(fmt::format(
        "Intervals come from {} resamples (seed {}) that redraw the test samples and the training "
        "seeds of every dataset, the same for all methods: the pigeonhole bootstrap (Owen, 2007). "
        "They are conditional on these datasets and slightly conservative. With one "
        "seed "
        "only the samples vary. p-values are two-sided, adjusted by Holm's method over the "
        "methods.",
        options.bootstrap.resamples, options.bootstrap.seed));
    if (context.runs.datasets.size() >= 3) {
      page.paragraph(
          "Intervals over datasets are Student's t on the values of the datasets; they apply "
          "to a new dataset.");
    }
  }
  page.note(fmt::format("openworld {}. The same numbers: openworld eval RUN... --json",
                        OPENWORLD_VERSION));
}

}  // namespace openworld
