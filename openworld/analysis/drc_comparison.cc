#include "openworld/analysis/drc_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "openworld/base/error.h"
#include "openworld/base/quotes.h"

namespace openworld {
namespace {

DrcValues values_of(const DrcWorld& world, std::size_t method, std::optional<std::size_t> zero_shot,
                    const std::optional<LevelDensity>& density) {
  DrcValues values{.metrics = drc_metrics(world.levels, world.accuracies[method]), .areas = {}};
  if (zero_shot) {
    values.areas = drc_areas(world.levels, world.accuracies[method], world.accuracies[*zero_shot]);
  }
  if (density) {
    values.expected = expected_accuracy(world.levels, world.accuracies[method], *density);
  }
  return values;
}

DrcValues mean_of(const std::vector<DrcValues>& worlds) {
  const double share = 1 / static_cast<double>(worlds.size());
  DrcValues mean;
  const auto all_have = [&](std::optional<double> DrcMetrics::*field) {
    return std::ranges::all_of(worlds,
                               [&](const DrcValues& w) { return (w.metrics.*field).has_value(); });
  };
  if (all_have(&DrcMetrics::acc0)) mean.metrics.acc0 = 0;
  if (all_have(&DrcMetrics::rcc)) mean.metrics.rcc = 0;
  if (worlds[0].areas) mean.areas = DrcAreas{};
  if (worlds[0].expected) mean.expected = 0;
  for (const auto& [metrics, areas, expected] : worlds) {
    if (mean.metrics.acc0) *mean.metrics.acc0 += share * *metrics.acc0;
    if (mean.metrics.rcc) *mean.metrics.rcc += share * *metrics.rcc;
    if (mean.expected) *mean.expected += share * *expected;
    mean.metrics.auc += share * metrics.auc;
    mean.metrics.wa += share * metrics.wa;
    mean.metrics.evm += share * metrics.evm;
    mean.metrics.vs += share * metrics.vs;
    if (!mean.areas) continue;
    mean.areas->positive += share * areas->positive;
    mean.areas->negative += share * areas->negative;
  }
  return mean;
}

// A row of values of the methods for each level.
std::vector<double> blocks_of(const DrcWorld& world) {
  std::vector<double> blocks;
  for (std::size_t t = 0; t < world.levels.size(); ++t) {
    for (const auto& curve : world.accuracies) blocks.push_back(curve[t]);
  }
  return blocks;
}

}  // namespace

DrcComparison compare_drc(std::span<const DrcWorld> worlds, std::optional<std::size_t> zero_shot,
                          const std::optional<LevelDensity>& density) {
  assert(!worlds.empty());
  const std::size_t methods = worlds[0].accuracies.size();
  DrcComparison result{
      .methods = std::vector<DrcMethod>(methods), .ranks = {}, .ranks_by_world = {}};
  for (const DrcWorld& world : worlds) {
    for (std::size_t m = 0; m < methods; ++m) {
      try {
        result.methods[m].worlds.push_back(values_of(world, m, zero_shot, density));
      } catch (const Error& error) {
        fail("drc", fmt::format("world {}: {}", in_quotes(world.name), error.what()));
      }
    }
  }
  for (DrcMethod& method : result.methods) {
    method.mean = mean_of(method.worlds);
    if (!zero_shot) continue;
    std::vector<double> auc, zero_auc;
    std::vector<DrcAreas> areas;
    for (std::size_t w = 0; w < worlds.size(); ++w) {
      auc.push_back(method.worlds[w].metrics.auc);
      zero_auc.push_back(result.methods[*zero_shot].worlds[w].metrics.auc);
      areas.push_back(*method.worlds[w].areas);
    }
    method.delta_auc = delta_auc(auc, zero_auc);
    method.delta_pn = delta_pn(areas);
  }
  if (methods < 2) return result;
  std::vector<double> all;
  for (const DrcWorld& world : worlds) {
    const std::vector<double> blocks = blocks_of(world);
    result.ranks_by_world.push_back(friedman_test(blocks, methods, Better::kHigher));
    all.insert(all.end(), blocks.begin(), blocks.end());
  }
  result.ranks = friedman_test(all, methods, Better::kHigher);
  return result;
}

}  // namespace openworld
