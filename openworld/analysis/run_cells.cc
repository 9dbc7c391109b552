#include "openworld/analysis/run_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "openworld/analysis/same_samples.h"
#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/metrics/bootstrap.h"

namespace openworld {
namespace {

constexpr auto kFunction = "compare_runs";
// Distinct from the streams of a Resampler, which are numbered from zero.
constexpr std::uint64_t kSeedStream = std::uint64_t{1} << 63;

// What is drawn for a dataset depends on its name and not on its place among the others.
std::uint64_t stream_of(std::string_view dataset, std::uint64_t seed) {
  std::uint64_t stream = mix64(seed);
  for (const char c : dataset) stream = mix64(stream ^ static_cast<std::uint8_t>(c));
  return stream;
}

using Seeds = std::map<std::uint64_t, const Outcomes*>;

std::string run_name(const RunSet& runs, std::size_t method, std::size_t dataset,
                     std::uint64_t seed) {
  return fmt::format("{} on {} with seed {}", runs.methods[method].name, runs.datasets[dataset],
                     seed);
}

// The runs of a method on every dataset.
std::vector<Seeds> by_dataset(const RunSet& runs, std::size_t method) {
  std::vector<Seeds> cells(runs.datasets.size());
  for (const RunOutcomes& run : runs.methods[method].runs) {
    if (run.dataset >= cells.size()) {
      fail(kFunction, fmt::format("{} has a run on dataset {}; there are {}",
                                  runs.methods[method].name, run.dataset, cells.size()));
    }
    if (!cells[run.dataset].try_emplace(run.seed, &run.outcomes).second) {
      fail(kFunction, fmt::format("{} appears twice; expected one run of each",
                                  run_name(runs, method, run.dataset, run.seed)));
    }
  }
  return cells;
}

// Names the first cell that one method has and another lacks.
void check_same_cells(const RunSet& runs, const std::vector<std::vector<Seeds>>& cells) {
  for (std::size_t has = 0; has < cells.size(); ++has) {
    for (std::size_t lacks = 0; lacks < cells.size(); ++lacks) {
      for (std::size_t d = 0; d < runs.datasets.size(); ++d) {
        for (const auto& [seed, outcomes] : cells[has][d]) {
          if (cells[lacks][d].contains(seed)) continue;
          fail(kFunction,
               fmt::format("{} is missing, while {} has that run; expected the same datasets and "
                           "seeds for all methods",
                           run_name(runs, lacks, d, seed), runs.methods[has].name));
        }
      }
    }
  }
}

}  // namespace

RunCells::RunCells(const RunSet& runs, std::span<const MetricRequest> requests,
                   const EvalOptions& options)
    : methods_(runs.methods.size()), requests_(requests), datasets_(runs.datasets.size()) {
  if (methods_ == 0 || datasets_.empty()) fail(kFunction, "no runs; expected one or more");
  std::vector<std::vector<Seeds>> cells;
  for (std::size_t m = 0; m < methods_; ++m) cells.push_back(by_dataset(runs, m));
  check_same_cells(runs, cells);
  for (std::size_t d = 0; d < datasets_.size(); ++d) {
    OfDataset& mine = datasets_[d];
    for (const auto& [seed, outcomes] : cells[0][d]) mine.seeds.push_back(seed);
    if (mine.seeds.empty()) {
      fail(kFunction, fmt::format("no runs on {}; expected one or more", runs.datasets[d]));
    }
    const Outcomes& first = *cells[0][d].begin()->second;
    for (const std::uint64_t seed : mine.seeds) {
      for (std::size_t m = 0; m < methods_; ++m) {
        const Outcomes& outcomes = *cells[m][d].at(seed);
        validate(outcomes);
        check_same_samples(kFunction, first, outcomes, run_name(runs, 0, d, mine.seeds[0]),
                           run_name(runs, m, d, seed));
        mine.ranked.push_back(std::make_unique<RankedScores>(outcomes, RankedScores::Keep::kOrder));
      }
    }
    for (const MetricRequest& request : requests) {
      MetricOptions fixed = metric_options(request, options);
      // A resample without unknown samples must not fall back to the new ones.
      fixed.open = open_side(*request.row, mine.ranked[0]->totals(), fixed);
      mine.options.push_back(fixed);
    }
    mine.stream = stream_of(runs.datasets[d], options.bootstrap.seed);
    mine.resampler = std::make_unique<Resampler>(strata_by_row(first), mine.stream);
  }
}

MetricValue RunCells::measure(std::size_t method, std::size_t metric, std::size_t dataset,
                              std::size_t seed) const {
  const OfDataset& mine = datasets_[dataset];
  const Ranking ranking(*mine.ranked[seed * methods_ + method]);
  return requests_[metric].row->compute(ranking, mine.options[metric]);
}

std::vector<int> RunCells::draw_seeds(std::size_t count, std::uint64_t stream,
                                      std::uint64_t index) {
  std::vector<int> times(count);
  Random random(stream, kSeedStream + index);
  for (std::size_t i = 0; i < std::max<std::size_t>(1, count - 1); ++i)
    ++times[random.below(count)];
  return times;
}

void RunCells::resample(std::uint64_t index, std::span<double> means) const {
  std::ranges::fill(means, 0.0);
  std::vector<std::uint8_t> by_row, by_rank;
  for (std::size_t d = 0; d < datasets_.size(); ++d) {
    const OfDataset& mine = datasets_[d];
    by_row.resize(mine.resampler->size());
    mine.resampler->draw(index, by_row);
    const std::vector<int> times = draw_seeds(mine.seeds.size(), mine.stream, index);
    const double drawn = std::max<double>(1, static_cast<double>(times.size()) - 1);
    for (std::size_t s = 0; s < times.size(); ++s) {
      if (times[s] == 0) continue;
      for (std::size_t m = 0; m < methods_; ++m) {
        const RankedScores& ranked = *mine.ranked[s * methods_ + m];
        weights_by_rank(by_row, ranked, by_rank);
        const Ranking ranking(ranked, by_rank);
        for (std::size_t k = 0; k < requests_.size(); ++k) {
          means[at(m, k, d)] +=
              times[s] * requests_[k].row->compute(ranking, mine.options[k]).value / drawn;
        }
      }
    }
  }
}

}  // namespace openworld
