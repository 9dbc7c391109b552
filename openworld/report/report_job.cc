#include "openworld/report/report_job.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "openworld/base/error.h"
#include "openworld/base/version.h"
#include "openworld/io/atomic_file.h"
#include "openworld/report/short_names.h"
#include "openworld/report/study_page.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

constexpr auto kFunction = "report";

// Of a folder that is not a run, the message of the reader would speak of arrays alone.
void expect_predictions(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored) || fs::exists(fs::path(path) / "side.npy", ignored)) return;
  fail(kFunction, fmt::format("{}: not a run folder; expected one with a run.json, or predictions "
                              "with a side.npy, or a study with a study.json",
                              path));
}

StudyTableOptions study_options(const ReportRequest& request) {
  StudyTableOptions options;
  options.measure.bootstrap = request.options.bootstrap;
  if (request.options.ci == Ci::kNone) options.measure.ci = StudyCi::kNone;
  return options;
}

}  // namespace

ReportResult write_report(const ReportRequest& request) {
  std::vector<std::string> folders, paths, studies;
  for (const std::string& path : expand_run_folders(request.paths)) {
    if (RunFolder(path).is_run()) {
      folders.push_back(path);
    } else if (is_study(path)) {
      studies.push_back(path);
    } else {
      expect_predictions(path);
      paths.push_back(path);
    }
  }
  if (folders.empty() && paths.empty() && studies.empty()) {
    fail(kFunction, "no paths; expected runs, predictions or studies");
  }
  if (folders.empty() && !request.against.empty()) fail(kFunction, "--against needs run folders");
  const std::vector<ReportFile> files = open_report_files(paths, short_names(paths));
  ReportInput input{.files = files, .file_metrics = {request.file_metrics, request.options}};
  std::vector<StudyPageData> opened;
  std::vector<StudyPageInput> study_inputs;
  for (const std::string& study : studies) {
    opened.emplace_back(study, study_options(request), kFunction);
    study_inputs.push_back(opened.back().input(opened.back().name()));
  }
  for (const StudyPageInput& study : study_inputs) input.studies.push_back(&study);
  std::optional<RunCollection> runs;
  std::optional<MeasuredRuns> measured;
  if (!folders.empty()) {
    runs = open_runs(folders, kFunction);
    const std::size_t reference =
        request.against.empty() ? 0 : runs->find_label(request.against, kFunction);
    measured = measure_runs(
        *runs, request.run_metrics.empty() ? find_metrics(runs->metrics()) : request.run_metrics,
        reference, request.options);
    input.runs = &*runs;
    input.measured = &*measured;
  }
  const ReportPage page = report_page(input, request.page);
  write_file_atomically(request.out, page.html, kFunction);
  ReportResult result{.out = request.out,
                      .bytes = page.html.size(),
                      .pictures = page.pictures,
                      .missing = page.missing,
                      .runs = runs ? runs->runs.size() : 0,
                      .labels = runs ? runs->labels : std::vector<std::string>(),
                      .datasets = runs ? runs->datasets : std::vector<std::string>(),
                      .files = {},
                      .studies = studies,
                      .summary = describe_report(input)};
  for (const ReportFile& file : files) {
    result.files.push_back({file.path, file.label, std::string(file.kind())});
  }
  return result;
}

nlohmann::ordered_json report_json(const ReportResult& result) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const ReportResult::File& file : result.files) {
    files.push_back({{"path", file.path}, {"label", file.label}, {"kind", file.kind}});
  }
  nlohmann::ordered_json missing = nlohmann::ordered_json::array();
  for (const MissingPictures& each : result.missing) {
    missing.push_back({{"dataset", each.dataset}, {"why", each.why}});
  }
  return {{"schema", "openworld.report/2"},
          {"version", OPENWORLD_VERSION},
          {"out", result.out},
          {"bytes", result.bytes},
          {"pictures", result.pictures},
          {"without_pictures", std::move(missing)},
          {"runs", result.runs},
          {"labels", result.labels},
          {"datasets", result.datasets},
          {"files", std::move(files)},
          {"studies", result.studies}};
}

}  // namespace openworld
