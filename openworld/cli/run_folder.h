#pragma once

// The run folder that `openworld tune` writes, as the commands that measure read it.
//
//   run.json         what the result depends on, schema "openworld.run/1"; written first
//   predictions.npz  on the test split (io/predictions.h)
//   result.json      what it cost, schema "openworld.tune/1"; written last: the run is finished
//
// With several seeds there is a folder of run folders seed-1, seed-2, ... that stands for all of
// them. Files are hostile as everywhere: every field is checked and refused by name.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace openworld {

// What opens the dataset of a run again; fields are "" where they were not given.
struct RunData {
  std::string path;
  std::string train_split, test_split;
  std::string image_root, names, format;
};

struct RunFolder {
  std::string path;
  std::string method;
  std::string title;  // for people
  // In tables: the one that was given, else the method with " key=value" for every option changed.
  std::string label;
  std::uint64_t seed = 0;
  std::int64_t shots = 0;
  std::string model;
  RunData data;

  std::string file(std::string_view name) const;
};

// What a run cost, from result.json; none where the file does not say.
struct RunCost {
  std::optional<double> parameters{}, train_images{}, epochs{};
  std::optional<double> train_seconds{}, seconds_per_image{}, peak_memory_bytes{};
};

// Whether `path` is a folder with a run.json.
bool is_run_folder(const std::string& path);

// Reads run.json of a finished run. Throws Error as [function], also when result.json is not there
// yet.
RunFolder read_run_folder(const std::string& path, std::string_view function);

RunCost read_run_cost(const RunFolder& run, std::string_view function);

// The arguments with each folder that holds nothing but seed-N folders replaced by those, in order
// of N.
std::vector<std::string> expand_run_folders(const std::vector<std::string>& arguments);

// Where the predictions are: in the run folder, or the argument itself if it is none. Throws Error
// as [function] for a run that is not finished and for a folder of several.
std::string predictions_path(const std::string& argument, std::string_view function);

}  // namespace openworld
