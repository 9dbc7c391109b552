#include "openworld/cli/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "openworld/base/error.h"
#include "openworld/io/json_fields.h"
#include "openworld/io/json_file.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr auto kRunSchema = "openworld.run/1";
constexpr auto kResultSchema = "openworld.tune/1";
// Ten thousand class names, and every template.
constexpr JsonLimits kLimits{.bytes = std::size_t{1} << 24, .depth = 32};

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// Names stand in tables and titles: one line of something.
std::string name_of(const JsonFields& fields, std::string_view key) {
  const std::string text = fields.text(key, "");
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (text.empty() || std::ranges::any_of(text, is_control)) fields.fail(key, "a name");
  return text;
}

void expect_schema(const JsonFields& fields, std::string_view schema) {
  if (fields.text("schema", "") != schema) fields.fail("schema", schema);
}

std::string label_of(const JsonFields& run, const Origin& origin) {
  if (run.has("label")) return name_of(run, "label");
  std::string label = name_of(run, "method");
  for (const auto& [key, value] : run["changed"].items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    // ASCII with escapes, unless it is a plain word already.
    const auto plain = [](unsigned char c) { return c > 0x20 && c != 0x7f; };
    if (!std::ranges::all_of(key, plain)) {
      origin.fail(fmt::format("changed has the key {}; expected a name", in_quotes(key)));
    }
    label += fmt::format(" {}={}", key, std::ranges::all_of(text, plain) ? text : in_quotes(text));
  }
  return label;
}

std::uint64_t seed_of(const JsonFields& run) {
  const Json& seed = run["seed"];
  if (!seed.is_number_unsigned()) run.fail("seed", "a whole number below 2^64");
  return seed.get<std::uint64_t>();
}

void expect_finished(const std::string& path, std::string_view function) {
  if (exists((fs::path(path) / "result.json").string())) return;
  fail(function, fmt::format("{}: not finished, result.json is missing; run `openworld tune` again "
                             "to go on",
                             path));
}

// The numbers N of the folders seed-N in a folder that holds nothing else, ascending; empty
// otherwise. Hidden files do not count.
std::vector<std::uint64_t> seeds_in(const std::string& path) {
  std::vector<std::uint64_t> seeds;
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(".")) continue;
    constexpr std::string_view kPrefix = "seed-";
    std::uint64_t seed = 0;
    const char* last = name.data() + name.size();
    if (!name.starts_with(kPrefix)) return {};
    const auto [stop, wrong] = std::from_chars(name.data() + kPrefix.size(), last, seed);
    if (wrong != std::errc() || stop != last || !is_run_folder(it->path().string())) return {};
    seeds.push_back(seed);
  }
  if (error) return {};
  std::ranges::sort(seeds);
  return seeds;
}

}  // namespace

std::string RunFolder::file(std::string_view name) const {
  return (fs::path(path) / name).string();
}

bool is_run_folder(const std::string& path) {
  return exists((fs::path(path) / "run.json").string());
}

RunFolder read_run_folder(const std::string& path, std::string_view function) {
  const Origin origin{std::string(function), (fs::path(path) / "run.json").string()};
  const Json json = read_json_file(origin, kLimits);
  const JsonFields run(json, "", origin);
  expect_schema(run, kRunSchema);
  if (!run["changed"].is_object()) run.fail("changed", "an object");
  const JsonFields data = run.object("data");
  RunFolder folder{.path = path,
                   .method = name_of(run, "method"),
                   .title = name_of(run, "title"),
                   .label = label_of(run, origin),
                   .seed = seed_of(run),
                   .shots = run.integer("shots", 0),
                   .model = name_of(run.object("model"), "path"),
                   .data = {.path = name_of(data, "path"),
                            .train_split = data.text("train_split", ""),
                            .test_split = data.text("test_split", ""),
                            .image_root = data.text("image_root", ""),
                            .names = data.text("names", ""),
                            .format = data.text("format", "")}};
  expect_finished(path, function);
  return folder;
}

RunCost read_run_cost(const RunFolder& run, std::string_view function) {
  const Origin origin{std::string(function), run.file("result.json")};
  const Json json = read_json_file(origin, kLimits);
  const JsonFields result(json, "", origin);
  expect_schema(result, kResultSchema);
  const auto number = [](const JsonFields& fields, std::string_view key) -> std::optional<double> {
    if (!fields.has(key)) return std::nullopt;
    const double value = fields.number(key, 0);
    if (value < 0) fields.fail(key, "a number of at least 0");
    return value;
  };
  RunCost cost{.parameters = number(result, "parameters"),
               .train_images = number(result, "train_images"),
               .epochs = number(result, "epochs")};
  if (!result.has("run")) return cost;
  const JsonFields spent = result.object("run");
  cost.train_seconds = number(spent, "train_seconds");
  cost.seconds_per_image = number(spent, "seconds_per_image");
  cost.peak_memory_bytes = number(spent, "peak_memory_bytes");
  return cost;
}

std::vector<std::string> expand_run_folders(const std::vector<std::string>& arguments) {
  std::vector<std::string> paths;
  for (const std::string& argument : arguments) {
    const std::vector<std::uint64_t> seeds =
        is_run_folder(argument) ? std::vector<std::uint64_t>{} : seeds_in(argument);
    for (const std::uint64_t seed : seeds) {
      paths.push_back((fs::path(argument) / fmt::format("seed-{}", seed)).string());
    }
    if (seeds.empty()) paths.push_back(argument);
  }
  return paths;
}

std::string predictions_path(const std::string& argument, std::string_view function) {
  const std::vector<std::string> paths = expand_run_folders({argument});
  if (paths.size() > 1) {
    fail(function, fmt::format("{}: holds {} runs; expected one, such as {}", argument,
                               paths.size(), paths[0]));
  }
  if (!is_run_folder(paths[0])) return argument;
  expect_finished(paths[0], function);
  return (fs::path(paths[0]) / "predictions.npz").string();
}

}  // namespace openworld
