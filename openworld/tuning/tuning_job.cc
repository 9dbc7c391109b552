#include "openworld/tuning/tuning_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>

#include "openworld/base/error.h"
#include "openworld/tuning/learner_input.h"
#include "openworld/tuning/loaded_model.h"
#include "openworld/tuning/method.h"
#include "openworld/tuning/prompt_names.h"
#include "openworld/tuning/tuning_data.h"
#include "openworld/tuning/tuning_run.h"
#include "openworld/vlm/extra_features.h"
#include "openworld/vlm/index_tensor.h"
#include "openworld/vlm/pixel_source.h"
#include "openworld/worlds/templates.h"

namespace openworld {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kFunction = "tune";

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Method choose_method(const TuningRequest& request) {
  Method method(request.method);
  if (request.epochs > 0) {
    if (!method.list.has("epochs")) {
      fail(kFunction, fmt::format("{} is not trained and has no epochs", method.row->name));
    }
    method.list.set("epochs", std::to_string(request.epochs), kFunction);
  }
  for (const std::string& assignment : request.options) method.list.set(assignment, kFunction);
  return method;
}

ShotRule shot_rule(const TuningRequest& request, const LearnerRow& row) {
  if (request.shot_rule == "auto") return row.shots;
  if (request.shot_rule == "coop") return ShotRule::kCoop;
  if (request.shot_rule == "decoop") return ShotRule::kDeCoop;
  fail(kFunction,
       fmt::format("the shot rule is '{}'; expected coop, decoop or auto", request.shot_rule));
}

// "a photo of a" of "a photo of a {}, a type of pet.".
std::string words_before_name(const std::string& sentence) {
  std::string words = sentence.substr(0, sentence.find("{}"));
  while (words.ends_with(' ')) words.pop_back();
  return words;
}

RunSpec make_spec(const TuningRequest& request, const Method& method, const LoadedModel& model,
                  const TuningData& data, std::size_t base, std::uint64_t seed) {
  // A dataset that has a template of its own does not hold photos.
  const bool drawings = !data.train.templates.empty();
  RunSpec spec{.label = request.label,
               .method = std::string(method.row->name),
               .title = std::string(method.row->title),
               .options = method.list.values(),
               .changed = method.changed(),
               .seed = seed,
               .shots = request.shots,
               .shot_rule = request.shot_rule,
               .views = request.views,
               .augment = request.augment,
               .model = model.description(request.model),
               .data = {.path = request.data.path,
                        .train_split = data.train.split,
                        .test_split = data.test.split,
                        .test_data = request.test_data,
                        .image_root = request.data.options.image_root,
                        .names = request.data.options.names,
                        .format = request.data.options.format,
                        .allow_duplicate_names = request.data.options.allow_duplicate_names,
                        .train_sha256 = list_sha256(data.train),
                        .test_sha256 = list_sha256(data.test)},
               .keep_underscores = request.keep_underscores,
               .templates = choose_templates(request.templates, data.train),
               .template_set = request.templates,
               .ensemble = find_template_set(drawings ? "doodles7" : "select7").templates,
               .plain_words = drawings ? words_before_name(data.train.templates) : "a photo of a",
               .base_classes = base,
               .classes = data.train.classes};
  spec.model.logit_scale = request.logit_scale;
  return spec;
}

TestImages encode_test(const TuningRequest& request, const LoadedModel& model, const Dataset& test,
                       const Observer& observer) {
  const auto start = Clock::now();
  const ImageFeatures features =
      encode_dataset(model, test, request.model, request.cache, observer);
  TestImages images;
  images.features = normalized_features(features, model.clip.device());
  images.lengths = feature_lengths(features, model.clip.device());
  images.samples = features.samples;
  images.add_input = [&](std::span<const std::size_t> samples, ImageInput input,
                         ScoredImages& scored) {
    add_learner_input(model.clip, some_samples(test, samples), request.model, input, scored);
  };
  for (const std::size_t i : features.samples) images.labels.push_back(test.samples[i].label);
  const std::string& path = request.test_data.empty() ? request.data.path : request.test_data;
  images.summary = data_summary(test, path, features.samples.size(), features.failures.size());
  if (!features.failures.empty()) images.summary.samples = features.samples;
  images.seconds = seconds_since(start);
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
  const at::Tensor left = index_tensor(rows, test.features.device());
  rest.features = test.features.index_select(0, left);
  rest.lengths = test.lengths.index_select(0, left);
  rest.summary.images = rest.samples.size();
  rest.summary.samples = rest.samples;
  return rest;
}

// The training images of a run as its learner takes them.
struct TrainImages {
  std::unique_ptr<PixelSource> pixels;
  Episode episode;
};

TrainImages encode_shots(const TuningRequest& request, const LoadedModel& model,
                         const Dataset& train, const std::vector<std::size_t>& samples,
                         ImageInput input, std::uint64_t seed, const Observer& observer) {
  const Dataset shots = some_samples(train, samples);
  std::vector<std::int64_t> labels;
  for (const Sample& sample : shots.samples) labels.push_back(sample.label);
  const auto followed = [&](const char* what) {
    return ExtraFeatureOptions{request.model.batch, request.model.threads, observer.follow(what)};
  };
  TrainImages images;
  Episode& episode = images.episode;
  episode.labels = index_tensor(labels, model.clip.device());
  if (request.views > 0) {
    const at::Tensor features =
        view_features(model.clip, shots, request.views, seed, followed("encoding views"));
    episode.features = normalized(features);
    episode.lengths = lengths(features);
  } else {
    const ImageFeatures features =
        encode_dataset(model, shots, request.model, request.cache, observer, Unreadable::kRefuse);
    episode.features = normalized_features(features, model.clip.device());
    episode.lengths = feature_lengths(features, model.clip.device());
  }
  if (input == ImageInput::kPatches) {
    episode.local = patch_features(model.clip, shots, followed("encoding patches"));
  }
  if (input == ImageInput::kPatchStates) {
    episode.local = patch_states(model.clip, shots, followed("encoding patches"));
  }
  if (input == ImageInput::kPixels) {
    images.pixels =
        std::make_unique<PixelSource>(shots, model.clip.config.preprocessing,
                                      PixelOptions{.seed = seed, .threads = request.model.threads});
    episode.pixels = images.pixels.get();
    episode.fresh_views = request.augment;
  }
  return images;
}

}  // namespace

std::vector<RunResult> run_tuning(const TuningRequest& request, const TuningObserver& observer) {
  const Method method = choose_method(request);
  const TuningData data = open_tuning_data(request);
  const std::vector<std::string> names =
      prompt_names(data.train, request.data, request.keep_underscores, kFunction);
  const std::size_t base = base_classes(request.base, names.size(), kFunction);
  const ShotRule rule = shot_rule(request, *method.row);
  if (request.augment && method.row->input != ImageInput::kPixels) {
    fail(kFunction, fmt::format("{} takes {}; augmentation in every epoch needs a method that "
                                "takes images, and views serve the others",
                                method.row->name, image_input_name(method.row->input)));
  }

  LoadedModel model = load_model(request.model, kFunction);
  if (request.logit_scale > 0) set_logit_scale(model.clip, request.logit_scale);
  const Tokenizer tokenizer = load_tokenizer(model.checkpoint, request.model.vocabulary);
  const TextModel text_model = {&model.clip, &tokenizer, {request.memory}, request.model.threads};

  for (const TuningRequest::Run& run : request.runs) {
    expect_images_left(data, draw_shots(request, data.train, base, rule, run.seed));
  }
  std::vector<TuningRun> runs;
  for (const TuningRequest::Run& run : request.runs) {
    runs.emplace_back(run.folder, make_spec(request, method, model, data, base, run.seed),
                      request.restart);
  }
  if (std::any_of(runs.begin(), runs.end(), [](const TuningRun& r) { return !r.finished(); })) {
    // Whether options and names fit does not depend on the seed.
    const RunSpec& spec = runs.front().spec();
    method.options->make(task_of(spec, text_model))->scorer(spec.new_names());
  }

  std::optional<TestImages> test;
  std::vector<RunResult> results;
  for (TuningRun& run : runs) {
    if (auto result = run.finished()) {
      run.remove_leftovers();
      observer.tell(run.folder().path() + " is finished");
      results.push_back(std::move(*result));
    } else {
      if (!test) test = encode_test(request, model, data.test, observer);
      const auto start = Clock::now();
      const auto learner = method.options->make(task_of(run.spec(), text_model));
      const auto shots = draw_shots(request, data.train, base, rule, run.spec().seed);
      const TrainImages train = encode_shots(request, model, data.train, shots, method.row->input,
                                             run.spec().seed, observer);
      run.begin();
      const double encode_seconds = seconds_since(start) + test->seconds;
      if (!run.train(*learner, train.episode, observer)) {
        fail(kFunction,
             fmt::format("{}: stopped; run the same command again to resume", run.folder().path()));
      }
      results.push_back(run.finish(*learner, without_shots(*test, data, shots), encode_seconds));
    }
    if (observer.result) observer.result(results.back());
  }
  return results;
}

}  // namespace openworld
