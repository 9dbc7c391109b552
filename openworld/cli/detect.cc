// openworld detect: COCO's numbers of detections, and the open-set test of detectors.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/progress.h"
#include "openworld/base/version.h"
#include "openworld/cli/command.h"
#include "openworld/cli/detect_output.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/predictions_files.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/detection/coco_reader.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/run_cost.h"
#include "openworld/openset/open_set_protocol.h"
#include "openworld/predictions/predictions.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

class Detect : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("--annotations", annotations_, "ground truth: COCO's annotations, JSON")
        ->required();
    auto* results = app.add_option(
        "--results", results_,
        "detections: COCO's results, JSON; with several files the others are compared with the "
        "first");
    auto* openset = app.add_option(
        "--openset", openset_,
        "detections of an open-set test, JSON of openset_vlms: \"all\" and \"open-set\" an image");
    results->excludes(openset);
    app.add_option("--type", type_, "what is compared: bbox (boxes) or segm (masks)")
        ->check(CLI::IsMember({"bbox", "segm"}))
        ->capture_default_str();
    app.add_flag("--any-score", any_score_, "allow scores outside of [0, 1], such as logits");
    app.add_flag("--per-class", per_class_, "AP of every category");
    app.add_option("--matching", matching_,
                   "how true positives of --openset are found: corrected (as COCO) or published "
                   "(as the code of the paper, for its numbers)")
        ->check(CLI::IsMember({"corrected", "published"}))
        ->capture_default_str();
    app.add_flag("--ignore-crowds", ignore_crowds_,
                 "leave detections of crowds out of the true positives of --openset");
    app.add_option("--negatives", negatives_,
                   "numbers of negative queries, one for each file of --openset")
        ->check(whole_number());
    app.add_option("--measure", measure_, "the uncertainty that --out takes (default: the first)");
    app.add_option("--out", out_,
                   "write true positives (base) and open-set errors (unknown) of a single "
                   "--openset file as predictions for eval, curve and report");
    app.add_option("--svg", svg_, "plot AuPR over AP50 of the --openset files");
    app.add_option("--ci", ci_, "intervals: bootstrap (over images) or none")
        ->check(CLI::IsMember({"bootstrap", "none"}))
        ->capture_default_str();
    app.add_option("--bootstrap", kind_, "kind of bootstrap interval")
        ->check(CLI::IsMember({"bca", "percentile"}))
        ->capture_default_str();
    app.add_option("--level", bootstrap_.level, "confidence level of the intervals")
        ->check(between_0_and_1())
        ->capture_default_str();
    app.add_option("--resamples", bootstrap_.resamples, "bootstrap resamples")
        ->check(CLI::Range(2, std::numeric_limits<int>::max()))
        ->capture_default_str();
    declare_seed(app, bootstrap_.seed, "seed of the bootstrap");
    declare_threads(app, bootstrap_.threads);
    declare_json(app, json_);
  }

  void run() override {
    if (results_.empty() && openset_.empty()) {
      fail("detect", "no detections; give --results or --openset");
    }
    if (openset_.empty()) {
      refuse_without_openset();
      run_coco();
    } else {
      run_openset();
    }
  }

 private:
  void refuse_without_openset() const {
    for (const auto& [flag, given] : {std::pair{"--negatives", !negatives_.empty()},
                                      {"--measure", !measure_.empty()},
                                      {"--out", !out_.empty()},
                                      {"--svg", !svg_.empty()},
                                      {"--ignore-crowds", ignore_crowds_},
                                      {"--matching published", matching_ == "published"}}) {
      if (given) fail("detect", fmt::format("{} is for --openset", flag));
    }
  }

  bool intervals() const { return ci_ == "bootstrap"; }

  BootstrapOptions bootstrap() const {
    BootstrapOptions options = bootstrap_;
    options.kind = kind_ == "bca" ? BootstrapKind::kBca : BootstrapKind::kPercentile;
    return options;
  }

  CocoAnnotations read_annotations(IouType type) const {
    return read_coco_annotations({{"detect", annotations_}}, type);
  }

  Json header() const {
    return {{"schema", "openworld.detect/1"},
            {"version", OPENWORLD_VERSION},
            {"annotations", annotations_}};
  }

  // f(options) with a progress line.
  template <class F>
  static auto with_progress(const std::string& label, BootstrapOptions options, const F& f) {
    Progress progress(label, static_cast<std::size_t>(options.resamples));
    options.progress = [&](std::size_t done) { progress.update(done); };
    return f(options);
  }

  void run_coco() {
    const RunClock clock;
    CocoParams params;
    params.type = *find_iou_type(type_);
    params.threads = bootstrap_.threads;
    const CocoAnnotations annotations = read_annotations(params.type);
    std::vector<std::vector<CategoryMatches>> matches;
    std::vector<DetectionEvaluation> evaluations;
    for (const std::string& path : results_) {
      const CocoResults results =
          read_coco_results({{"detect", path}}, annotations, {params.type, any_score_});
      matches.push_back(match_detections(annotations, results, params));
      evaluations.push_back(
          with_progress("resampling " + path, bootstrap(), [&](const BootstrapOptions& options) {
            return evaluate_detections(
                annotations, results, matches.back(), params,
                intervals() ? std::optional<BootstrapOptions>(options) : std::nullopt);
          }));
    }
    std::vector<std::vector<CocoDifference>> differences;
    for (std::size_t i = 1; i < results_.size() && intervals(); ++i) {
      const CocoResampling first(matches[0], params), second(matches[i], params);
      differences.push_back(
          with_progress("comparing " + results_[i], bootstrap(), [&](const auto& options) {
            return coco_differences(first, second, annotations.images.size(), options);
          }));
    }
    if (json_) return print_coco_json(evaluations, differences, clock);
    const auto names = short_names(results_);
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
      if (evaluations.size() > 1) print_out("{}{}\n", i == 0 ? "" : "\n", names[i]);
      print_document(detection_text(evaluations[i], params, bootstrap_.level, per_class_));
    }
    for (std::size_t i = 0; i < differences.size(); ++i) {
      print_out("\n");
      print_table(difference_table(names[0], names[i + 1], differences[i], bootstrap_.level));
    }
  }

  void print_coco_json(const std::vector<DetectionEvaluation>& evaluations,
                       const std::vector<std::vector<CocoDifference>>& differences,
                       const RunClock& clock) const {
    Json json = header();
    json["type"] = type_;
    if (evaluations.size() == 1) {
      json["source"] = results_[0];
      json.update(detection_json(evaluations[0]));
    } else {
      Json list = Json::array();
      for (std::size_t i = 0; i < evaluations.size(); ++i) {
        list.push_back({{"source", results_[i]}});
        list.back().update(detection_json(evaluations[i]));
      }
      json["results"] = std::move(list);
      Json comparisons = Json::array();
      for (std::size_t i = 0; i < differences.size(); ++i) {
        comparisons.push_back({{"first", results_[0]},
                               {"second", results_[i + 1]},
                               {"metrics", difference_json(differences[i])}});
      }
      json["comparisons"] = std::move(comparisons);
    }
    json["cost"] = run_cost_json(clock.cost());
    print_json(json);
  }

  void run_openset() {
    const RunClock clock;
    if (type_ != "bbox") fail("detect", "--type segm is for --results; open-set files hold boxes");
    if (!negatives_.empty() && negatives_.size() != openset_.size()) {
      fail("detect",
           fmt::format("{} numbers of --negatives for {} files of --openset; expected one "
                       "for each",
                       negatives_.size(), openset_.size()));
    }
    if (!out_.empty() && openset_.size() != 1) {
      fail("detect", fmt::format("--out takes one file of --openset, got {}", openset_.size()));
    }
    const OpenSetOptions options{.matching = matching_ == "published" ? OpenSetMatching::kPublished
                                                                      : OpenSetMatching::kCorrected,
                                 .ignore_crowds = ignore_crowds_,
                                 .intervals = intervals()};
    const CocoAnnotations annotations = read_annotations(IouType::kBox);
    std::vector<OpenSetEntry> entries;
    const auto names = short_names(openset_);
    for (std::size_t i = 0; i < openset_.size(); ++i) {
      const OpenSetFile file =
          read_openset_file({{"detect", openset_[i]}}, annotations, any_score_);
      if (!out_.empty()) write_predictions(annotations, file, options);
      OpenSetEntry entry{names[i], openset_[i], negatives_.empty() ? -1 : negatives_[i], {}};
      entry.evaluation =
          with_progress("resampling " + openset_[i], bootstrap(), [&](const auto& resampling) {
            OpenSetOptions with_bootstrap = options;
            with_bootstrap.bootstrap = resampling;
            return evaluate_openset(annotations, file, with_bootstrap);
          });
      entries.push_back(std::move(entry));
    }
    if (!svg_.empty()) write_picture(entries);
    if (json_) return print_openset_json(entries, options, clock);
    print_document(openset_text(entries, options.matching));
    for (const std::string& path : {svg_, out_}) {
      if (!path.empty()) print_out("wrote {}\n", path);
    }
  }

  void write_picture(const std::vector<OpenSetEntry>& entries) const {
    const std::string picture = tradeoff_svg(entries);
    if (picture.empty()) fail("detect", "no file has both AuPR and AP50; nothing to plot");
    write_file_atomically(svg_, picture, "detect");
  }

  void write_predictions(const CocoAnnotations& annotations, const OpenSetFile& file,
                         const OpenSetOptions& options) const {
    std::size_t u = 0;
    if (!measure_.empty()) {
      std::string known;
      for (; u < file.uncertainties.size() && file.uncertainties[u].name != measure_; ++u) {
        known += (known.empty() ? "" : ", ") + file.uncertainties[u].name;
      }
      if (u == file.uncertainties.size()) {
        fail("detect", fmt::format("{}: no uncertainty {}; it has {}", file.path,
                                   in_quotes(measure_), known));
      }
    }
    const auto verdicts = match_openset(annotations, file, options.matching);
    auto samples = openset_samples(file, verdicts, u, ErrorKind::kOpenSet, options.ignore_crowds);
    Predictions predictions;
    predictions.correct =
        make_column(std::vector<std::uint8_t>(samples.side.size(), std::uint8_t{1}));
    predictions.side = make_column(std::move(samples.side));
    predictions.score = make_column(std::move(samples.score));
    predictions.meta = Json{{"protocol", kAbsentClassesProtocol},
                            {"source", file.path},
                            {"measure", file.uncertainties[u].name},
                            {"matching", openset_matching_name(options.matching)}}
                           .dump();
    save_predictions(predictions, out_);
  }

  void print_openset_json(const std::vector<OpenSetEntry>& entries, const OpenSetOptions& options,
                          const RunClock& clock) const {
    Json json = header();
    json["type"] = "openset";
    json["matching"] = openset_matching_name(options.matching);
    json["crowds"] = options.ignore_crowds ? "ignored" : "true positives";
    if (entries.size() == 1) {
      json.update(openset_json(entries[0]));
    } else {
      Json list = Json::array();
      for (const OpenSetEntry& entry : entries) list.push_back(openset_json(entry));
      json["results"] = std::move(list);
    }
    json["cost"] = run_cost_json(clock.cost());
    print_json(json);
  }

  std::string annotations_;
  std::vector<std::string> results_, openset_;
  std::string type_ = "bbox";
  std::string matching_ = "corrected";
  std::vector<long> negatives_;
  std::string measure_, out_, svg_;
  std::string ci_ = "bootstrap";
  std::string kind_ = "bca";
  BootstrapOptions bootstrap_;
  bool any_score_ = false, per_class_ = false, ignore_crowds_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_detect() {
  return std::make_unique<Detect>();
}

}  // namespace openworld
