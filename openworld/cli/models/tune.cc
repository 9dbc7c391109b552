// openworld tune, behind libtorch.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "openworld/base/error.h"
#include "openworld/cli/models/class_list.h"
#include "openworld/cli/models/long_run.h"
#include "openworld/cli/models/tuning_run.h"
#include "openworld/cli/print_json.h"
#include "openworld/vlm/extra_features.h"
#include "openworld/vlm/index_tensor.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr auto kFunction = "tune";

// "1-3,7" as 1, 2, 3, 7.
std::vector<std::uint64_t> parse_seeds(const std::string& text) {
  std::vector<std::uint64_t> seeds;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](std::uint64_t& value) {
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc()) return false;
    at = stop;
    return true;
  };
  for (bool more = true; more;) {
    std::uint64_t first = 0, last = 0;
    bool right = number(first);
    last = first;
    if (right && at != end && *at == '-') right = ++at != end && number(last);
    constexpr std::uint64_t kMost = 10'000;
    if (!right || last < first || last - first >= kMost || (at != end && *at != ',')) {
      fail(kFunction, fmt::format("--seeds is '{}'; expected seeds such as 1-3 or 1,2,5", text));
    }
    for (std::uint64_t seed = first; seed <= last; ++seed) {
      if (std::find(seeds.begin(), seeds.end(), seed) != seeds.end()) {
        fail(kFunction, fmt::format("--seeds is '{}'; expected each seed once, {} is there twice",
                                    text, seed));
      }
      seeds.push_back(seed);
    }
    more = at != end;
    if (more) ++at;
  }
  return seeds;
}

struct SeedRun {
  std::uint64_t seed;
  std::string folder;
};

std::vector<SeedRun> seed_runs(const TuneFlags& flags) {
  if (flags.seeds.empty()) return {{flags.seed, flags.out}};
  std::vector<SeedRun> runs;
  for (const std::uint64_t seed : parse_seeds(flags.seeds)) {
    runs.push_back({seed, fmt::format("{}/seed-{}", flags.out, seed)});
  }
  return runs;
}

ChosenMethod choose_method(const TuneFlags& flags) {
  ChosenMethod method(flags.method);
  if (flags.epochs > 0) {
    if (!method.list.has("epochs")) {
      fail(kFunction, fmt::format("{} is not trained and has no epochs", method.row->name));
    }
    method.list.set("epochs", std::to_string(flags.epochs), kFunction);
  }
  for (const std::string& assignment : flags.set) method.list.set(assignment, kFunction);
  return method;
}

ShotRule shot_rule(const TuneFlags& flags, const LearnerRow& row) {
  if (flags.shot_rule == "coop") return ShotRule::kCoop;
  if (flags.shot_rule == "decoop") return ShotRule::kDeCoop;
  return row.shots;
}

TestImages encode_test(const TuneFlags& flags, const LoadedModel& model, const Dataset& test) {
  const auto start = Clock::now();
  const ImageFeatures features = encode_dataset(model, test, flags.model, flags.cache);
  TestImages images;
  images.features = normalized_features(features);
  images.samples = features.samples;
  images.patches = [&](std::span<const std::size_t> samples) {
    return patch_features(model.clip, some_samples(test, samples),
                          {flags.model.batch, flags.model.threads, {}});
  };
  for (const std::size_t i : features.samples) images.labels.push_back(test.samples[i].label);
  DataFlags data = flags.data;
  if (!flags.test_data.empty()) data.data = flags.test_data;
  images.data = data_json(test, data, features);
  if (!features.failures.empty()) images.data["samples"] = features.samples;
  images.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return images;
}

// Without the images that were tuned on, where the same split is tested on.
TestImages without_shots(const TestImages& test, const TuningData& data,
                         const std::vector<std::size_t>& shots) {
  if (!data.same_images) return test;
  const std::set<std::size_t> tuned_on(shots.begin(), shots.end());
  TestImages rest = test;
  std::vector<std::int64_t> rows;
  rest.samples.clear();
  rest.labels.clear();
  for (std::size_t i = 0; i < test.samples.size(); ++i) {
    if (tuned_on.contains(test.samples[i])) continue;
    rows.push_back(static_cast<std::int64_t>(i));
    rest.samples.push_back(test.samples[i]);
    rest.labels.push_back(test.labels[i]);
  }
  rest.features = test.features.index_select(0, index_tensor(rows));
  rest.data["images"] = rest.samples.size();
  rest.data["samples"] = rest.samples;
  return rest;
}

// Throws Error if a split that is also tested on has no image left.
void expect_images_left(const TuningData& data, const std::vector<std::size_t>& shots) {
  if (!data.same_images) return;
  const std::set<std::size_t> tuned_on(shots.begin(), shots.end());
  if (tuned_on.size() < data.train.samples.size()) return;
  fail(kFunction,
       "every image is tuned on and none is left to test; expected fewer --shots, or "
       "another --test-split");
}

}  // namespace

void run_tune(const TuneFlags& flags) {
  const ChosenMethod method = choose_method(flags);
  const std::vector<SeedRun> seeds = seed_runs(flags);
  const TuningData data = open_tuning_data(flags);
  const std::vector<std::string> names =
      prompt_names(data.train, flags.data, flags.keep_underscores, kFunction);
  const std::int64_t base = base_classes(flags.base, names.size(), kFunction);
  const ShotRule rule = shot_rule(flags, *method.row);

  LoadedModel model = load_model(flags.model, kFunction);
  if (flags.logit_scale > 0) set_logit_scale(model.clip, flags.logit_scale);
  const Tokenizer tokenizer = load_tokenizer(model.checkpoint, flags.model.vocabulary);
  const TextModel text_model = {&model.clip, &tokenizer, {flags.memory}, flags.model.threads};

  // Everything that can be wrong is found before the first folder is made.
  for (const SeedRun& one : seeds) {
    expect_images_left(data, draw_shots(flags, data.train, base, rule, one.seed));
  }
  std::vector<TuningRun> runs;
  for (const SeedRun& one : seeds) {
    runs.emplace_back(one.folder, run_json(flags, method, model, data.train, data.test, one.seed),
                      flags.restart);
  }
  if (std::any_of(runs.begin(), runs.end(), [](const TuningRun& r) { return !r.finished(); })) {
    // Whether options and names fit does not depend on the seed.
    const nlohmann::json run = runs.front().description();
    method.options->make(task_of(run, text_model, flags.out))->scorer(new_names_of(run));
  }
  std::optional<TestImages> test;
  Json results = Json::array();
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const SeedRun& one = seeds[i];
    TuningRun& tuning = runs[i];
    if (auto json = tuning.finished()) {
      if (!flags.json) say(one.folder + " is finished; --restart begins anew");
      results.push_back(std::move(*json));
    } else {
      if (!test) test = encode_test(flags, model, data.test);
      const auto start = Clock::now();
      const TuningTask task = task_of(nlohmann::json(tuning.description()), text_model, one.folder);
      const auto learner = method.options->make(task);
      const auto shots = draw_shots(flags, data.train, base, rule, one.seed);
      const Episode episode =
          make_episode(flags, model, data.train, shots, method.row->wants_local, one.seed);
      tuning.begin();
      const double encode_seconds =
          std::chrono::duration<double>(Clock::now() - start).count() + test->seconds;
      if (!tuning.train(*learner, episode, flags.json)) {
        fail(kFunction,
             fmt::format("{}: stopped; the same command goes on from there", one.folder));
      }
      results.push_back(tuning.finish(*learner, without_shots(*test, data, shots), encode_seconds));
    }
    if (!flags.json) fmt::print("{}", result_text(results.back()));
  }
  if (flags.json) print_json(flags.seeds.empty() ? results[0] : Json{{"runs", results}});
}

}  // namespace openworld
