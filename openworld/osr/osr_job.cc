#include "openworld/osr/osr_job.h"

#include <fmt/format.h>

#include <utility>

#include "openworld/base/error.h"
#include "openworld/io/mapped_file.h"
#include "openworld/metrics/table.h"
#include "openworld/osr/osr_data.h"
#include "openworld/osr/osr_model.h"
#include "openworld/osr/osr_run.h"
#include "openworld/osr/table.h"
#include "openworld/predictions/predictions.h"
#include "openworld/vlm/freed_memory.h"

namespace openworld {
namespace {

constexpr auto kEval = "osr eval";
constexpr auto kScore = "osr score";

// A method with the options of a request.
struct Chosen {
  const OsrMethodRow* row;
  std::unique_ptr<OsrOptions> options;
  OptionValues values, changed;
};

Chosen choose_method(const std::string& name, const std::vector<std::string>& assignments,
                     std::int64_t epochs, const char* function) {
  Chosen chosen{&find_osr_method(name), nullptr, {}, {}};
  chosen.options = chosen.row->options();
  OptionList list;
  chosen.options->declare(list);
  for (const std::string& assignment : assignments) list.set(assignment, function);
  if (epochs > 0) chosen.options->epochs = epochs;
  const auto defaults = chosen.row->options();
  OptionList unchanged;
  defaults->declare(unchanged);
  chosen.values = list.values();
  chosen.changed = list.changed_from(unchanged);
  return chosen;
}

RunSpec make_spec(const OsrTrainRequest& request, const Chosen& method, const OsrData& data,
                  std::uint64_t seed) {
  RunSpec spec;
  spec.label = request.label;
  spec.method = method.row->name;
  spec.title = method.row->title;
  spec.options = method.values;
  spec.changed = method.changed;
  spec.seed = seed;
  spec.shots = 0;
  spec.model.path = find_network(request.net).name;
  spec.model.format = "osr";
  spec.data = data.data;
  RunNetwork network{.name = spec.model.path,
                     .split = data.split.name,
                     .known = {data.split.known.begin(), data.split.known.end()},
                     .input = data.input,
                     .unknown = request.unknown,
                     .unknown_split = data.unknown_split,
                     .unknown_sha256 = data.unknown_sha256};
  spec.network = std::move(network);
  spec.base_classes = data.classes.size();
  spec.classes = data.classes;
  return spec;
}

// The data of a published split, unless it is said.
OsrTrainRequest with_data(OsrTrainRequest request) {
  if (!request.data.path.empty()) return request;
  const std::string name = request.split.substr(0, request.split.find(':'));
  for (const OsrSplitRow& row : osr_split_table()) {
    if (row.name == name && !row.data.empty()) request.data.path = row.data;
  }
  if (request.data.path.empty()) {
    fail("osr train",
         "no data; expected --data, or --split of a dataset that can be had by its name");
  }
  return request;
}

RunSpec osr_spec(const RunFolder& folder, const char* function) {
  const RunSpec spec = folder.spec(function);
  if (!spec.network) {
    fail(function, fmt::format("{}: not a run of `openworld osr train`", folder.path()));
  }
  folder.expect_finished(function);
  folder.expect_whole({RunFile::kSpec, RunFile::kModel, RunFile::kPredictions}, function);
  return spec;
}

OsrModel open_model(const RunFolder& folder, const RunSpec& spec) {
  // Before there is room for them: the file has a row of features for each class.
  const NetworkRow& net = find_network(spec.network->name);
  const auto width = static_cast<std::uint64_t>(net.width > 0 ? net.width : spec.network->input);
  const Origin origin{"osr", folder.model_file()};
  const std::uint64_t bytes = map_file(origin).size();
  if (sizeof(float) * width * spec.base_classes > bytes) {
    origin.fail(
        fmt::format("has {} bytes; expected {} features for each of the {} classes of "
                    "run.json",
                    bytes, width, spec.base_classes));
  }
  OsrModel model = [&] {
    try {
      return model_of(spec);
    } catch (const Error& error) {
      Origin{"osr", folder.spec_file()}.fail(error.message());
    }
  }();
  model.load(folder.model_file());
  return model;
}

// The known samples of a run as it scored them, then others that are unknown.
Predictions with_unknown(const Predictions& own, const std::vector<float>& unknown) {
  std::vector<std::int8_t> side;
  std::vector<float> score;
  std::vector<std::uint8_t> correct;
  std::vector<std::int32_t> label;
  std::visit(
      [&](const auto& column) {
        for (std::size_t i = 0; i < own.side.size(); ++i) {
          if (own.side.values[i] != 0) continue;
          side.push_back(0);
          score.push_back(static_cast<float>(column.values[i]));
          correct.push_back(own.correct.values[i]);
          label.push_back(own.label.values[i]);
        }
      },
      own.score);
  const std::size_t all = side.size() + unknown.size();
  side.resize(all, -1);
  score.insert(score.end(), unknown.begin(), unknown.end());
  correct.resize(all, 0);
  label.resize(all, 0);
  Predictions joined;
  joined.side = make_column(std::move(side));
  joined.score = make_column(std::move(score));
  joined.correct = make_column(std::move(correct));
  joined.label = make_column(std::move(label));
  joined.base_classes = own.base_classes;
  joined.classes = own.classes;
  return joined;
}

OsrMeasure measure(const char* name, const Evaluation& evaluation, const char* metric) {
  const MetricResult* const found = evaluation.find(metric);
  return {name, metric, *found};
}

// The share of unknown samples that are recognised where 95 % of the known ones are: 1 - FPR.
OsrMeasure true_negative_rate(const Evaluation& evaluation) {
  OsrMeasure tnr = measure("TNR", evaluation, "fpr_at_95tpr");
  tnr.result.value.value = 1 - tnr.result.value.value;
  if (auto& interval = tnr.result.interval) {
    const double low = interval->low;
    interval->low = 1 - interval->high;
    interval->high = 1 - low;
  }
  return tnr;
}

constexpr const char* kMeasured =
    "fpr_at_95tpr,auroc,detection_acc,aupr_base_trapezoid,aupr_new_trapezoid,base_acc,oscr,"
    "open_auc";

std::vector<OsrMeasure> measures_of(const Evaluation& evaluation) {
  return {true_negative_rate(evaluation),
          measure("AUROC", evaluation, "auroc"),
          measure("DTACC", evaluation, "detection_acc"),
          measure("AUIN", evaluation, "aupr_base_trapezoid"),
          measure("AUOUT", evaluation, "aupr_new_trapezoid"),
          measure("ACC", evaluation, "base_acc"),
          measure("OSCR", evaluation, "oscr"),
          measure("OpenAUC", evaluation, "open_auc")};
}

}  // namespace

std::vector<RunResult> train_osr(const OsrTrainRequest& asked, const OsrObserver& observer) {
  keep_freed_memory();
  const OsrTrainRequest request = with_data(asked);
  const Chosen method = choose_method(request.method, request.options, request.epochs, "osr train");
  const NetworkRow& net = find_network(request.net);
  if (method.options->generates() && !net.takes_images) {
    fail("osr train",
         fmt::format("{} generates images, and {} takes features; expected vgg32 or small, "
                     "or another method",
                     method.row->name, net.name));
  }
  const OsrData data = open_osr_data(request, {.images = net.takes_images,
                                               .data = request.data.path,
                                               .options = method.options.get(),
                                               .threads = request.threads});
  std::vector<OsrRun> runs;
  for (const auto& [seed, folder] : request.runs) {
    runs.emplace_back(folder, make_spec(request, method, data, seed), request.restart);
  }
  std::vector<RunResult> results;
  for (OsrRun& run : runs) {
    std::optional<RunResult> result = run.finished();
    if (result) {
      if (observer.note) observer.note(run.folder().path() + " is finished");
    } else {
      result = run.run(data, request.test_every, request.threads, observer);
      if (!result) {
        fail("osr train",
             fmt::format("{}: stopped; run the same command again to resume", run.folder().path()));
      }
    }
    results.push_back(std::move(*result));
    if (observer.result) observer.result(results.back());
  }
  return results;
}

OsrEvaluation evaluate_osr(const OsrEvalRequest& request, const EvalOptions& options,
                           const OsrObserver& observer) {
  keep_freed_memory();
  const RunFolder folder(request.run);
  const RunSpec spec = osr_spec(folder, kEval);
  const Predictions own = load_predictions(folder.predictions_file());
  OsrEvaluation evaluation{.run = request.run,
                           .method = spec.title,
                           .data = spec.data_name(),
                           .unknown = request.unknown.path,
                           .measures = {}};
  if (request.unknown.path.empty()) {
    evaluation.unknown = spec.network->unknown.empty() ? "the other classes of " + spec.data.path
                                                       : spec.network->unknown;
    if (!request.out.empty()) {
      fail(kEval, fmt::format("--out without --unknown; the predictions are {}",
                              folder.predictions_file()));
    }
    const Outcomes outcomes = own.outcomes();
    const Evaluation measured = evaluate(outcomes, find_metrics(kMeasured), options);
    evaluation.known_samples = measured.counts.base();
    evaluation.unknown_samples = measured.counts.unknown();
    evaluation.measures = measures_of(measured);
    return evaluation;
  }
  const OsrModel model = open_model(folder, spec);
  if (observer.note) observer.note("scoring " + request.unknown.path);
  const OsrAnySamples other =
      open_osr_samples(request.unknown, "", "", OsrLabels::kAllUnknown, model.classes(),
                       {.images = model.net().takes_images,
                        .data = spec.data.path,
                        .options = &model.options(),
                        .threads = request.threads},
                       kEval);
  if (other.sha256 == spec.data.test_sha256 || other.sha256 == spec.data.train_sha256) {
    fail(kEval, fmt::format("--unknown {} holds the samples of the run's known classes; expected "
                            "samples of no known class",
                            request.unknown.path));
  }
  Predictions joined = with_unknown(own, model.predict(*other.samples, request.threads).score);
  joined.path = request.out.empty() ? request.unknown.path : request.out;
  joined.meta = osr_meta(spec, request.unknown.path, joined.side.size());
  if (!request.out.empty()) save_predictions(joined, request.out);
  const Evaluation measured = evaluate(joined.outcomes(), find_metrics(kMeasured), options);
  evaluation.known_samples = measured.counts.base();
  evaluation.unknown_samples = measured.counts.unknown();
  evaluation.measures = measures_of(measured);
  return evaluation;
}

OsrScored score_osr(const OsrScoreRequest& request) {
  keep_freed_memory();
  if (request.run.empty() == request.weights.empty()) {
    fail(kScore, request.run.empty() ? "no model; expected a RUN, or --weights FILE"
                                     : "RUN and --weights are both given; expected one of them");
  }
  RunSpec spec;
  if (!request.run.empty()) {
    spec = osr_spec(RunFolder(request.run), kScore);
  } else {
    const Chosen method = choose_method(request.method, request.options, 0, kScore);
    spec.method = method.row->name;
    spec.options = method.values;
    spec.network = RunNetwork{.name = request.net};
  }
  const OsrModel model = request.run.empty() ? open_published_model({.net = request.net,
                                                                     .method = request.method,
                                                                     .weights = request.weights,
                                                                     .criterion = request.criterion,
                                                                     .options = request.options})
                                             : open_model(RunFolder(request.run), spec);
  std::string known = request.known;
  if (known.empty() && request.split.empty() && !request.run.empty() &&
      request.data.path == spec.data.path) {
    // The run's own classes.
    for (const std::int64_t label : spec.network->known) {
      known += (known.empty() ? "" : ",") + std::to_string(label);
    }
  }
  const OsrAnySamples data =
      open_osr_samples(request.data, known, request.split, OsrLabels::kAsTheyAre, model.classes(),
                       {.images = model.net().takes_images,
                        .data = request.data.path,
                        .options = &model.options(),
                        .threads = request.threads},
                       kScore);
  std::vector<std::string> classes = !spec.classes.empty() ? spec.classes : data.names;
  for (std::int64_t c = static_cast<std::int64_t>(classes.size()); c < model.classes(); ++c) {
    classes.push_back(std::to_string(c));
  }
  const OsrPredictions scored = model.predict(*data.samples, request.threads);
  save_osr_predictions(scored, data.samples->labels(), classes,
                       osr_meta(spec, request.data.path, data.samples->size()), request.out,
                       kScore);
  OsrScored done{.out = request.out,
                 .samples = static_cast<std::int64_t>(data.samples->size()),
                 .known_samples = 0,
                 .classes = model.classes()};
  for (const std::int32_t label : data.samples->labels()) done.known_samples += label >= 0;
  return done;
}

}  // namespace openworld
