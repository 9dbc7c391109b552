#include "openworld/cli/models/run_model.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "openworld/base/error.h"
#include "openworld/base/progress.h"
#include "openworld/base/threads.h"
#include "openworld/cli/one_line.h"
#include "openworld/vlm/freed_memory.h"

namespace openworld {
namespace {

// After so many the count says the rest.
constexpr std::size_t kNamedFailures = 5;

void report_failures(const ImageFeatures& features) {
  const std::size_t named = std::min(features.failures.size(), kNamedFailures);
  for (std::size_t i = 0; i < named; ++i) {
    std::fputs(
        (one_line("skipped: " + std::string(features.failures[i].error.what())) + '\n').c_str(),
        stderr);
  }
  if (features.failures.size() > named) {
    std::fputs(fmt::format("skipped: {} more\n", features.failures.size() - named).c_str(), stderr);
  }
}

// A cache that was asked for must work; a home that cannot be written is no reason to stop.
void open_store(std::optional<FeatureStore>& store, const LoadedModel& model,
                const CacheFlags& cache) {
  const std::string folder = cache.folder.empty() ? default_feature_folder() : cache.folder;
  if (cache.off || folder.empty()) return;
  store.emplace(folder, feature_kind(model.checkpoint),
                static_cast<std::size_t>(model.clip.config.embed));
  try {
    store->make_folder();
  } catch (const Error& e) {
    const Error error(e.function(),
                      fmt::format("{}; give --cache another folder, or --no-cache", e.message()));
    if (!cache.folder.empty()) throw error;
    std::fputs((one_line(fmt::format("features are not kept: {}", error.what())) + '\n').c_str(),
               stderr);
    store.reset();
  }
}

}  // namespace

LoadedModel load_model(const ModelFlags& flags, std::string_view command) {
  keep_freed_memory();
  at::set_num_threads(flags.threads > 0 ? flags.threads : default_threads());
  const CheckpointOptions options{find_activation(flags.activation), std::string(command)};
  ClipCheckpoint checkpoint = open_clip_checkpoint(flags.model, options);
  Clip clip = load_clip(checkpoint);
  return {std::move(checkpoint), std::move(clip)};
}

DatasetOptions dataset_options(const DataFlags& flags) {
  return {.split = flags.split,
          .image_root = flags.image_root,
          .names = flags.names,
          .format = flags.format,
          .allow_duplicate_names = flags.allow_duplicate_names};
}

Dataset load_data(const DataFlags& flags) {
  return open_dataset(flags.data, dataset_options(flags));
}

void check_out(const std::string& path, std::string_view command) {
  namespace fs = std::filesystem;
  const Origin origin = {std::string(command), path};
  std::error_code error;
  if (fs::is_directory(path, error)) origin.fail("Is a directory; expected a file to write");
  if (!path.ends_with(".npz")) origin.fail("expected a name that ends in .npz");
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    origin.fail(fmt::format("cannot be written: {}", std::strerror(errno)));
  }
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::function<void(std::size_t, std::size_t)> progress_line(std::string label) {
  auto line = std::make_shared<std::optional<Progress>>();
  return [line, label = std::move(label)](std::size_t done, std::size_t total) {
    if (!*line) line->emplace(label, total);
    (*line)->update(done);
    if (done == total) line->reset();
  };
}

ImageFeatures encode_dataset(const LoadedModel& model, const Dataset& dataset,
                             const ModelFlags& flags, const CacheFlags& cache,
                             Unreadable unreadable) {
  std::optional<FeatureStore> store;
  open_store(store, model, cache);
  ImageFeatures features = image_features(model.clip, dataset,
                                          {.batch = flags.batch,
                                           .threads = flags.threads,
                                           .store = store ? &*store : nullptr,
                                           .on_hash = progress_line("reading images"),
                                           .on_encode = progress_line("encoding images")});
  if (unreadable == Unreadable::kRefuse && !features.failures.empty()) {
    throw features.failures[0].error;
  }
  report_failures(features);
  if (features.samples.empty()) {
    fail("encode_dataset", fmt::format("none of {} images could be read", dataset.samples.size()));
  }
  return features;
}

nlohmann::ordered_json model_json(const LoadedModel& model, const ModelFlags& flags) {
  return {{"path", flags.model},
          {"format", model.checkpoint.format()},
          {"sha256", hex_text(model.checkpoint.sha256())},
          {"activation", activation_name(model.clip.config.activation)}};
}

nlohmann::ordered_json data_json(const Dataset& dataset, const DataFlags& flags,
                                 const ImageFeatures& features) {
  return {{"path", flags.data},
          {"format", dataset.format},
          {"split", dataset.split.empty() ? nlohmann::ordered_json()
                                          : nlohmann::ordered_json(dataset.split)},
          {"root", dataset.root},
          {"classes", dataset.classes.size()},
          {"images", features.samples.size()},
          {"skipped", features.failures.size()},
          {"not_images", dataset.skipped}};
}

}  // namespace openworld
