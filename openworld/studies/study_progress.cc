#include "openworld/studies/study_progress.h"

#include <algorithm>
#include <map>
#include <utility>

namespace openworld {
namespace {

class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  std::optional<double> value() const {
    if (count_ == 0) return std::nullopt;
    return sum_ / static_cast<double>(count_);
  }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

// What a cell takes, by what finished ones took.
class Estimates {
 public:
  void add(const Cell& cell, double seconds) {
    of_both_[{cell.learner.name, cell.data.path}].add(seconds);
    of_learner_[cell.learner.name].add(seconds);
    of_all_.add(seconds);
  }
  std::optional<double> of(const Cell& cell) const {
    if (const auto found = of_both_.find({cell.learner.name, cell.data.path});
        found != of_both_.end()) {
      return found->second.value();
    }
    const auto found = of_learner_.find(cell.learner.name);
    return found != of_learner_.end() ? found->second.value() : of_all_.value();
  }
  std::optional<double> mean() const { return of_all_.value(); }

 private:
  std::map<std::pair<std::string, std::string>, Mean> of_both_;
  std::map<std::string, Mean> of_learner_;
  Mean of_all_;
};

std::optional<double> recent_rate(std::vector<double> ends) {
  constexpr std::ptrdiff_t kRecent = 100;
  std::sort(ends.begin(), ends.end());
  if (std::ssize(ends) > kRecent) ends.erase(ends.begin(), ends.end() - kRecent);
  if (ends.size() < 2 || ends.back() <= ends.front()) return std::nullopt;
  return 3600.0 * static_cast<double>(ends.size() - 1) / (ends.back() - ends.front());
}

void add_failure(std::vector<FailureGroup>& groups, const StudyCell& cell,
                 const CellFailure& failure) {
  auto group = std::find_if(groups.begin(), groups.end(),
                            [&](const FailureGroup& g) { return g.error == failure.error; });
  if (group == groups.end()) {
    groups.push_back({failure.error, {}, 0});
    group = groups.end() - 1;
  }
  group->cells.push_back(cell.name);
  group->attempts = std::max(group->attempts, failure.attempts);
}

}  // namespace

StudyProgress study_progress(std::span<const StudyCell> cells, std::span<const CellStatus> states) {
  StudyProgress progress;
  progress.cells = cells.size();
  Estimates estimates;
  std::vector<double> ends;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const CellStatus& status = states[i];
    switch (status.state) {
      case CellState::kDone:
        ++progress.done;
        estimates.add(cells[i].cell, status.result->seconds);
        ends.push_back(status.finished_at);
        break;
      case CellState::kFailed:
        ++progress.failed;
        add_failure(progress.failures, cells[i], *status.failure);
        break;
      case CellState::kRunning:
        ++progress.running;
        break;
      case CellState::kStale:
        ++progress.stale;
        break;
      case CellState::kDamaged:
        ++progress.damaged;
        ++progress.waiting;
        break;
      case CellState::kWaiting:
        ++progress.waiting;
        break;
    }
  }
  progress.seconds_per_cell = estimates.mean();
  if (progress.running > 0) progress.cells_per_hour = recent_rate(std::move(ends));
  if (!estimates.mean()) return progress;
  double work = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const CellState state = states[i].state;
    if (state == CellState::kDone || state == CellState::kFailed) continue;
    work += estimates.of(cells[i].cell).value_or(0);
  }
  progress.seconds_of_work_left = work;
  if (progress.running > 0) progress.seconds_left = work / static_cast<double>(progress.running);
  return progress;
}

StudyProgress study_progress(std::span<const StudyCell> cells) {
  return study_progress(cells, std::vector<CellStatus>(cells.size()));
}

int progress_exit_code(const StudyProgress& progress) {
  if (progress.complete()) return 0;
  return progress.failed > 0 ? 1 : 3;
}

}  // namespace openworld
