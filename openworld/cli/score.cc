// openworld score: predictions from features of images and of class names.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/score_flags.h"
#include "openworld/io/run_cost.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

class Score : public Command {
 public:
  void declare(CLI::App& app) override {
    flags_.declare(app);
    app.get_option("--images")->required();
    app.get_option("--texts")->required();
    app.add_option("--out", out_,
                   "predictions to write, .npz or .csv, for eval, compare, curve, threshold and "
                   "report; of several scores a folder")
        ->required();
    declare_threads(app, threads_);
    declare_json(app, json_);
    app.footer(
        "Features may come from any model and framework. `openworld eval` takes the same flags and "
        "measures at once, one row for each score.");
  }

  void run() override {
    const RunClock clock;
    flags_.given("score");
    const ScoreFlags::Result result = flags_.score("score", threads_);
    const std::vector<std::string> files = paths(result);
    for (std::size_t k = 0; k < files.size(); ++k) {
      save_predictions(result.scored[k].predictions, files[k]);
    }
    if (json_) return write_json(result, files, clock);
    write_text(result, files);
  }

 private:
  // A file, or a folder of one for each score.
  std::vector<std::string> paths(const ScoreFlags::Result& result) const {
    const bool file = out_.ends_with(".npz") || out_.ends_with(".csv");
    if (result.scored.size() == 1 && file) return {out_};
    if (file) {
      fail("score", fmt::format("--out {} is one file for {} scores; expected a folder", out_,
                                result.scored.size()));
    }
    std::error_code error;
    const std::string ending = std::filesystem::path(out_).extension().string();
    if (!ending.empty() && !std::filesystem::is_directory(out_, error)) {
      fail("score",
           fmt::format("--out {} ends in {}; expected .npz, .csv, or a folder", out_, ending));
    }
    std::filesystem::create_directories(out_, error);
    if (error) fail("score", fmt::format("{}: cannot make this folder", out_));
    std::vector<std::string> files;
    for (const ScoreFlags::Named& scored : result.scored) {
      files.push_back((std::filesystem::path(out_) / (scored.name + ".npz")).string());
    }
    return files;
  }

  static std::int64_t count(const Predictions& predictions, int side) {
    return std::ranges::count(predictions.side.values, side);
  }

  static void write_text(const ScoreFlags::Result& result, const std::vector<std::string>& files) {
    const Predictions& p = result.features.common;
    print_out("{} base, {} new, {} unknown images; {} base and {} new names", count(p, 0),
              count(p, 1), count(p, -1), p.base_classes, p.new_classes);
    const auto listed = static_cast<std::size_t>(p.base_classes) +
                        static_cast<std::size_t>(p.new_classes) + result.features.off_list_classes;
    if (result.features.off_list_classes > 0) {
      print_out(", {} classes on no list", result.features.off_list_classes);
    }
    if (result.features.prompts > listed) {
      print_out(", {} prompts averaged", result.features.prompts);
    }
    print_out("\n");
    for (std::size_t k = 0; k < files.size(); ++k) {
      print_out("{}: r is {}, {}\n", files[k], result.scored[k].name,
                result.features.scores[k]->brief);
    }
  }

  static void write_json(const ScoreFlags::Result& result, const std::vector<std::string>& files,
                         const RunClock& clock) {
    const Predictions& p = result.features.common;
    Json outputs = Json::array();
    for (std::size_t k = 0; k < files.size(); ++k) {
      outputs.push_back({{"score", result.scored[k].name}, {"file", files[k]}});
    }
    print_json({{"schema", "openworld.score/1"},
                {"counts",
                 {{"base", count(p, 0)},
                  {"new", count(p, 1)},
                  {"unknown", count(p, -1)},
                  {"tied_answers", p.tied_answers}}},
                {"base_classes", p.base_classes},
                {"new_classes", p.new_classes},
                {"off_list_classes", result.features.off_list_classes},
                {"prompts", result.features.prompts},
                {"classes", p.classes},
                {"outputs", std::move(outputs)},
                {"meta", Json::parse(result.scored[0].predictions.meta)},
                {"cost", run_cost_json(clock.cost())}});
  }

  ScoreFlags flags_;
  std::string out_;
  int threads_ = 0;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_score() {
  return std::make_unique<Score>();
}

}  // namespace openworld
