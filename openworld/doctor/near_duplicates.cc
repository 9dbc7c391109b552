#include "openworld/doctor/near_duplicates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "openworld/base/error.h"
#include "openworld/base/threads.h"
#include "openworld/doctor/check.h"
#include "openworld/doctor/fix_command.h"
#include "openworld/doctor/image_pairs.h"
#include "openworld/openset/matrix_product.h"

namespace openworld {
namespace {

// A block of products is 1 MB of floats, which stays in the cache.
constexpr std::size_t kBlock = 512;
// Images whose nearest neighbour is looked for, to choose a cosine.
constexpr std::size_t kSampled = 1000;
// Pairs that are kept. Of n equal images there are n (n - 1) / 2.
constexpr std::size_t kMostPairs = 1'000'000;
// Pairs that a file of features is looked through for unless a cosine is given, and more for each
// byte of floats: 10 MB of features of width 1 are 3e12 pairs. 100,000 images of width 512 are 5e9
// of 7e9.
constexpr std::uint64_t kFreePairs = std::uint64_t{1} << 29;
constexpr std::uint64_t kPairsPerByte = 32;
// Equal features have a cosine of 1 but for the rounding of floats.
constexpr double kRounding = 1e-5;

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

// Images that were encoded for this check took longer.
void check_pairs(const Patient& patient) {
  const FeatureList& features = *patient.features;
  if (patient.data || patient.options.near) return;
  const std::uint64_t n = features.size(), bytes = features.values.size() * sizeof(float);
  if (n * n / 2 <= kFreePairs + kPairsPerByte * bytes) return;
  fail("doctor",
       fmt::format("{}: {} images of {} features are {:.0e} pairs to compare, which takes "
                   "long; give the cosine of near-identical ones, as --near 0.95, to "
                   "look through them, or --ignore near-duplicates",
                   features.where, n, features.width, static_cast<double>(n * n / 2)));
}

std::vector<Finding> look_at_near_pairs(const Patient& patient) {
  check_pairs(patient);
  const FeatureList& features = *patient.features;
  const int threads = patient.options.threads;
  const double near = patient.options.near ? *patient.options.near : near_cosine(features, threads);
  ImagePairs pairs(patient, features.where,
                   fmt::format("near-identical (cosine of {:g} or more)", near));
  const auto placed = [&](std::size_t i) {
    return PlacedImage{features.images[i], features.labels[i], features.splits[i]};
  };
  const NearPairs found = near_pairs(features, near, threads);
  for (const auto& [i, j] : found.pairs) pairs.add(placed(i), placed(j));
  std::vector<Finding> findings = pairs.findings();
  if (found.left_out > 0) {
    findings.push_back(
        {.check = "",
         .what = fmt::format("{}: only {} of {} pairs of near-identical (cosine of {:g} or more) "
                             "images were looked at",
                             features.where, found.pairs.size(),
                             found.pairs.size() + found.left_out, near),
         .means = "pairs in two splits, sides or classes may be among the others",
         .fix = fmt::format("openworld doctor {} --near COSINE, closer to 1",
                            shell_word(patient.path)),
         .examples = {}});
  }
  return findings;
}

// The largest cosine of each sampled image with any other.
std::vector<double> nearest_cosines(const std::vector<float>& values, std::size_t n,
                                    std::size_t width, int threads) {
  const std::size_t sampled = std::min(n, kSampled);
  const auto image_of = [&](std::size_t s) { return s * n / sampled; };
  std::vector<float> rows(sampled * width);
  for (std::size_t s = 0; s < sampled; ++s) {
    std::copy_n(values.data() + image_of(s) * width, width, rows.data() + s * width);
  }
  std::vector<double> nearest(sampled, -1.0);
  const SingleThreadedProducts single;
  parallel_for((sampled + kBlock - 1) / kBlock, threads, [&](std::size_t b) {
    const std::size_t first = b * kBlock, count = std::min(kBlock, sampled - first);
    std::vector<float> cosines(kBlock * kBlock);
    for (std::size_t from = 0; from < n; from += kBlock) {
      const std::size_t columns = std::min(kBlock, n - from);
      multiply_by_transposed(rows.data() + first * width, values.data() + from * width,
                             cosines.data(), count, columns, width, 1.0f);
      for (std::size_t r = 0; r < count; ++r) {
        double& largest = nearest[first + r];
        for (std::size_t c = 0; c < columns; ++c) {
          if (from + c == image_of(first + r)) continue;
          largest = std::max(largest, static_cast<double>(cosines[r * columns + c]));
        }
      }
    }
  });
  return nearest;
}

}  // namespace

double near_cosine(const FeatureList& features, int threads) {
  const double most = 1 - kRounding;
  if (features.size() < 2) return most;
  std::vector<double> nearest =
      nearest_cosines(normalised(features), features.size(), features.width, threads);
  const auto quartile = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 4);
  std::ranges::nth_element(nearest, quartile);
  return std::min(most, 1 - kNearShare * (1 - *quartile));
}

NearPairs near_pairs(const FeatureList& features, double near, int threads) {
  const std::vector<float> values = normalised(features);
  const std::size_t n = features.size(), width = features.width;
  const std::size_t blocks = (n + kBlock - 1) / kBlock;
  std::vector<NearPairs> found(blocks);
  const std::size_t most = kMostPairs / std::max<std::size_t>(blocks, 1) + 1;
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
          if (found[b].pairs.size() < most) {
            found[b].pairs.emplace_back(first + r, from + c);
          } else {
            ++found[b].left_out;
          }
        }
      }
    }
    std::ranges::sort(found[b].pairs);
  });
  NearPairs all;
  for (const NearPairs& block : found) {
    all.pairs.insert(all.pairs.end(), block.pairs.begin(), block.pairs.end());
    all.left_out += block.left_out;
  }
  return all;
}

const DoctorCheck kNearDuplicates = {
    "near-duplicates", "features", "near-identical images in two splits, sides or classes",
    [](const Patient& patient) { return patient.features.has_value(); }, look_at_near_pairs};

}  // namespace openworld
