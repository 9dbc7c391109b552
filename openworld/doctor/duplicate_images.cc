// Images with the same bytes in several splits, sides or classes.

#include <sys/stat.h>

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

// Images that are one file, or one that is drawn or packed: they are read once. A list may name a
// file a million times, also by several paths.
using SameFile = std::vector<ImageOf>;

// Those that may have an equal: files that are listed twice or whose size is not theirs alone; all
// of what is drawn or packed. Files that are gone have none.
std::vector<SameFile> candidates(const DataPart& data) {
  std::map<std::pair<dev_t, ino_t>, std::size_t> places;
  std::vector<SameFile> files, images;
  std::map<off_t, std::vector<std::size_t>> by_size;
  for (const Dataset& split : data.splits) {
    for (std::size_t i = 0; i < split.samples.size(); ++i) {
      if (split.source) {
        images.push_back({{&split, i}});
        continue;
      }
      struct stat status {};
      if (::stat(sample_name(split, i).c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
      const auto [at, first] = places.try_emplace({status.st_dev, status.st_ino}, places.size());
      if (first) {
        files.emplace_back();
        by_size[status.st_size].push_back(at->second);
      }
      files[at->second].push_back({&split, i});
    }
  }
  for (const auto& [size, same] : by_size) {
    for (const std::size_t file : same) {
      if (same.size() > 1 || files[file].size() > 1) images.push_back(std::move(files[file]));
    }
  }
  return images;
}

std::vector<Finding> look_at_duplicates(const Patient& patient) {
  const std::vector<SameFile> images = candidates(*patient.data);
  std::vector<Sha256Digest> hashes(images.size());
  std::vector<std::uint8_t> read(images.size());
  std::size_t done = 0;
  std::mutex mutex;
  parallel_for(images.size(), patient.options.threads, [&](std::size_t i) {
    try {
      hashes[i] = sha256(read_sample(*images[i][0].dataset, images[i][0].sample).values);
      read[i] = 1;
    } catch (const Error&) {
      // Images that cannot be read have a check of their own.
    }
    const std::lock_guard lock(mutex);
    if (patient.options.on_image) patient.options.on_image(++done, images.size());
  });
  std::map<Sha256Digest, std::vector<ImageOf>> groups;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (read[i] == 0) continue;
    auto& group = groups[hashes[i]];
    group.insert(group.end(), images[i].begin(), images[i].end());
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
