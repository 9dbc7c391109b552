#include "openworld/doctor/near_duplicates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "openworld/base/threads.h"
#include "openworld/doctor/check.h"
#include "openworld/doctor/image_pairs.h"
#include "openworld/openset/matrix_product.h"

namespace openworld {
namespace {

// A block of products is 1 MB of floats, which stays in the cache.
constexpr std::size_t kBlock = 512;

std::vector<float> normalised(const FeatureList& features) {
  std::vector<float> values = features.values;
  for (std::size_t i = 0; i < features.size(); ++i) {
    float* const row = values.data() + i * features.width;
    double sum = 0;
    for (std::size_t d = 0; d < features.width; ++d) sum += static_cast<double>(row[d]) * row[d];
    if (sum == 0) continue;
    const auto scale = static_cast<float>(1 / std::sqrt(sum));
    for (std::size_t d = 0; d < features.width; ++d) row[d] *= scale;
  }
  return values;
}

std::vector<Finding> look(const Patient& patient) {
  const FeatureList& features = *patient.features;
  ImagePairs pairs(patient, features.where,
                   fmt::format("near-identical (cosine of {:g} or more)", patient.options.near));
  const auto placed = [&](std::size_t i) {
    return PlacedImage{features.images[i], features.labels[i], features.splits[i]};
  };
  for (const auto& [i, j] : near_pairs(features, patient.options.near, patient.options.threads)) {
    pairs.add(placed(i), placed(j));
  }
  return pairs.findings();
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> near_pairs(const FeatureList& features,
                                                            double near, int threads) {
  const std::vector<float> values = normalised(features);
  const std::size_t n = features.size(), width = features.width;
  const std::size_t blocks = (n + kBlock - 1) / kBlock;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> found(blocks);
  const SingleThreadedProducts single;
  parallel_for(blocks, threads, [&](std::size_t b) {
    const std::size_t first = b * kBlock, rows = std::min(kBlock, n - first);
    std::vector<float> cosines(kBlock * kBlock);
    for (std::size_t from = first; from < n; from += kBlock) {
      const std::size_t columns = std::min(kBlock, n - from);
      multiply_by_transposed(values.data() + first * width, values.data() + from * width,
                             cosines.data(), rows, columns, width, 1.0f);
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) {
          if (from + c <= first + r || cosines[r * columns + c] < near) continue;
          found[b].emplace_back(first + r, from + c);
        }
      }
    }
    std::ranges::sort(found[b]);
  });
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const auto& block : found) pairs.insert(pairs.end(), block.begin(), block.end());
  return pairs;
}

const DoctorCheck kNearDuplicates = {
    "near-duplicates", "features", "near-identical images in two splits, sides or classes",
    [](const Patient& patient) { return patient.features.has_value(); }, look};

}  // namespace openworld
