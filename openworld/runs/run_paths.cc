#include "openworld/runs/run_paths.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "openworld/io/atomic_file.h"
#include "openworld/io/json_fields.h"
#include "openworld/io/json_file.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPathsSchema = "openworld.paths/1";

// Absolute, without "." and "..", as symlinks of the user's have it.
fs::path absolute(const std::string& path) {
  std::error_code ignored;
  fs::path whole = fs::absolute(path, ignored).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

struct RunPaths {
  fs::path working_folder, run_folder;
};

RunPaths read_run_paths(const RunFolder& run, std::string_view function) {
  std::error_code ignored;
  if (!fs::exists(run.paths_file(), ignored)) return {};
  const Origin origin{std::string(function), run.paths_file()};
  const nlohmann::json json = read_json_file(origin);
  const JsonFields fields(json, "", origin);
  if (fields.text("schema", "") != kPathsSchema) fields.fail("schema", kPathsSchema);
  return {fields.text("working_folder", ""), fields.text("run_folder", "")};
}

}  // namespace

void write_run_paths(const RunFolder& run, std::string_view function) {
  std::error_code error;
  const fs::path working = fs::current_path(error);
  if (error) return;  // it was removed; nothing can be relative to it
  const nlohmann::ordered_json json = {{"schema", kPathsSchema},
                                       {"working_folder", working.string()},
                                       {"run_folder", absolute(run.path()).string()}};
  write_file_atomically(
      run.paths_file(),
      json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n",
      std::string(function));
}

std::vector<std::string> path_candidates(const RunFolder& run, const std::string& path,
                                         std::string_view function) {
  std::error_code ignored;
  std::vector<std::string> found = {path};
  std::vector<fs::path> seen = {fs::canonical(path, ignored)};
  const auto add = [&](const fs::path& candidate) {
    std::error_code error;
    fs::path real = fs::canonical(candidate, error);
    if (error || std::ranges::find(seen, real) != seen.end()) return;
    seen.push_back(std::move(real));
    found.push_back(candidate.string());
  };
  const RunPaths then = read_run_paths(run, function);
  const fs::path now = absolute(run.path());
  if (!then.working_folder.empty()) {
    const fs::path was = (then.working_folder / path).lexically_normal();
    add(was);
    if (!then.run_folder.empty())
      add((now / was.lexically_relative(then.run_folder)).lexically_normal());
  }
  if (fs::path(path).is_relative()) {
    for (fs::path above = now; above.has_relative_path();) {
      above = above.parent_path();
      add(above / path);
    }
  }
  return found;
}

std::string find_path(const RunFolder& run, const std::string& path, std::string_view function) {
  std::error_code ignored;
  const std::vector<std::string> places = path_candidates(run, path, function);
  return fs::exists(path, ignored) || places.size() == 1 ? path : places[1];
}

}  // namespace openworld
