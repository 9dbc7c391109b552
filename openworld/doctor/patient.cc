#include "openworld/doctor/patient.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "openworld/base/error.h"
#include "openworld/checkpoint/bundled_models.h"
#include "openworld/checkpoint/checkpoint_format.h"
#include "openworld/doctor/feature_list.h"
#include "openworld/doctor/fix_command.h"
#include "openworld/io/class_choice.h"
#include "openworld/io/csv.h"
#include "openworld/io/feature_reader.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/zip.h"
#include "openworld/runs/run_paths.h"
#include "openworld/worlds/spec_text.h"
#include "openworld/worlds/train_test_data.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

constexpr auto kFunction = "doctor";

struct KindName {
  PatientKind kind;
  std::string_view name;
};
constexpr KindName kKindNames[] = {{PatientKind::kPredictions, "predictions"},
                                   {PatientKind::kFeatures, "features"},
                                   {PatientKind::kRun, "run"},
                                   {PatientKind::kModel, "model"},
                                   {PatientKind::kData, "data"}};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool ends_with_any(std::string_view path, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](auto ending) { return path.ends_with(ending); });
}

PatientKind recognise_npz(const Origin& origin) {
  const ZipArchive archive(map_file(origin), origin);
  if (archive.find("side.npy") != nullptr) return PatientKind::kPredictions;
  if (FeatureReader(origin.file, kFunction).has_features()) return PatientKind::kFeatures;
  origin.fail("has neither an array side nor features; expected predictions or features");
}

// Features, or the weights of a model. A file that cannot be read as tensors may be a model in a
// format of its own; if it is not, opening it says so.
PatientKind recognise_tensors(const std::string& path) {
  try {
    if (FeatureReader(path, kFunction).has_features()) return PatientKind::kFeatures;
  } catch (const Error&) {
  }
  return PatientKind::kModel;
}

PatientKind recognise_folder(const Origin& origin) {
  const fs::path folder = origin.file;
  if (RunFolder(origin.file).is_run()) return PatientKind::kRun;
  if (is_there(folder / "side.npy")) return PatientKind::kPredictions;
  for (const CheckpointFormat& format : checkpoint_formats()) {
    if (format.in_folder == nullptr) continue;
    if (format.in_folder((folder / "").string(), kFunction)) return PatientKind::kModel;
  }
  return PatientKind::kData;
}

// Says which of the classes are base, by the option.
void mark_base(Patient& patient, std::span<const std::string> names) {
  patient.is_base.assign(names.size(), 0);
  for (const std::size_t c : choose_base(patient.options.base, names.size(), names, kFunction)) {
    patient.is_base[c] = 1;
  }
}

Patient open_predictions(Patient patient) {
  patient.predictions.push_back(load_predictions(patient.path));
  const Predictions& predictions = patient.predictions[0];
  if (!predictions.classes.empty()) patient.names.push_back({predictions.classes, patient.path});
  return patient;
}

Patient open_features(Patient patient) {
  FeaturesWithNames read = read_features(patient.path);
  patient.features = std::move(read.features);
  if (!read.names.empty()) {
    mark_base(patient, read.names);
    patient.names.push_back({std::move(read.names), patient.path});
  }
  return patient;
}

ClipCheckpoint open_model(const std::string& path, const DoctorOptions& options) {
  return open_clip_checkpoint(path, {find_activation(options.activation), kFunction});
}

Patient open_data(Patient patient) {
  patient.data = open_all_splits(patient.path, patient.options.data);
  const std::vector<std::string>& classes = patient.data->classes();
  mark_base(patient, classes);
  if (patient.data->splits[0].named) patient.names.push_back({classes, patient.path});
  return patient;
}

// Calls `open`; what it throws is noted as a part that cannot be opened.
template <class Open>
void try_to_open(Patient& patient, Unopened part, const Open& open) {
  try {
    open();
  } catch (const Error& e) {
    part.gone = !is_bundled_world(part.path) && !is_there(find_bundled_model(part.path));
    part.error = e.message();
    patient.unopened.push_back(std::move(part));
  }
}

void open_run_predictions(Patient& patient) {
  const RunFolder& folder = patient.run->folder;
  if (!folder.is_finished()) return;
  std::vector<std::string> files;
  try_to_open(patient,
              {.role = "result",
               .path = folder.result_file(),
               .fix = "openworld tune, with the options of run.json, writes it again"},
              [&] {
                for (const ViewResult& view : folder.result(kFunction).views) {
                  files.push_back((fs::path(folder.path()) / view.file).string());
                }
                if (files.empty()) files.push_back(folder.predictions_file());
              });
  for (const std::string& file : files) {
    try_to_open(patient,
                {.role = "predictions",
                 .path = file,
                 .fix = "openworld tune, with the options of run.json, writes them again"},
                [&] { patient.predictions.push_back(load_predictions(file)); });
  }
}

void open_run_data(Patient& patient) {
  const RunData& data = patient.run->spec.data;
  const DatasetOptions options{.split = "",
                               .image_root = data.image_root,
                               .names = data.names,
                               .format = data.format,
                               .allow_duplicate_names = true};
  const std::string fix = report_command(patient.path);
  try_to_open(patient, {.role = "images", .path = data.path, .fix = fix}, [&] {
    TrainTest opened = open_train_test({.path = data.path,
                                        .options = options,
                                        .train_split = data.train_split,
                                        .test_split = data.test_split,
                                        .test_path = data.test_data},
                                       kFunction);
    DataPart part{.spec = {data.path, options}, .splits = {}};
    part.splits.push_back(std::move(opened.train));
    if (!opened.same_images) part.splits.push_back(std::move(opened.test));
    patient.data = std::move(part);
  });
  if (!patient.data) return;
  const RunSpec& spec = patient.run->spec;
  const auto base_end = spec.classes.begin() + static_cast<std::ptrdiff_t>(spec.base_classes);
  const std::set<std::string> base(spec.classes.begin(), base_end);
  for (const std::string& name : patient.data->classes()) {
    patient.is_base.push_back(base.contains(name));
  }
}

Patient open_run(Patient patient) {
  const RunFolder folder(patient.path);
  patient.run = RunPart{folder, folder.spec(kFunction)};
  RunSpec& spec = patient.run->spec;
  // Where they are now, if the run or they were moved.
  for (std::string* path : {&spec.model.path, &spec.model.vocabulary, &spec.data.path,
                            &spec.data.test_data, &spec.data.image_root, &spec.data.names}) {
    if (!path->empty()) *path = find_path(folder, *path, kFunction);
  }
  patient.names.push_back({spec.classes, folder.spec_file()});
  open_run_predictions(patient);
  // The network of open-set training lies in the run itself.
  if (spec.network) return patient;
  try_to_open(patient,
              {.role = "model",
               .path = spec.model.path,
               .fix = fmt::format("openworld predict --run {} --model PATH IMAGES",
                                  shell_word(patient.path))},
              [&] { patient.model = open_model(spec.model.path, patient.options); });
  if (patient.options.vocabulary.empty()) patient.options.vocabulary = spec.model.vocabulary;
  open_run_data(patient);
  return patient;
}

}  // namespace

std::string_view patient_kind_name(PatientKind kind) {
  return std::ranges::find(kKindNames, kind, &KindName::kind)->name;
}

std::optional<PatientKind> find_patient_kind(std::string_view name) {
  const auto found = std::ranges::find(kKindNames, name, &KindName::name);
  return found == std::end(kKindNames) ? std::nullopt : std::optional(found->kind);
}

Side Patient::side_of(std::int32_t label) const {
  if (label < 0) return Side::kUnknown;
  return is_base.at(static_cast<std::size_t>(label)) != 0 ? Side::kBase : Side::kNew;
}

PatientKind recognise_patient(const std::string& path) {
  const Origin origin{kFunction, path};
  if (!is_there(path)) {
    if (is_bundled_world(path)) return PatientKind::kData;
    if (find_bundled_model(path) != path) return PatientKind::kModel;
    std::string near = nearest_bundled_model(path);
    if (near.empty()) near = nearest_world(path);
    origin.fail(
        fmt::format("does not exist; {}xpected predictions, features, a run, a model or images",
                    near.empty() ? "e" : fmt::format("did you mean {}? E", near)));
  }
  if (is_folder(path)) return recognise_folder(origin);
  if (path.ends_with(".npz")) return recognise_npz(origin);
  if (ends_with_any(path, {".csv", ".tsv"})) {
    return read_csv(origin).find("side") ? PatientKind::kPredictions : PatientKind::kData;
  }
  if (path.ends_with(".npy")) return PatientKind::kFeatures;
  if (ends_with_any(path, {".safetensors", ".pt", ".pth"})) return recognise_tensors(path);
  if (ends_with_any(path, {".bin", ".ckpt"})) return PatientKind::kModel;
  if (ends_with_any(path, {".json", ".txt", ".tar"})) return PatientKind::kData;
  origin.fail(
      "is not known by its name; expected predictions (.npz, .csv), features (.npz, .npy, .pt, "
      ".safetensors), a run folder, a model (.safetensors, .pt) or a folder of images");
}

Patient open_patient(const std::string& path, const DoctorOptions& options) {
  Patient patient{.path = path,
                  .kind = options.kind ? *options.kind : recognise_patient(path),
                  .options = options};
  switch (patient.kind) {
    case PatientKind::kPredictions:
      return open_predictions(std::move(patient));
    case PatientKind::kFeatures:
      return open_features(std::move(patient));
    case PatientKind::kRun:
      return open_run(std::move(patient));
    case PatientKind::kModel:
      patient.model = open_model(path, options);
      return patient;
    case PatientKind::kData:
      return open_data(std::move(patient));
  }
  return patient;
}

DataPart open_all_splits(const std::string& path, const DatasetOptions& options) {
  DatasetOptions all = options;
  all.allow_duplicate_names = true;
  DataPart part{.spec = {path, all}, .splits = {}};
  Dataset first = open_first_split(
      path, all,
      options.split.empty() ? std::vector<std::string>{"", "train", "test", "val", "validation"}
                            : std::vector{options.split});
  const std::vector<std::string> splits = first.splits;
  const std::string opened = first.split;
  part.splits.push_back(std::move(first));
  if (!options.split.empty()) return part;
  for (const std::string& split : splits) {
    if (split == opened) continue;
    all.split = split;
    part.splits.push_back(open_dataset(path, all));
  }
  return part;
}

}  // namespace openworld
