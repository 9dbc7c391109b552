#pragma once

// RunSpec: what a run of prompt tuning, or of open-set training, is. Everything that its result
// depends on, but the number of threads. It is written to run.json before anything is trained;
// schema "openworld.run/1".
//
// run_spec.cc holds the one reader and the one writer of that file. Files are hostile as
// everywhere: every field is checked and refused by name.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/base/option_list.h"
#include "openworld/io/origin.h"

namespace openworld {

// The model that prompts were tuned for.
struct RunModel {
  std::string path;
  std::string format;      // of the checkpoint
  std::string sha256;      // of its weights
  std::string activation;  // that was used
  std::string vocabulary;  // where it was given apart
  double logit_scale = 0;  // instead of the model's own; 0: its own
  std::string device = "cpu";
  // What the checkpoint does not say and was assumed, a sentence each.
  std::vector<std::string> assumptions{};

  bool operator==(const RunModel&) const = default;
};

// What opens the dataset of a run again; fields are "" where they were not given.
struct RunData {
  std::string path;
  std::string train_split, test_split;
  std::string test_data;  // where test images are a dataset of their own
  std::string image_root, names, format;
  bool allow_duplicate_names = false;
  std::string train_sha256, test_sha256;  // of the lists of images

  bool operator==(const RunData&) const = default;
};

// A dataset beside the source that a scenario tests on.
struct RunTestData {
  std::string data, split;
  std::string sha256;  // of the list of images

  bool operator==(const RunTestData&) const = default;
};

// The scenario of a run that has one.
struct RunScenario {
  std::string name;
  std::int64_t version = 1;
  OptionValues options;
  std::vector<RunTestData> looks, targets;

  bool operator==(const RunScenario&) const = default;
};

// The network of a run of open-set training (`openworld osr`), which tunes no CLIP model. The model
// of such a run is the name of its network, its shots are 0, and its classes are the known ones.
struct RunNetwork {
  std::string name;                   // "vgg32"
  std::string split{};                // "cifar10:0", or "" for a list of one's own
  std::vector<std::int64_t> known{};  // labels of the dataset, in the order of the network's
  std::int64_t input = 0;             // channels of an image, or width of a feature
  std::string unknown{};              // dataset of the unknown samples; "": the classes not known
  std::string unknown_split{}, unknown_sha256{};

  bool operator==(const RunNetwork&) const = default;
};

struct RunSpec {
  std::string label;  // for tables; empty: made from method and options
  std::string method;
  std::string title;  // of the method, for people
  OptionValues options;
  OptionValues changed;  // options that differ from the method's defaults
  std::uint64_t seed = 1;
  std::size_t shots = 16;
  std::string shot_rule = "auto";
  std::int64_t views = 0;
  bool augment = false;
  RunModel model;
  RunData data;
  std::optional<RunScenario> scenario{};
  std::optional<RunNetwork> network{};
  bool keep_underscores = false;
  std::vector<std::string> templates;
  std::string template_set;  // the name they were asked for by
  std::vector<std::string> ensemble;
  std::string plain_words = "a photo of a";
  std::size_t base_classes = 0;
  std::vector<std::string> classes;  // base classes first

  std::size_t new_classes() const { return classes.size() - base_classes; }

  // Names as prompts say them: with spaces for underscores unless those are kept.
  std::vector<std::string> base_names() const;
  std::vector<std::string> new_names() const;

  // What tables call the dataset: its path, or the published split of it.
  const std::string& data_name() const;

  // In tables: the label, else the method with " key=value" for every option changed.
  std::string table_label() const;
};

inline constexpr const char* kRunSchema = "openworld.run/1";

// run.json, indented or in one line.
std::string run_spec_text(const RunSpec& spec, int indent = 2);

// Reads what run_spec_text wrote. Fields that older runs do not have keep their defaults. Throws
// Error.
RunSpec parse_run_spec(std::span<const std::byte> text, const Origin& origin);
RunSpec read_run_spec(const Origin& origin);

// Throws Error, saying what stands in `origin`, for the first field in which `was` differs from
// `now`.
void expect_same_run(const RunSpec& was, const RunSpec& now, const Origin& origin);

}  // namespace openworld
