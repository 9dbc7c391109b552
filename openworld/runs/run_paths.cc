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

// Whether `now` is the file or folder that `was` of the run's spec is, or was when it was started.
bool is_same_place(const RunFolder& run, const std::string& was, const std::string& now,
                   std::string_view function) {
  std::error_code error;
  const fs::path real = fs::canonical(now, error);
  if (error || was.empty()) return false;
  return std::ranges::any_of(path_candidates(run, was, function), [&](const std::string& place) {
    std::error_code gone;
    return fs::canonical(place, gone) == real;
  });
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

RunSpec resumed_spec(const RunFolder& run, const RunSpec& was, RunSpec now, const Origin& origin) {
  const auto keep = [&](const std::string& before, std::string& path) {
    if (is_same_place(run, before, path, origin.function)) path = before;
  };
  const auto keep_tests = [&](const std::vector<RunTestData>& before,
                              std::vector<RunTestData>& tests) {
    for (std::size_t i = 0; i < std::min(before.size(), tests.size()); ++i) {
      keep(before[i].data, tests[i].data);
    }
  };
  if (!now.model.sha256.empty() && now.model.sha256 == was.model.sha256) {
    now.model.path = was.model.path;
  }
  keep(was.model.vocabulary, now.model.vocabulary);
  keep(was.data.path, now.data.path);
  keep(was.data.test_data, now.data.test_data);
  keep(was.data.image_root, now.data.image_root);
  keep(was.data.names, now.data.names);
  if (was.scenario && now.scenario) {
    keep_tests(was.scenario->looks, now.scenario->looks);
    keep_tests(was.scenario->targets, now.scenario->targets);
  }
  if (was.network && now.network) keep(was.network->unknown, now.network->unknown);
  expect_same_run(was, now, origin);
  return now;
}

}  // namespace openworld
