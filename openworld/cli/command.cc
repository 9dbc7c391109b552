#include "openworld/cli/command.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "openworld/base/nearest_name.h"
#include "openworld/base/version.h"
#include "openworld/cli/command_line.h"
#include "openworld/cli/print_out.h"

namespace openworld {
namespace {

constexpr CommandRow kCommands[] = {
    {"eval", "measure prediction files: metrics with intervals", make_eval},
    {"score", "predictions from features of images and class names, of any model", make_score},
    {"compare", "test whether models differ on the same samples", make_compare},
    {"curve", "compute a curve over all thresholds, as points or as a plot", make_curve},
    {"report", "write runs and predictions as one HTML page: tables, curves, costs, samples",
     make_report},
    {"threshold", "choose a threshold with a guaranteed miss rate", make_threshold},
    {"openset", "test whether a classifier knows when none of its names is there", make_openset},
    {"sensitivity", "how metrics move with the ratio of new to base samples", make_sensitivity},
    {"samplesize", "how many test samples and seeds an interval needs, from a pilot",
     make_samplesize},
    {"drc", "dynamic-robustness metrics of accuracy curves", make_drc},
    {"rank", "rank methods over many results: Friedman, Nemenyi", make_rank},
    {"detect", "COCO AP and AR of detections, and the open-set test of detectors", make_detect},
    {"doctor", "look for what is wrong with predictions, runs, models and images", make_doctor},
    {"inspect", "describe a CLIP checkpoint of any supported format", make_inspect},
    {"encode", "write features of images or texts as arrays", make_encode},
    {"zeroshot", "classify images by the names of their classes", make_zeroshot},
    {"tune", "tune prompts on a few images and measure them in the open world", make_tune},
    {"osr", "train and test classifiers that know what they do not know, on images or features",
     make_osr},
    {"study", "compute a plan of many runs: resumable, by several processes and machines",
     make_study},
    {"predict", "predict with a tuned model: base, new or unknown, and which class", make_predict},
    {"pretrain", "train a CLIP model on images with captions", make_pretrain},
    {"worlds", "list the worlds, and draw pictures of them", make_worlds},
    {"data", "install MNIST, Fashion-MNIST and CIFAR-10, and list them", make_data},
    {"scenario", "show what each level of a scenario holds, without a model", make_scenario},
    {"ls", "list learners, scenarios, metrics, curves, templates, datasets, checkpoints", make_ls},
    {"example", "write small prediction files to try things on", make_example},
    {"completion", "print a script by which a shell completes commands and flags", make_completion},
};

void print_overview() {
  print_out(
      "openworld {}: vision-language models in an open world\n\n"
      "usage: openworld COMMAND [options]\n\n",
      OPENWORLD_VERSION);
  for (const CommandRow& row : kCommands) print_out("  {:<12} {}\n", row.name, row.brief);
  print_out(
      "\n`openworld COMMAND --help` explains one; `openworld ls metrics` lists the metrics.\n"
      "Start with: openworld example examples && openworld eval examples/*.npz\n");
}

// `help learner NAME` shows a row of the table, `help COMMAND` is COMMAND --help.
std::vector<const char*> help_arguments(int argc, const char* const* argv) {
  const std::string_view what = argv[2];
  if (what != "learner" && what != "learners") return {argv[0], argv[2], "--help"};
  std::vector<const char*> arguments = {argv[0], "ls", "learners"};
  arguments.insert(arguments.end(), argv + 3, argv + argc);
  return arguments;
}

int run_command_line_of(const std::vector<const char*>& arguments) {
  return run_command_line(static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace

std::span<const CommandRow> command_table() {
  return kCommands;
}

int run_command_line(int argc, const char* const* argv) {
  prepare_process();
  if (argc < 2) return complain("openworld", "no command; `openworld --help` lists them");
  const std::string_view first = argv[1];
  if (first == "--version" || first == "-V") {
    return print_to_the_end("openworld", [] { print_out("openworld {}\n", OPENWORLD_VERSION); });
  }
  if (first == "--help" || first == "-h" || (first == "help" && argc == 2)) {
    return print_to_the_end("openworld", print_overview);
  }
  if (first == "help") return run_command_line_of(help_arguments(argc, argv));
  for (const CommandRow& row : kCommands) {
    if (row.name == first) return run_command(row, argc - 1, argv + 1);
  }
  std::vector<std::string> names;
  for (const CommandRow& row : kCommands) names.emplace_back(row.name);
  return complain("openworld", fmt::format("unknown command '{}'; {}`openworld --help` lists them",
                                           first, did_you_mean(first, names)));
}

}  // namespace openworld
