#include "openworld/studies/study_store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <set>
#include <system_error>
#include <thread>

#include "openworld/base/error.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/small_file.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

constexpr auto kPlanFile = "plan.toml";
constexpr auto kStudyFile = "study.json";
constexpr auto kCells = "cells";
constexpr auto kLeases = "leases";
constexpr auto kClock = ".clock";
constexpr auto kResult = "cell.json";
constexpr auto kFailure = "failed.json";

void make_folder(const std::string& path, std::string_view function) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail(function, fmt::format("{}: cannot be created: {}", path, error.message()));
}

// A name in the folder itself: a result is a file like any other and may say anything.
bool is_plain_name(const std::string& name) {
  const fs::path path(name);
  if (name.empty() || path.is_absolute()) return false;
  for (const fs::path& part : path) {
    if (part == "..") return false;
  }
  return true;
}

bool has_size(const std::string& path, std::int64_t bytes) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size == bytes;
}

bool has_hash(const std::string& folder, const CellFile& file, const std::string& function) {
  try {
    return describe_file(folder, file.name, function) == file;
  } catch (const Error&) {
    return false;
  }
}

double seconds_of(const struct stat& status) {
  return static_cast<double>(status.st_mtim.tv_sec) +
         1e-9 * static_cast<double>(status.st_mtim.tv_nsec);
}

// AtomicFile and its like write x as x.tmp.0123456789abcdef.
void remove_half_written(const std::string& folder) {
  std::vector<fs::path> left;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.find(".tmp.") != name.npos) left.push_back(it->path());
  }
  for (const fs::path& path : left) fs::remove(path, error);
}

}  // namespace

const char* cell_state_name(CellState state) {
  switch (state) {
    case CellState::kDone:
      return "done";
    case CellState::kRunning:
      return "running";
    case CellState::kStale:
      return "stale";
    case CellState::kFailed:
      return "failed";
    case CellState::kDamaged:
      return "damaged";
    case CellState::kWaiting:
      return "waiting";
  }
  return "";
}

bool is_open(CellState state, bool retry_failed) {
  if (state == CellState::kFailed) return retry_failed;
  return state != CellState::kDone && state != CellState::kRunning;
}

bool is_study(const std::string& folder) {
  std::error_code ignored;
  return fs::is_regular_file(fs::path(folder) / kStudyFile, ignored);
}

PlanChange StudyStore::check(const std::string& folder, const StudyInit& init,
                             std::string_view function) {
  const std::string path = folder + "/" + kStudyFile;
  PlanChange change;
  change.added = init.study.cells.size();
  std::error_code ignored;
  if (fs::exists(path, ignored)) {
    const Origin origin{std::string(function), path};
    const StudyFile was = read_study_file(origin);
    change = plan_change(was.cells, init.study.cells);
    if (change.removed > 0 && !init.force) {
      origin.fail(
          fmt::format("{} of the {} cells of this study are not in the plan any more; the "
                      "first is {}; choose another folder, or force the change",
                      change.removed, was.cells.size(), change.difference));
    }
  } else {
    // What is there is not ours to write into.
    fs::directory_iterator it(folder, ignored);
    if (!ignored && it != fs::directory_iterator()) {
      fail(function,
           fmt::format("{}: is neither empty nor a study; choose another folder", folder));
    }
  }
  return change;
}

PlanChange StudyStore::begin(const std::string& folder, const StudyInit& init,
                             std::string_view function) {
  const PlanChange change = check(folder, init, function);
  for (const char* part : {kCells, kLeases}) {
    make_folder(folder + "/" + part, function);
  }
  write_file_atomically(folder + "/" + kPlanFile, init.plan_text, function);
  write_file_atomically(folder + "/" + kStudyFile, study_file_text(init.study), function);
  return change;
}

StudyStore::StudyStore(std::string folder, std::string_view function)
    : folder_(std::move(folder)),
      function_(function),
      study_(read_study_file({function_, folder_ + "/" + kStudyFile})),
      clock_(folder_ + "/" + kLeases + "/" + kClock) {}

std::string StudyStore::cell_folder(const StudyCell& cell) const {
  return fmt::format("{}/{}/{}", folder_, kCells, cell.name);
}

std::string StudyStore::lease_path(const StudyCell& cell) const {
  return fmt::format("{}/{}/{}", folder_, kLeases, cell.name);
}

CellStatus StudyStore::status_without_lease(const StudyCell& cell, bool verify) const {
  const std::string folder = cell_folder(cell);
  CellStatus status;
  struct stat file_status;
  const std::optional<std::string> text = read_small_file(folder + "/" + kResult, &file_status);
  if (text) {
    status.result = parse_cell_result(*text);
    bool whole = status.result && status.result->id == cell.id;
    for (std::size_t i = 0; whole && i < status.result->files.size(); ++i) {
      const CellFile& file = status.result->files[i];
      whole = is_plain_name(file.name) && has_size(folder + "/" + file.name, file.bytes) &&
              (!verify || has_hash(folder, file, function_));
    }
    status.state = whole ? CellState::kDone : CellState::kDamaged;
    if (whole) {
      status.finished_at = seconds_of(file_status);
      return status;
    }
    status.result.reset();
  }
  if (const auto failed = read_small_file(folder + "/" + kFailure, &file_status)) {
    status.failure = parse_cell_failure(*failed);
    status.failed_at = seconds_of(file_status);
  }
  if (status.failure && !text) status.state = CellState::kFailed;
  return status;
}

CellStatus StudyStore::status(const StudyCell& cell, bool verify) {
  CellStatus status = status_without_lease(cell, verify);
  if (status.state == CellState::kDone) return status;
  if (const std::optional<LeaseState> lease = look_at_lease(lease_path(cell), clock_)) {
    status.owner = lease->owner;
    status.state = lease->stale ? CellState::kStale : CellState::kRunning;
  }
  return status;
}

std::vector<CellStatus> StudyStore::statuses(bool verify) {
  const std::set<std::string> leases = lease_names();
  std::vector<CellStatus> all;
  all.reserve(cells().size());
  for (const StudyCell& cell : cells()) {
    all.push_back(leases.contains(cell.name) ? status(cell, verify)
                                             : status_without_lease(cell, verify));
  }
  return all;
}

void StudyStore::prepare(const StudyCell& cell, bool damaged) const {
  const std::string folder = cell_folder(cell);
  if (damaged) {
    std::error_code error;
    fs::remove_all(folder, error);
    if (error) fail(function_, fmt::format("{}: cannot be removed: {}", folder, error.message()));
  }
  make_folder(folder, function_);
  remove_half_written(folder);
}

std::optional<Lease> StudyStore::claim(const StudyCell& cell) {
  return Lease::claim(lease_path(cell), clock_, function_);
}

void StudyStore::finish(const StudyCell& cell, const std::vector<std::string>& files,
                        std::vector<CellValue> values, double seconds) const {
  const std::string folder = cell_folder(cell);
  CellResult result{.id = cell.id, .files = {}, .values = std::move(values), .seconds = seconds};
  for (const std::string& name : files) {
    result.files.push_back(describe_file(folder, name, function_));
  }
  // Before the result: killed in between, the cell is computed again, and ends without the record.
  std::remove((folder + "/" + kFailure).c_str());
  write_file_atomically(folder + "/" + kResult, cell_result_text(result), function_);
}

void StudyStore::write_values(const StudyCell& cell, CellResult result,
                              std::vector<CellValue> values) const {
  result.values = std::move(values);
  write_file_atomically(cell_folder(cell) + "/" + kResult, cell_result_text(result), function_);
}

std::optional<CellFailure> StudyStore::failure(const StudyCell& cell) const {
  const std::optional<std::string> text = read_small_file(cell_folder(cell) + "/" + kFailure);
  if (!text) return std::nullopt;
  return parse_cell_failure(*text);
}

void StudyStore::fail_cell(const StudyCell& cell, std::string_view error) const {
  const std::optional<CellFailure> last = failure(cell);
  make_folder(cell_folder(cell), function_);
  const CellFailure now{.id = cell.id,
                        .attempts = (last ? last->attempts : 0) + 1,
                        .error = printable_line(error.substr(0, error.find('\n')))};
  write_file_atomically(cell_folder(cell) + "/" + kFailure, cell_failure_text(now), function_);
}

std::optional<std::string> StudyStore::fail_cell_of(std::int64_t pid, std::string_view error) {
  const LeaseOwner here = this_owner();
  std::error_code ignored;
  for (const StudyCell& cell : cells()) {
    if (!fs::exists(lease_path(cell), ignored)) continue;
    const std::optional<LeaseState> state = look_at_lease(lease_path(cell), clock_);
    if (!state || state->owner.pid != pid || state->owner.boot != here.boot ||
        state->owner.processes != here.processes) {
      continue;
    }
    const std::optional<Lease> lease = claim(cell);
    if (!lease) return std::nullopt;
    fail_cell(cell, error);
    return cell.name;
  }
  return std::nullopt;
}

double StudyStore::moment() const {
  constexpr std::chrono::milliseconds kStep(1);
  constexpr int kMostSteps = 3000;  // clocks of file systems tick at least once in two seconds
  const std::string file = fmt::format("{}/{}/{}", folder_, kLeases, kClock);
  const std::optional<FolderTime> start = touch_file(file);
  if (!start) fail(function_, fmt::format("{}: cannot be written", file));
  for (int i = 0; i < kMostSteps; ++i) {
    const std::optional<FolderTime> now = touch_file(file);
    if (!now || *now > *start) break;
    std::this_thread::sleep_for(kStep);
  }
  return start->count();
}

void StudyStore::remove_leftovers() {
  std::vector<fs::path> left;
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    struct stat status;
    const std::string path = it->path().string();
    if (path.find(".tmp.", folder_.size()) == path.npos || ::stat(path.c_str(), &status) != 0) {
      continue;
    }
    const FolderTime age = clock_.now() - std::chrono::seconds(status.st_mtim.tv_sec);
    if (age > kStaleAfter) left.push_back(it->path());
  }
  for (const fs::path& path : left) fs::remove(path, error);
  remove_half_made_leases(folder_ + "/" + kLeases, clock_);
  remove_leases_of_done_cells();
}

// Of workers that were killed between the result and the release.
void StudyStore::remove_leases_of_done_cells() {
  const std::set<std::string> leases = lease_names();
  for (const StudyCell& cell : cells()) {
    if (!leases.contains(cell.name)) continue;
    const std::optional<LeaseState> lease = look_at_lease(lease_path(cell), clock_);
    if (lease && lease->stale && status_without_lease(cell).state == CellState::kDone) {
      claim(cell);  // and release it
    }
  }
}

std::set<std::string> StudyStore::lease_names() const {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder_ + "/" + kLeases, error), end; !error && it != end;
       it.increment(error)) {
    names.insert(it->path().filename().string());
  }
  return names;
}

}  // namespace openworld
