// Images with the same bytes in several splits, sides or classes.

#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

#include "openworld/base/error.h"
#include "openworld/base/threads.h"
#include "openworld/doctor/check.h"
#include "openworld/doctor/image_pairs.h"
#include "openworld/io/sha256.h"

namespace openworld {
namespace {

struct ImageOf {
  const Dataset* dataset;
  std::size_t sample;
};

PlacedImage placed(const ImageOf& image) {
  return {sample_name(*image.dataset, image.sample), image.dataset->samples[image.sample].label,
          image.dataset->split};
}

// Those that may have an equal: files whose size is not theirs alone; all of what is drawn or
// packed. Files that are gone have none.
std::vector<ImageOf> candidates(const DataPart& data) {
  std::map<std::uintmax_t, std::vector<ImageOf>> by_size;
  std::vector<ImageOf> images;
  for (const Dataset& split : data.splits) {
    for (std::size_t i = 0; i < split.samples.size(); ++i) {
      if (split.source) {
        images.push_back({&split, i});
        continue;
      }
      std::error_code error;
      const std::uintmax_t size = std::filesystem::file_size(sample_name(split, i), error);
      if (!error) by_size[size].push_back({&split, i});
    }
  }
  for (auto& [size, same] : by_size) {
    if (same.size() > 1) images.insert(images.end(), same.begin(), same.end());
  }
  return images;
}

std::vector<Finding> look_at_duplicates(const Patient& patient) {
  const std::vector<ImageOf> images = candidates(*patient.data);
  std::vector<Sha256Digest> hashes(images.size());
  std::vector<std::uint8_t> read(images.size());
  std::size_t done = 0;
  std::mutex mutex;
  parallel_for(images.size(), patient.options.threads, [&](std::size_t i) {
    try {
      hashes[i] = sha256(read_sample(*images[i].dataset, images[i].sample).values);
      read[i] = 1;
    } catch (const Error&) {
      // Images that cannot be read have a check of their own.
    }
    const std::lock_guard lock(mutex);
    if (patient.options.on_image) patient.options.on_image(++done, images.size());
  });
  std::map<Sha256Digest, std::vector<ImageOf>> groups;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (read[i] != 0) groups[hashes[i]].push_back(images[i]);
  }
  // Each with the first of its group: n images are n - 1 pairs. By place, not by hash.
  std::map<std::pair<std::size_t, std::size_t>, std::pair<ImageOf, ImageOf>> pairs;
  for (const auto& [hash, same] : groups) {
    for (std::size_t i = 1; i < same.size(); ++i) {
      const auto split = static_cast<std::size_t>(same[i].dataset - patient.data->splits.data());
      pairs.emplace(std::pair(split, same[i].sample), std::pair(same[0], same[i]));
    }
  }
  ImagePairs found(patient, patient.data->spec.path, "identical");
  for (const auto& [place, pair] : pairs) found.add(placed(pair.first), placed(pair.second));
  return found.findings();
}

}  // namespace

const DoctorCheck kDuplicateImages = {
    "duplicate-images", "images", "identical files in two splits, sides or classes",
    [](const Patient& patient) { return patient.data.has_value(); }, look_at_duplicates};

}  // namespace openworld
