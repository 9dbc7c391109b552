#pragma once

// What the commands that run a model share.

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "openworld/cli/model_flags.h"
#include "openworld/cli/pretrain_flags.h"
#include "openworld/cli/tune_flags.h"
#include "openworld/io/dump_line.h"
#include "openworld/vlm/image_features.h"
#include "openworld/vlm/load_clip.h"

namespace openworld {

void run_encode(const EncodeFlags& flags);
void run_zeroshot(const ZeroshotFlags& flags);
void run_pretrain(const PretrainFlags& flags);
void run_tune(const TuneFlags& flags);
void run_predict(const PredictFlags& flags);
void list_learners(const LearnerListFlags& flags);

struct LoadedModel {
  ClipCheckpoint checkpoint;
  Clip clip;
};

// Also sets torch's threads.
LoadedModel load_model(const ModelFlags& flags, std::string_view command);

DatasetOptions dataset_options(const DataFlags& flags);
Dataset load_data(const DataFlags& flags);

enum class Unreadable { kSkip, kRefuse };

// Features of the dataset's images, with progress. Images that cannot be read are skipped and named
// on stderr, or are an Error; so is it if none can be read.
ImageFeatures encode_dataset(const LoadedModel& model, const Dataset& dataset,
                             const ModelFlags& flags, const CacheFlags& cache,
                             Unreadable unreadable = Unreadable::kSkip);

// Throws Error unless a file `path`, which has to end in .npz, can be written: before hours of work
// and not after.
void check_out(const std::string& path, std::string_view command);

// A callback that shows progress on stderr; `label` as in "encoding images".
std::function<void(std::size_t done, std::size_t total)> progress_line(std::string label);

// "1 image", "2 images".
std::string counted(std::size_t count, std::string_view what);

// What the results say about model and data.
nlohmann::ordered_json model_json(const LoadedModel& model, const ModelFlags& flags);
nlohmann::ordered_json data_json(const Dataset& dataset, const DataFlags& flags,
                                 const ImageFeatures& features);

}  // namespace openworld
