#pragma once

// Patient: what `openworld doctor` examines, opened. It has one part or several: a run has
// predictions, a model and images. Checks look at parts (check.h).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/checkpoint/clip_checkpoint.h"
#include "openworld/predictions/predictions.h"
#include "openworld/runs/data_spec.h"
#include "openworld/runs/model_spec.h"
#include "openworld/runs/run_folder.h"

namespace openworld {

enum class PatientKind { kPredictions, kFeatures, kRun, kModel, kData };

// "predictions", "features", "run", "model", "data".
std::string_view patient_kind_name(PatientKind kind);
std::optional<PatientKind> find_patient_kind(std::string_view name);

struct DoctorOptions {
  std::optional<PatientKind> kind{};  // recognised when none
  DatasetOptions data{};              // options.split: this one only
  std::string base = "half";          // which classes of a dataset are base, as in tuning
  std::string activation{};           // of a model that does not say
  std::string vocabulary{};           // of a model
  FeatureCacheSpec cache{};
  std::optional<double> near{};  // cosine of near-identical images; none: from the features
  int threads = 0;
  // Called with images read and all of them.
  std::function<void(std::size_t, std::size_t)> on_image{};
};

// Names that stand in one list.
struct ClassNameList {
  std::vector<std::string> names;
  std::string where;  // the file or folder that has them
};

// Features of images. Vectors have an entry for each image but `values`, which has `width`.
struct FeatureList {
  std::vector<float> values;  // as encoded, not normalised
  std::size_t width = 0;
  std::vector<std::string> images;   // what to call them
  std::vector<std::int32_t> labels;  // -1: unknown
  std::vector<std::string> splits;   // "" where there are none
  std::string where;

  std::size_t size() const { return images.size(); }
};

struct RunPart {
  RunFolder folder;
  RunSpec spec;
};

struct DataPart {
  DataSpec spec;
  std::vector<Dataset> splits;  // all that were asked for; labels mean the same in each
  const std::vector<std::string>& classes() const { return splits.front().classes; }
};

// A part that could not be opened.
struct Unopened {
  std::string role{};  // "model", "images"
  std::string path{};
  std::string error{};  // one line
  bool gone = false;    // there is nothing at the path
  std::string fix{};    // a command
};

struct Patient {
  std::string path;
  PatientKind kind = PatientKind::kPredictions;
  DoctorOptions options;
  std::optional<RunPart> run{};
  std::vector<Predictions> predictions{};
  std::optional<ClipCheckpoint> model{};
  std::optional<DataPart> data{};
  std::optional<FeatureList> features{};
  std::vector<ClassNameList> names{};
  std::vector<std::uint8_t> is_base{};  // by label of `data` and `features`
  std::vector<Unopened> unopened{};

  // Base, new or unknown, of a label of `data` or `features`.
  Side side_of(std::int32_t label) const;
};

// What is at `path`. Throws Error as [doctor].
PatientKind recognise_patient(const std::string& path);

// Opens what is at `path`. Parts of a run that cannot be opened are listed in it; everything else
// that cannot is an Error.
Patient open_patient(const std::string& path, const DoctorOptions& options);

// Opens all splits of a dataset, or the one that is asked for. Two classes may share a name.
DataPart open_all_splits(const std::string& path, const DatasetOptions& options);

}  // namespace openworld
