#include "openworld/report/page_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/io/machine_error.h"
#include "openworld/report/page_group.h"
#include "openworld/report/sample_pictures.h"
#include "openworld/runs/threshold_file.h"

namespace openworld {
namespace {

// Scores that a page stores of all runs together: 64 kB, 87 kB as text.
constexpr std::size_t kValues = 1 << 14;
constexpr std::size_t kFewestValues = 129;  // of a run
// Confusions of all runs together, and the fewest and most of a method.
constexpr std::size_t kConfusions = 1000, kFewestConfusions = 10, kMostConfusions = 30;
// Points of losses of all runs together, and the fewest and most of a run.
constexpr std::size_t kLosses = 2000, kFewestLosses = 20, kMostLosses = 200;

struct Found {
  std::optional<SamplePictures> pictures{};
  std::string why{};
};

Found find_pictures(const CollectedRun& run, const NamedData& images) {
  try {
    std::optional<Dataset> dataset = open_named_data(run.folder, run.spec.data, images);
    if (!dataset) {
      return {.why =
                  images.paths.empty()
                      ? "no pictures, images are read only from datasets that are named for this "
                        "page, with --data or data="
                      : "no pictures, none of the datasets that --data or data= names is at its "
                        "place or lists its images"};
    }
    return {.pictures = SamplePictures(std::move(*dataset), run.predictions)};
  } catch (const MachineError&) {
    throw;
  } catch (const Error& error) {
    return {.why = fmt::format("no pictures, {}", error.what())};
  }
}

void add_run_groups(HtmlPage& page, const ReportContext& context, const ViewOptions& options,
                    const GroupLimits& limits, PageData& data, ShownSamples& shown) {
  const RunCollection& runs = context.runs;
  for (std::size_t d = 0; d < runs.datasets.size(); ++d) {
    TestedGroup tested{.name = runs.datasets[d], .runs = {}, .classes = {}};
    for (std::size_t m = 0; m < runs.labels.size(); ++m) {
      for (const std::uint64_t seed : context.figures.seeds[d]) {
        const CollectedRun& run = runs.find(m, d, seed);
        TestedRun& made = tested.runs.emplace_back(
            TestedRun{page.method(runs.labels[m]), seed, &run.predictions});
        const auto set = read_threshold({"report", run.folder.threshold_file()});
        if (set) made.threshold = set->value;
        auto losses = read_losses(run.folder.log_file(), limits.losses);
        if (losses.size() > 1) data.losses.push_back({made.method, d, seed, std::move(losses)});
      }
    }
    Found found;
    if (limits.samples > 0) {
      found = find_pictures(runs.find(0, d, context.figures.seeds[d][0]), options.images);
    }
    tested.no_pictures = found.why;
    if (found.pictures) {
      tested.classes = found.pictures->dataset().classes;
      tested.picture = [&](std::size_t row) { return found.pictures->picture(row); };
    }
    PageGroup& group = data.groups.emplace_back(make_group(tested, limits));
    if (found.pictures && group.shown) {
      const auto unreadable = std::ranges::count(group.shown->pictures, std::string());
      shown.pictures += group.shown->pictures.size() - static_cast<std::size_t>(unreadable);
      if (unreadable > 0) {
        group.no_pictures = fmt::format(
            "{} pictures left out: they are gone, larger than {} KiB, or of a kind that browsers "
            "do "
            "not show",
            unreadable, kLargestPicture / 1024);
      }
    }
    if (!group.no_pictures.empty()) shown.missing.push_back({group.name, group.no_pictures});
  }
}

bool same_samples(const Predictions& a, const Predictions& b) {
  return std::ranges::equal(a.side.values, b.side.values) &&
         std::ranges::equal(a.label.values, b.label.values) && a.base_classes == b.base_classes;
}

// Files of the same samples together.
void add_file_groups(HtmlPage& page, std::span<const ReportFile> files, const GroupLimits& limits,
                     PageData& data) {
  std::vector<std::vector<const ReportFile*>> sets;
  for (const ReportFile& file : files) {
    if (file.predictions.side.size() == 0) continue;
    const auto found = std::ranges::find_if(
        sets, [&](const auto& set) { return same_samples(set[0]->predictions, file.predictions); });
    if (found == sets.end()) {
      sets.push_back({&file});
    } else {
      found->push_back(&file);
    }
  }
  for (const auto& set : sets) {
    TestedGroup tested{.name = set[0]->label, .runs = {}, .classes = {}};
    if (set.size() > 1) tested.name += fmt::format(" and {} more", set.size() - 1);
    for (const ReportFile* file : set) {
      tested.runs.push_back({page.method(file->label), 0, &file->predictions});
    }
    data.groups.push_back(make_group(tested, limits));
  }
}

constexpr std::string_view kWithout = "This part needs scripts, which this reader does not run.";

void add_sections(HtmlPage& page, const PageData& data) {
  if (data.groups.empty()) return;
  page.section("Choose a threshold");
  page.paragraph(
      "A sample whose score r is above the threshold is called base and has the answer of the base "
      "classifier; any other is passed on to the new one. Move the slider, or drag in a figure.");
  page.view("threshold", kWithout);
  const bool any = std::ranges::any_of(data.groups, [](const auto& g) { return bool(g.shown); });
  if (any) {
    page.section("Samples");
    page.paragraph(
        "How samples of every kind end at the threshold above, with the answer of each method and "
        "its r. Nothing is told the true side. Of the first seed.");
    page.view("samples", kWithout);
  }
  if (std::ranges::any_of(data.groups, [](const auto& g) { return bool(g.by_class); })) {
    page.section("Classes");
    page.paragraph(
        "Means over seeds. Wrong answers are among all names at once, or where a file does not "
        "have them, those of the classifier of the true side.");
    page.view("classes", kWithout);
  }
  if (!data.losses.empty()) {
    page.section("Training");
    page.paragraph("The loss over training steps, the mean of each epoch, a line for each run.");
    page.view("loss", kWithout);
  }
}

}  // namespace

ShownSamples add_views(HtmlPage& page, const ReportContext* runs, std::span<const ReportFile> files,
                       const ViewOptions& options) {
  const std::size_t count =
      std::max<std::size_t>((runs != nullptr ? runs->runs.runs.size() : 0) + files.size(), 1);
  const GroupLimits limits{
      .samples = options.samples,
      .values = std::max(kFewestValues, kValues / count),
      .confusions = std::clamp(kConfusions / count, kFewestConfusions, kMostConfusions),
      .losses = std::clamp(kLosses / count, kFewestLosses, kMostLosses)};
  PageData data;
  ShownSamples shown;
  if (runs != nullptr) add_run_groups(page, *runs, options, limits, data, shown);
  add_file_groups(page, files, limits, data);
  add_sections(page, data);
  page.data(page_data_json(data, page.methods()));
  return shown;
}

}  // namespace openworld
