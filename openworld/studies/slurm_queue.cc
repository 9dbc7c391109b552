#include "openworld/studies/slurm_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "openworld/base/error.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/json_file.h"
#include "openworld/io/json_number.h"
#include "openworld/io/small_file.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr auto kFunction = "study";
constexpr auto kQueueSchema = "openworld.study_job/1";

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::optional<SlurmJob> parse_job(const std::string& text) {
  const std::optional<Json> json = try_parse_json(text);
  if (!json || !json->is_object()) return std::nullopt;
  try {
    const std::int64_t cells = json_integer(json->at("cells_per_task")).value_or(0);
    if (json->at("schema") != kQueueSchema || cells < 1) return std::nullopt;
    return SlurmJob{json->at("job").get<std::string>(), json->at("cells").get<std::string>(),
                    static_cast<std::size_t>(cells)};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

// Numbers of the tasks of a job, from lines "17_3".
std::vector<std::size_t> tasks_of(const std::string& job, const std::vector<std::string>& lines) {
  std::vector<std::size_t> tasks;
  for (const std::string& line : lines) {
    if (!line.starts_with(job + "_")) continue;
    const char* const begin = line.data() + job.size() + 1;
    std::size_t task = 0;
    if (std::from_chars(begin, line.data() + line.size(), task).ec == std::errc()) {
      tasks.push_back(task);
    }
  }
  return tasks;
}

}  // namespace

void write_slurm_job(const std::string& folder, const SlurmJob& job) {
  const Json json = {{"schema", kQueueSchema},
                     {"job", job.job},
                     {"cells", job.list_file},
                     {"cells_per_task", job.cells_per_task}};
  write_file_atomically(fmt::format("{}/{}.json", folder, job.job), json.dump() + "\n", kFunction);
}

std::vector<SlurmJob> read_slurm_jobs(const std::string& folder) {
  std::vector<SlurmJob> jobs;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".json") continue;
    const std::optional<std::string> text = read_small_file(it->path().string());
    if (!text) continue;
    if (std::optional<SlurmJob> job = parse_job(*text)) jobs.push_back(std::move(*job));
  }
  return jobs;
}

std::set<std::string> queued_cells(const std::string& folder, const std::vector<SlurmJob>& jobs,
                                   std::string_view squeue_output) {
  const std::vector<std::string> lines = lines_of(squeue_output);
  std::set<std::string> queued;
  for (const SlurmJob& job : jobs) {
    const std::vector<std::size_t> tasks = tasks_of(job.job, lines);
    if (tasks.empty()) continue;
    const std::string list =
        read_small_file(fmt::format("{}/{}", folder, job.list_file)).value_or("");
    const std::vector<std::string> names = lines_of(list);
    for (const std::size_t task : tasks) {
      if (task > names.size()) continue;
      const std::size_t begin = std::min(task * job.cells_per_task, names.size());
      const std::size_t end = std::min(begin + job.cells_per_task, names.size());
      queued.insert(names.begin() + static_cast<std::ptrdiff_t>(begin),
                    names.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }
  return queued;
}

std::vector<std::string> read_cell_list(const std::string& path) {
  const std::optional<std::string> text = read_small_file(path, nullptr, std::size_t{1} << 26);
  if (!text) fail(kFunction, fmt::format("{}: cannot be read; expected a file of names", path));
  return lines_of(*text);
}

}  // namespace openworld
