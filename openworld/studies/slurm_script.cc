#include "openworld/studies/slurm_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "openworld/base/error.h"
#include "openworld/base/quotes.h"
#include "openworld/io/sha256.h"

namespace openworld {
namespace {

constexpr std::size_t kDefaultArraySize = 1001;
constexpr std::size_t kUnknownCells = 10;

// A line of the script cannot hold one, and there is no way to escape it in an #SBATCH line.
const std::string& one_line(const std::string& text) {
  if (text.find_first_of("\n\r") != text.npos) {
    fail("study",
         fmt::format("{} has a line break; Slurm scripts cannot hold one", in_quotes(text)));
  }
  return text;
}

std::string short_hash(std::string_view text) {
  return hex_text(sha256(std::as_bytes(std::span(text)))).substr(0, 8);
}

// Letters, digits, - and _: the name also stands in file names and listings.
std::string job_name(const std::string& name) {
  std::string job = "openworld";
  if (!name.empty()) job += '-';
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    job += plain ? c : '_';
  }
  return job.substr(0, 60);
}

std::string script_text(const SlurmStudy& study, const SlurmOptions& options,
                        const SlurmScript& script) {
  const std::string folder = slurm_folder(study.folder);
  const std::size_t chunk = script.cells_per_task;
  std::string text = "#!/bin/bash\n";
  const auto line = [&](const std::string& option) {
    text += fmt::format("#SBATCH {}\n", one_line(option));
  };
  line("--job-name=" + job_name(study.name));
  line(fmt::format("--array=0-{}{}", script.tasks - 1,
                   options.most_at_once > 0 ? fmt::format("%{}", options.most_at_once) : ""));
  line("--requeue");
  line("--open-mode=append");
  // B: to the batch script, which is the worker itself; without it only to steps of srun.
  line("--signal=B:USR1@90");
  line(fmt::format("--output={}/%A_%a.log", folder));
  if (!options.partition.empty()) line("--partition=" + options.partition);
  if (!options.account.empty()) line("--account=" + options.account);
  if (!options.time.empty()) line("--time=" + options.time);
  if (options.cpus > 0) line(fmt::format("--cpus-per-task={}", options.cpus));
  for (const std::string& extra : options.extra) line(extra);
  text += fmt::format("# Each task computes {} of the cells that are listed in {}.\n", chunk,
                      script.list_file);
  text += fmt::format("first=$((SLURM_ARRAY_TASK_ID * {} + 1))\n", chunk);
  text += fmt::format("last=$((first + {}))\n", chunk - 1);
  text += fmt::format("exec {} study work {} --cells {} --from \"$first\" --to \"$last\" --requeue",
                      shell_quoted(study.program), shell_quoted(study.folder),
                      shell_quoted(folder + "/" + script.list_file));
  for (const std::string& flag : study.flags) text += " " + shell_quoted(flag);
  return text + "\n";
}

}  // namespace

std::string slurm_folder(const std::string& study) {
  return study + "/slurm";
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : one_line(text)) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::size_t cells_per_task(const SlurmOptions& options,
                           const std::optional<double>& seconds_per_cell) {
  if (options.cells_per_task > 0) return options.cells_per_task;
  if (!seconds_per_cell) return kUnknownCells;
  constexpr double kMost = 1e5;
  return static_cast<std::size_t>(
      std::clamp(std::ceil(kLeastTaskSeconds / *seconds_per_cell), 1.0, kMost));
}

std::vector<SlurmScript> slurm_scripts(const SlurmStudy& study, const SlurmOptions& options,
                                       std::size_t max_array_size) {
  const std::size_t chunk = cells_per_task(options, study.seconds_per_cell);
  // Numbers of tasks are below MaxArraySize.
  const std::size_t cells_of_array = chunk * std::max<std::size_t>(1, max_array_size);
  std::vector<SlurmScript> scripts;
  for (std::size_t begin = 0; begin < study.cells.size(); begin += cells_of_array) {
    const std::size_t end = std::min(begin + cells_of_array, study.cells.size());
    SlurmScript script;
    script.cells = end - begin;
    script.cells_per_task = chunk;
    script.tasks = (script.cells + chunk - 1) / chunk;
    for (std::size_t i = begin; i < end; ++i) script.list_text += one_line(study.cells[i]) + "\n";
    script.list_file = fmt::format("cells-{}.txt", short_hash(script.list_text));
    script.text = script_text(study, options, script);
    script.file = fmt::format("submit-{}.sbatch", short_hash(script.text));
    scripts.push_back(std::move(script));
  }
  return scripts;
}

std::size_t max_array_size(const std::string& scontrol_output) {
  constexpr std::string_view kName = "MaxArraySize";
  std::size_t at = scontrol_output.find(kName);
  if (at == std::string::npos) return kDefaultArraySize;
  at = scontrol_output.find_first_not_of(" \t=", at + kName.size());
  std::size_t size = 0;
  if (at == std::string::npos) return kDefaultArraySize;
  const char* const begin = scontrol_output.data();
  const auto [stop, error] = std::from_chars(begin + at, begin + scontrol_output.size(), size);
  return error == std::errc() && size > 0 ? size : kDefaultArraySize;
}

std::optional<std::string> slurm_task() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string array = variable("SLURM_ARRAY_JOB_ID"), task = variable("SLURM_ARRAY_TASK_ID");
  if (!array.empty() && !task.empty()) return array + "_" + task;
  const std::string job = variable("SLURM_JOB_ID");
  return job.empty() ? std::nullopt : std::optional(job);
}

}  // namespace openworld
