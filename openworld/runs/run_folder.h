#pragma once

// RunFolder: where a run lies. run.json is written first and result.json last; everything in
// between can be resumed.
//
//   run.json             the spec (run_spec.h)
//   paths.json           where its paths were relative to (run_paths.h)
//   log.jsonl            a line an epoch
//   state.safetensors    of an unfinished training
//   prompts.safetensors  what was learned
//   model.safetensors    instead of it, the network of a run of open-set training
//   predictions.npz      of the test images
//   view-000.npz ...     instead of it, those of each view of a scenario
//   result.json          what was measured (run_result.h)
//   threshold.json       set by `openworld threshold` (threshold_file.h)

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/runs/run_result.h"
#include "openworld/runs/run_spec.h"

namespace openworld {

// Files that a result names with their hashes. kPredictions are those of all views, where a run has
// a scenario.
enum class RunFile { kSpec, kPrompts, kModel, kPredictions };

class RunFolder {
 public:
  explicit RunFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string spec_file() const { return path_of(RunFile::kSpec); }
  std::string paths_file() const { return file("paths.json"); }
  std::string log_file() const { return file("log.jsonl"); }
  std::string state_file() const { return file("state.safetensors"); }
  std::string prompts_file() const { return path_of(RunFile::kPrompts); }
  std::string model_file() const { return path_of(RunFile::kModel); }
  std::string predictions_file() const { return path_of(RunFile::kPredictions); }
  std::string view_file(std::size_t view) const { return file(view_name(view)); }
  static std::string view_name(std::size_t view);
  std::string result_file() const { return file("result.json"); }
  std::string threshold_file() const { return file("threshold.json"); }

  // Whether there is a run.json.
  bool is_run() const;
  // Whether there is a result.json.
  bool is_finished() const;

  // Throw Error as [function].
  void expect_run(std::string_view function) const;
  RunSpec spec(std::string_view function) const;
  RunResult result(std::string_view function) const;
  void expect_finished(std::string_view function) const;
  // Throws Error as [function] unless these files have the hashes that the result names: they may
  // be of another run, or damaged. Results of earlier versions name none; without a result nothing
  // is checked.
  void expect_whole(std::initializer_list<RunFile> files, std::string_view function) const;

  // Makes the folder, removes what a killed writer left unfinished, and writes paths.json and
  // run.json unless the latter is there. Throws Error. REQUIRES: nobody else writes to the folder.
  void begin(const RunSpec& spec, std::string_view function) const;
  // Writes result.json with the hashes of the files, removes the state, and returns the result as
  // it was written. Throws Error.
  RunResult finish(RunResult result, std::string_view function) const;
  // Removes every file of the run.
  void clear() const;

 private:
  std::string file(std::string_view name) const;
  std::string path_of(RunFile file) const;
  static std::vector<std::string> names_of(RunFile file, const RunResult& result);
  // Names of the files in the folder that begin so.
  std::vector<std::string> files_like(std::string_view prefix) const;
  void remove_unfinished_files() const;

  std::string path_;
};

// The arguments with each folder of run folders replaced by those: of seed-N folders in order of N,
// else of runs and folders of seed-N folders, by name.
std::vector<std::string> expand_run_folders(const std::vector<std::string>& arguments);

// Where the predictions are: in the run folder, or the argument itself if it is not one. Throws
// Error as [function] for a run that is not finished, for one of a scenario, which has a file for
// each view, and for a folder of several runs.
std::string predictions_path(const std::string& argument, std::string_view function);

}  // namespace openworld
