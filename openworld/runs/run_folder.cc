#include "openworld/runs/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "openworld/base/error.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/is_file.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/sha256.h"
#include "openworld/runs/run_paths.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

// The numbers N of the folders seed-N in a folder that holds nothing else, ascending; empty
// otherwise. Hidden files do not count.
std::vector<std::uint64_t> seeds_in(const std::string& path) {
  std::vector<std::uint64_t> seeds;
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(".")) continue;
    constexpr std::string_view kPrefix = "seed-";
    std::uint64_t seed = 0;
    const char* last = name.data() + name.size();
    if (!name.starts_with(kPrefix)) return {};
    const auto [stop, wrong] = std::from_chars(name.data() + kPrefix.size(), last, seed);
    const bool is_run = RunFolder(it->path().string()).is_run();
    if (wrong != std::errc() || stop != last || !is_run) return {};
    seeds.push_back(seed);
  }
  if (error) return {};
  std::ranges::sort(seeds);
  return seeds;
}

// The run itself, or those of a folder of seed-N folders, in order of N; none of anything else.
std::vector<std::string> runs_of(const std::string& path) {
  if (RunFolder(path).is_run()) return {path};
  std::vector<std::string> runs;
  for (const std::uint64_t seed : seeds_in(path)) {
    runs.push_back((fs::path(path) / fmt::format("seed-{}", seed)).string());
  }
  return runs;
}

// The runs of the folders in a folder, by name.
std::vector<std::string> runs_below(const std::string& path) {
  std::vector<std::string> folders, runs;
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_directory(ignored)) folders.push_back(it->path().string());
  }
  std::ranges::sort(folders);
  for (const std::string& folder : folders) {
    for (std::string& run : runs_of(folder)) runs.push_back(std::move(run));
  }
  return runs;
}

constexpr std::string_view kViewPrefix = "view-";

const char* name_of(RunFile file) {
  switch (file) {
    case RunFile::kSpec:
      return "run.json";
    case RunFile::kPrompts:
      return "prompts.safetensors";
    case RunFile::kModel:
      return "model.safetensors";
    case RunFile::kPredictions:
      return "predictions.npz";
  }
  return "";
}

std::string hash_of(const std::string& path, std::string_view function) {
  return hex_text(sha256(map_file({std::string(function), path}).values));
}

}  // namespace

std::string RunFolder::view_name(std::size_t view) {
  return fmt::format("{}{:03}.npz", kViewPrefix, view);
}

std::vector<std::string> RunFolder::names_of(RunFile file, const RunResult& result) {
  if (file != RunFile::kPredictions || result.views.empty()) return {name_of(file)};
  std::vector<std::string> names;
  for (const ViewResult& view : result.views) names.push_back(view.file);
  return names;
}

std::vector<std::string> RunFolder::files_like(std::string_view prefix) const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(path_, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (name.starts_with(prefix)) names.push_back(std::move(name));
  }
  return names;
}

std::string RunFolder::file(std::string_view name) const {
  return (fs::path(path_) / name).string();
}

bool RunFolder::is_run() const {
  return is_file(spec_file());
}

bool RunFolder::is_finished() const {
  return is_file(result_file());
}

void RunFolder::expect_run(std::string_view function) const {
  if (is_run()) return;
  std::error_code ignored;
  if (!fs::exists(path_, ignored)) {
    fail(function, fmt::format("{}: not a run folder, it does not exist", path_));
  }
  const std::vector<std::string> runs = expand_run_folders({path_});
  fail(function, fmt::format("{}: not a run folder, it has no run.json{}", path_,
                             runs[0] == path_ ? "" : "; expected a run, such as " + runs[0]));
}

RunSpec RunFolder::spec(std::string_view function) const {
  expect_run(function);
  return read_run_spec({std::string(function), spec_file()});
}

RunResult RunFolder::result(std::string_view function) const {
  expect_finished(function);
  return read_run_result({std::string(function), result_file()});
}

void RunFolder::expect_finished(std::string_view function) const {
  if (is_finished()) return;
  expect_run(function);
  fail(function, fmt::format("{}: not finished, result.json is missing; run the same command again "
                             "to resume",
                             path_));
}

// AtomicFile writes run.json as run.json.tmp.0123456789abcdef, which stays if the process is
// killed.
void RunFolder::remove_unfinished_files() const {
  std::error_code ignored;
  for (const std::string& path :
       {spec_file(), paths_file(), log_file(), state_file(), prompts_file(), model_file(),
        predictions_file(), result_file()}) {
    for (const std::string& name : files_like(fs::path(path).filename().string() + ".tmp.")) {
      fs::remove(file(name), ignored);
    }
  }
  for (const std::string& name : files_like(kViewPrefix)) {
    if (name.find(".npz.tmp.") != std::string::npos) fs::remove(file(name), ignored);
  }
}

void RunFolder::expect_whole(std::initializer_list<RunFile> files,
                             std::string_view function) const {
  if (!is_finished()) return;
  const RunResult found = result(function);
  for (const RunFile each : files) {
    for (const std::string& name : names_of(each, found)) {
      const auto hash = found.files.find(name);
      if (hash == found.files.end()) continue;
      if (hash_of(file(name), function) == hash->second) continue;
      fail(function, fmt::format("{}: its SHA-256 is not the one in result.json: it was changed, "
                                 "is damaged, or is of another run",
                                 file(name)));
    }
  }
}

std::string RunFolder::path_of(RunFile which) const {
  return file(name_of(which));
}

void RunFolder::begin(const RunSpec& spec, std::string_view function) const {
  remove_unfinished_files();
  if (is_run()) return;
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) fail(function, fmt::format("{}: cannot be created: {}", path_, error.message()));
  write_run_paths(*this, function);
  write_file_atomically(spec_file(), run_spec_text(spec) + "\n", std::string(function));
}

RunResult RunFolder::finish(RunResult result, std::string_view function) const {
  for (const RunFile each :
       {RunFile::kSpec, RunFile::kPrompts, RunFile::kModel, RunFile::kPredictions}) {
    for (const std::string& name : names_of(each, result)) {
      if (is_file(file(name))) result.files[name] = hash_of(file(name), function);
    }
  }
  write_file_atomically(result_file(), run_result_json(result).dump(2) + "\n",
                        std::string(function));
  std::error_code ignored;
  fs::remove(state_file(), ignored);
  return result;
}

void RunFolder::clear() const {
  std::error_code ignored;
  fs::remove(result_file(), ignored);
  for (const std::string& name : files_like(kViewPrefix)) fs::remove(file(name), ignored);
  // run.json last: without it the folder is not a run any more.
  for (const std::string& path :
       {state_file(), log_file(), prompts_file(), model_file(), predictions_file(),
        threshold_file(), paths_file(), spec_file()}) {
    fs::remove(path, ignored);
  }
}

std::vector<std::string> expand_run_folders(const std::vector<std::string>& arguments) {
  std::vector<std::string> paths;
  for (const std::string& argument : arguments) {
    std::vector<std::string> runs = runs_of(argument);
    if (runs.empty()) runs = runs_below(argument);
    if (runs.empty()) runs = {argument};
    paths.insert(paths.end(), runs.begin(), runs.end());
  }
  return paths;
}

std::string predictions_path(const std::string& argument, std::string_view function) {
  const std::vector<std::string> paths = expand_run_folders({argument});
  if (paths.size() > 1) {
    fail(function, fmt::format("{}: holds {} runs; expected one, such as {}", argument,
                               paths.size(), paths[0]));
  }
  const RunFolder folder(paths[0]);
  if (!folder.is_run()) {
    std::error_code ignored;
    if (fs::is_directory(argument, ignored) &&
        !is_file((fs::path(argument) / "side.npy").string())) {
      fail(function, fmt::format("{}: not a run folder; expected one with a run.json, or "
                                 "predictions with a side.npy",
                                 argument));
    }
    return argument;
  }
  folder.expect_finished(function);
  if (const RunSpec spec = folder.spec(function); spec.scenario) {
    fail(function, fmt::format("{}: a run of the scenario {}, with predictions for each view; "
                               "expected those of one, such as {}",
                               paths[0], spec.scenario->name, folder.view_file(0)));
  }
  folder.expect_whole({RunFile::kSpec, RunFile::kPredictions}, function);
  return folder.predictions_file();
}

}  // namespace openworld
