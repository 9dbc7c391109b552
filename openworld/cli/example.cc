// openworld example: small, realistic files to try every command on.
//
// Three models, as a paper would compare them, on one test set: 24 base and 24 new classes with 40
// images each, and 400 images of unknown things. A sample has a difficulty that all models share,
// so that paired tests have something to find. Tuning lifts base classes and costs new ones; only
// the last model keeps both and ranks better. The numbers are drawn from a seed, never measured.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/npz.h"
#include "openworld/predictions/predictions.h"

namespace openworld {
namespace {

constexpr int kClasses = 24, kPerClass = 40, kUnknown = 400;
constexpr double kScale = 5;  // how sharp the softmax is: noise of one unit of cosine, scaled

struct Model {
  const char* name;
  double base_signal, new_signal;  // lift of the true class among its own side's names
  double base_pull;                // lift of every base name on base samples
};

constexpr Model kModels[] = {
    {"zero-shot", 2.75, 2.95, 0.10},
    {"coop", 3.65, 2.40, 0.20},
    {"gmop", 3.70, 2.95, 0.45},
};

struct Logits {
  std::vector<float> base, new_side;  // rows x kClasses
};

struct TestSide {
  std::vector<std::int8_t> side;
  std::vector<std::int32_t> label;
};

TestSide test_side() {
  TestSide t;
  for (const int side : {0, 1}) {
    for (int i = 0; i < kClasses * kPerClass; ++i) {
      t.side.push_back(static_cast<std::int8_t>(side));
      t.label.push_back(i % kClasses);
    }
  }
  for (int i = 0; i < kUnknown; ++i) {
    t.side.push_back(-1);
    t.label.push_back(-1);
  }
  return t;
}

Logits draw(const Model& model, const TestSide& t, std::uint64_t seed) {
  Logits logits;
  for (std::size_t row = 0; row < t.side.size(); ++row) {
    Random shared(1, row), own(seed, row);
    const double ease =
        1 + 0.45 * shared.normal();  // the same image is easy or hard for all models
    for (const int side : {0, 1}) {
      auto& out = side == 0 ? logits.base : logits.new_side;
      for (int c = 0; c < kClasses; ++c) {
        // Most of the noise comes from the image, the rest from the prompts.
        double z = 0.8 * shared.normal() + 0.6 * own.normal();
        const bool mine = t.side[row] == side;
        if (mine && t.label[row] == c) {
          z += ease * (side == 0 ? model.base_signal : model.new_signal);
        }
        if (mine) z += side == 0 ? model.base_pull : 0.1;
        out.push_back(static_cast<float>(20 + kScale * 0.4 * z));
      }
    }
  }
  return logits;
}

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span<const T>(values));
}

std::string predictions_npz(const Model& model, const TestSide& t, std::uint64_t seed) {
  const Logits logits = draw(model, t, seed);
  const std::string meta =
      fmt::format(R"({{"method": "{}", "seed": {}, "protocol": "example/1", "synthetic": true}})",
                  model.name, seed);
  const std::size_t n = t.side.size();
  const std::vector<char> text(meta.begin(), meta.end());
  const NpzEntry entries[] = {
      {"side", {Dtype::Kind::kInt, 1, true}, {n}, bytes_of(t.side)},
      {"label", {Dtype::Kind::kInt, 4, true}, {n}, bytes_of(t.label)},
      {"base_logits", {Dtype::Kind::kFloat, 4, true}, {n, kClasses}, bytes_of(logits.base)},
      {"new_logits", {Dtype::Kind::kFloat, 4, true}, {n, kClasses}, bytes_of(logits.new_side)},
      {"meta", {Dtype::Kind::kBytes, text.size(), true}, {}, bytes_of(text)},
  };
  return make_npz(entries);
}

// Accuracy while new classes emerge: a start, a slope and a bend per method and world.
std::string curves_csv() {
  struct Method {
    const char* name;
    double start, slope, bend;
  };
  constexpr Method kMethods[] = {{"zero-shot", 0.70, -0.10, 0.02},
                                 {"coop", 0.82, -0.27, -0.03},
                                 {"kgcoop", 0.80, -0.15, 0.01},
                                 {"gmop", 0.83, -0.13, 0.02}};
  std::string csv = "method,world,t,acc,seed\n";
  std::uint64_t stream = 0;
  for (const char* world : {"animals", "vehicles", "food", "tools"}) {
    const double ease = 0.06 * Random(2, ++stream).normal();
    for (const Method& m : kMethods) {
      for (const int seed : {1, 2, 3}) {
        Random random(3, ++stream);
        for (int level = 0; level <= 5; ++level) {
          const double t = level * 0.2;
          const double acc =
              m.start + ease + m.slope * t + m.bend * t * (1 - t) + 0.008 * random.normal();
          csv += fmt::format("{},{},{:.1f},{:.4f},{}\n", m.name, world, t,
                             std::clamp(acc, 0.0, 1.0), seed);
        }
      }
    }
  }
  return csv;
}

std::string results_csv() {
  constexpr std::pair<const char*, double> kMethods[] = {
      {"zero-shot", 0.52}, {"coop", 0.50}, {"kgcoop", 0.55}, {"decoop", 0.57}, {"gmop", 0.60}};
  std::string csv = "method,dataset,seed,value\n";
  std::uint64_t stream = 0;
  for (const char* dataset : {"animals", "birds", "vehicles", "food", "clothes", "instruments",
                              "tools", "buildings", "plants", "marks", "all"}) {
    const double ease = 0.08 * Random(4, ++stream).normal();
    for (const auto& [method, level] : kMethods) {
      for (const int seed : {1, 2, 3}) {
        const double value = level + ease + 0.02 * Random(5, ++stream).normal();
        csv += fmt::format("{},{},{},{:.4f}\n", method, dataset, seed, value);
      }
    }
  }
  return csv;
}

class Example : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("DIR", dir_, "output folder; created if it does not exist")->required();
    declare_json(app, json_);
  }

  void run() override {
    std::error_code error;
    std::filesystem::create_directories(dir_, error);
    if (error) fail("example", fmt::format("cannot create folder {}: {}", dir_, error.message()));
    const TestSide t = test_side();
    for (const Model& model : kModels) {
      write(fmt::format("{}.npz", model.name), predictions_npz(model, t, 100 + files_.size()));
    }
    // The compact form, which is enough for every ranking metric, as a spreadsheet would save it.
    const std::string compact = path("gmop-compact.csv");
    save_predictions(load_predictions(path("gmop.npz")), compact);
    files_.push_back(compact);
    write("curves.csv", curves_csv());
    write("results.csv", results_csv());
    if (json_) {
      return print_json({{"files", files_}});
    }
    for (const std::string& file : files_) print_out("wrote {}\n", file);
    const std::string d = dir_;
    print_out(
        "\ntry:\n"
        "  openworld eval {0}/*.npz\n"
        "  openworld eval {0}/gmop.npz --diagnose\n"
        "  openworld compare {0}/zero-shot.npz {0}/coop.npz {0}/gmop.npz\n"
        "  openworld curve {0}/*.npz --svg curve.svg\n"
        "  openworld threshold {0}/gmop.npz --max-miss 0.3\n"
        "  openworld sensitivity {0}/gmop.npz\n"
        "  openworld drc {0}/curves.csv --zero-shot zero-shot\n"
        "  openworld rank {0}/results.csv\n",
        d);
  }

 private:
  std::string path(const std::string& name) const {
    return (std::filesystem::path(dir_) / name).string();
  }

  void write(const std::string& name, const std::string& bytes) {
    write_file_atomically(path(name), bytes, "example");
    files_.push_back(path(name));
  }

  std::string dir_;
  std::vector<std::string> files_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_example() {
  return std::make_unique<Example>();
}

}  // namespace openworld
