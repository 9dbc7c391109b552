#include "openworld/studies/worker.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <new>
#include <thread>

#include "openworld/base/error.h"
#include "openworld/io/lease_keeper.h"

namespace openworld {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookAgain(2000);

// Slurm starts a task again under the same number, but only after it has given up the earlier
// start.
bool is_earlier_start(const LeaseOwner& owner, const LeaseOwner& self) {
  return !self.slurm_job.empty() && owner.slurm_job == self.slurm_job &&
         (owner.host != self.host || owner.pid != self.pid);
}

class Worker {
 public:
  Worker(StudyStore& store, CellRunner& runner, const WorkOptions& options,
         const WorkObserver& observer)
      : store_(store), runner_(runner), options_(options), observer_(observer) {}

  WorkSummary run() {
    store_.remove_leftovers();
    if (options_.retry_failed) {
      failed_before_ = options_.failed_before ? *options_.failed_before : store_.moment();
    }
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < store_.cells().size(); ++i) {
      if (is_chosen(options_, store_.cells()[i], i)) left.push_back(i);
    }
    // What others compute now may be left to us by a second pass, if they fail to end it.
    for (bool more = true; more && !ended();) {
      more = false;
      waiting_for_.reset();
      std::vector<std::size_t> held;
      for (const std::size_t i : left) {
        if (ended()) break;
        const Taken taken = take(i);
        if (taken == Taken::kHeld) held.push_back(i);
        more = more || taken == Taken::kYes;
      }
      left = std::move(held);
      if (!more && waiting_for_) more = wait();
    }
    if (stopping()) summary_.stopped = true;
    return summary_;
  }

 private:
  enum class Taken { kYes, kHeld, kNo };

  bool stopping() const { return observer_.stop && observer_.stop(); }

  bool ended() const {
    const bool enough = options_.limit > 0 && summary_.computed + summary_.failed >= options_.limit;
    const bool broken = options_.max_failures > 0 && summary_.failed >= options_.max_failures;
    return enough || broken || summary_.stopped || stopping();
  }

  bool may_compute(const CellStatus& status) const {
    if (status.state == CellState::kDone || status.state == CellState::kRunning) return false;
    if (!status.failure || status.state == CellState::kDamaged) return true;
    return options_.retry_failed && status.failed_at <= failed_before_;
  }

  Taken take(std::size_t i) {
    const StudyCell& cell = store_.cells()[i];
    const CellStatus seen = store_.status(cell, options_.verify);
    if (!may_compute(seen)) {
      if (seen.state != CellState::kRunning) return Taken::kNo;
      if (is_earlier_start(*seen.owner, self_)) waiting_for_ = *seen.owner;
      return Taken::kHeld;
    }
    std::optional<Lease> lease = store_.claim(cell);
    if (!lease) return Taken::kHeld;
    // Somebody may have ended it, or failed in it, between the look and the claim. Our own lease
    // does not count.
    CellStatus now = store_.status_without_lease(cell, options_.verify);
    if (!may_compute(now)) return Taken::kNo;
    keeper_.keep(std::move(*lease));
    compute(cell, now.state == CellState::kDamaged);
    keeper_.release();
    return Taken::kYes;
  }

  void compute(const StudyCell& cell, bool damaged) {
    const auto start = Clock::now();
    if (observer_.begun) observer_.begun(cell);
    try {
      store_.prepare(cell, damaged);
      const CellContext context{store_.cell_folder(cell), options_.threads,
                                [this] { return stopping() || keeper_.lost(); }};
      std::optional<CellOutput> output = runner_.run(cell, context);
      if (!keeper_.still_held()) return note_loss(cell);
      if (!output) {
        summary_.stopped = stopping();
        if (!summary_.stopped) fail("study", "the runner stopped without being asked to");
        return;
      }
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      store_.finish(cell, output->files, std::move(output->values), seconds);
      ++summary_.computed;
      if (observer_.finished) observer_.finished(cell, seconds);
    } catch (const std::bad_alloc&) {
      record(cell, "out of memory");
    } catch (const std::exception& error) {
      record(cell, error.what());
    }
  }

  // Before the next look at the cells that an earlier start of this task left.
  bool wait() {
    if (!told_ && observer_.note) {
      observer_.note(
          fmt::format("waiting until the lease of {} ends, an earlier start of this task",
                      owner_text(*waiting_for_)));
    }
    told_ = true;
    for (auto slept = kLookAgain * 0; slept < kLookAgain && !ended(); slept += kLookAgain / 20) {
      std::this_thread::sleep_for(kLookAgain / 20);
    }
    return true;
  }

  void note_loss(const StudyCell& cell) const {
    if (!observer_.note) return;
    observer_.note(fmt::format("{}: its lease expired and another worker took it", cell.name));
  }

  void record(const StudyCell& cell, const std::string& error) {
    ++summary_.failed;
    if (observer_.failed) observer_.failed(cell, error);
    if (!keeper_.still_held()) return note_loss(cell);
    try {
      store_.fail_cell(cell, error);
    } catch (const std::exception& unwritten) {
      // A full disk: the cell stays as it was, and others may still have room.
      if (observer_.note) observer_.note(unwritten.what());
    }
  }

  StudyStore& store_;
  CellRunner& runner_;
  const WorkOptions& options_;
  const WorkObserver& observer_;
  LeaseKeeper keeper_;
  double failed_before_ = 0;
  const LeaseOwner self_ = this_owner();
  std::optional<LeaseOwner> waiting_for_;  // an earlier start of this task that has a cell
  bool told_ = false;
  WorkSummary summary_;
};

}  // namespace

bool is_chosen(const WorkOptions& options, const StudyCell& cell, std::size_t number) {
  if (options.first_cell > 0 && number + 1 < options.first_cell) return false;
  if (options.last_cell > 0 && number + 1 > options.last_cell) return false;
  if (options.names && !options.names->contains(cell.name)) return false;
  return options.only.empty() || cell.name.find(options.only) != std::string::npos ||
         cell_text(cell.cell).find(options.only) != std::string::npos;
}

WorkSummary work(StudyStore& store, CellRunner& runner, const WorkOptions& options,
                 const WorkObserver& observer) {
  return Worker(store, runner, options, observer).run();
}

}  // namespace openworld
