// openworld osr: trains classifiers that know what they do not know, and measures them.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>

#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/model_flags.h"
#include "openworld/cli/model_library.h"
#include "openworld/runs/seed_list.h"

namespace openworld {
namespace {

class Osr : public Command {
 public:
  void declare(CLI::App& app) override {
    app.require_subcommand(1);
    declare_json(app, json_);
    declare_train(*app.add_subcommand("train", "train on known classes, test on unknown ones too"));
    declare_eval(*app.add_subcommand(
        "eval", "TNR, AUROC, DTACC, AUIN, AUOUT, ACC, OSCR and OpenAUC of a run, with intervals"));
    declare_score(*app.add_subcommand(
        "score", "predictions of a run, or of weights of the published code, on any data"));
    declare_list(*app.add_subcommand("ls", "list methods and networks, or show one method"));
    for (CLI::App* sub : app.get_subcommands({})) sub->fallthrough();
  }

  void run() override { chosen_(); }

 private:
  void declare_train(CLI::App& app) {
    OsrTrainRequest& request = train_.request;
    app.add_option("--method", request.method, "a method: see `openworld osr ls`")->required();
    app.add_option("--net", request.net,
                   "vgg32 or small for images; linear or mlp for features of any model")
        ->capture_default_str();
    declare_data(app, request.data);
    app.remove_option(app.get_option("--split"));
    app.add_option("--known", request.known,
                   "known classes: labels or names, with commas between them; a class's label in "
                   "the network is its place in the list");
    app.add_option("--split", request.split,
                   "a published split instead, as cifar10:0; --data is then its dataset unless "
                   "it is given");
    app.add_option("--unknown", request.unknown,
                   "dataset of unknown test samples [the classes of --data that are not known]");
    app.add_option("--unknown-split", request.unknown_split, "split of it [test, else val]");
    app.add_option("--train-split", request.train_split, "split to train on [train]");
    app.add_option("--test-split", request.test_split, "split to test on [test, else val]");
    app.add_option("--test-data", request.test_data,
                   "separate dataset of test samples, with the same classes");
    app.add_option("--epochs", request.epochs, "training epochs [the method's default]")
        ->check(CLI::Range(1, 1 << 20));
    app.add_option("--test-every", request.test_every,
                   "epochs between tests, whose accuracy, AUROC and OpenAUC go to the log [none]")
        ->check(CLI::Range(1, 1 << 20));
    app.add_option("--set", request.options,
                   "option of the method, key=value; repeatable; see `openworld osr ls NAME`");
    app.add_option("--out", out_,
                   "run folder: network, log, predictions, result; an unfinished run is resumed")
        ->required();
    app.add_option("--label", request.label,
                   "name of the run in tables [the method and the options that were set]");
    declare_seed(app, seed_, "seed of first weights, order, augmentation and dropout");
    app.add_option("--seeds", seeds_,
                   "several seeds, 1-3 or 1,2,5: one run each, in OUT/seed-1 and so on")
        ->check([](const std::string& text) {
          return text.empty() ? std::string("expected seeds such as 1-3 or 1,2,5") : "";
        });
    declare_threads(app, request.threads);
    app.add_flag("--restart", request.restart, "start over instead of resuming");
    app.callback([this] { chosen_ = [this] { train(); }; });
  }

  void train() {
    OsrTrainRequest& request = train_.request;
    train_.json = json_;
    train_.several = !seeds_.empty();
    if (!train_.several) request.runs = {{seed_, out_}};
    if (train_.several) {
      for (const std::uint64_t seed : parse_seed_list(seeds_, "osr train")) {
        request.runs.push_back({seed, fmt::format("{}/seed-{}", out_, seed)});
      }
    }
    model_library().osr_train(train_);
  }

  void declare_eval(CLI::App& app) {
    OsrEvalRequest& request = eval_.request;
    app.add_option("RUN", request.run, "a finished run")->required();
    app.add_option("--unknown", request.unknown.path,
                   "dataset of unknown samples [those of the run]");
    declare_data_options(app, request.unknown.options);
    app.add_option("--out", request.out, "output .npz of the predictions, for `openworld eval`");
    app.add_option("--level", eval_.options.bootstrap.level, "confidence level of the intervals")
        ->capture_default_str()
        ->check(between_0_and_1());
    app.add_option("--resamples", eval_.options.bootstrap.resamples, "bootstrap resamples")
        ->capture_default_str()
        ->check(CLI::Range(2, 1 << 24));
    declare_seed(app, eval_.options.bootstrap.seed, "seed of the bootstrap");
    declare_threads(app, request.threads);
    app.callback([this] {
      chosen_ = [this] {
        eval_.json = json_;
        eval_.options.ci = Ci::kBootstrap;
        eval_.options.bootstrap.threads = eval_.request.threads;
        model_library().osr_eval(eval_);
      };
    });
  }

  void declare_score(CLI::App& app) {
    OsrScoreRequest& request = score_.request;
    app.add_option("RUN", request.run, "a finished run, instead of --weights");
    app.add_option("--net", request.net, "vgg32 or small")->capture_default_str();
    app.add_option("--weights", request.weights,
                   "weights of the network: a .pth of the published code, or .safetensors");
    app.add_option("--criterion", request.criterion,
                   "weights of the loss, which the published code saves apart, for methods with "
                   "centres");
    app.add_option("--method", request.method, "method that the weights are of")
        ->capture_default_str();
    app.add_option("--set", request.options, "option of the method, key=value; repeatable");
    declare_data(app, request.data);
    app.get_option("--data")->required();
    app.add_option("--known", request.known,
                   "known classes in the network's order; all else is unknown [the labels as "
                   "they are]");
    app.add_option("--osr-split", request.split, "a published split instead, as cifar10:0");
    app.add_option("--out", request.out, "output .npz of predictions, for `openworld eval`")
        ->required();
    declare_threads(app, request.threads);
    app.callback([this] {
      chosen_ = [this] {
        score_.json = json_;
        model_library().osr_score(score_);
      };
    });
  }

  void declare_list(CLI::App& app) {
    app.add_option("NAME", list_.name, "a method");
    app.callback([this] {
      chosen_ = [this] {
        list_.json = json_;
        model_library().osr_list(list_);
      };
    });
  }

  OsrTrainCommand train_;
  OsrEvalCommand eval_;
  OsrScoreCommand score_;
  OsrListCommand list_;
  std::string out_, seeds_;
  std::uint64_t seed_ = 1;
  bool json_ = false;
  std::function<void()> chosen_;
};

}  // namespace

std::unique_ptr<Command> make_osr() {
  return std::make_unique<Osr>();
}

}  // namespace openworld
