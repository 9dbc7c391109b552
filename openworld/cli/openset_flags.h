#pragma once

// The flags of `openworld openset`.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "openworld/openset/outcome_metrics.h"
#include "openworld/openset/random_queries.h"
#include "openworld/runs/data_spec.h"
#include "openworld/runs/model_spec.h"

namespace openworld {

struct OpenSetFlags {
  // What is tested.
  std::string logits;
  std::string labels;  // of logits in an .npy
  std::optional<std::int64_t> negative_columns;
  std::string images, texts, negatives, extra;
  std::size_t random_embeddings = 0;
  std::string distribution = "gaussian";
  std::uint64_t negative_seed = 0;
  LogitForm form;
  std::string activation = "softmax";
  bool keep_lengths = false;

  // Or a checkpoint and images, of which the library of models makes features.
  ModelSpec model;
  DataSpec data;
  FeatureCacheSpec cache;
  std::string templates;
  std::int64_t memory = 1024;  // MiB for the text encoder's work
  std::size_t random_words = 0;
  std::string negative_names, extra_names;  // files of words
  std::vector<std::string> extra_queries;   // what one of them holds, or the random words

  // How.
  std::string measures = "all";
  std::string measure;  // empty: the first of `measures`
  std::string counts = "published";
  std::string sizes;
  std::uint32_t seeds = 10;
  bool pairs = false;
  std::string against;
  std::string ci = "auto";
  std::string bootstrap = "bca";
  BootstrapOptions numbers;

  // What is written.
  std::string out, figures, html;
  bool json = false;

  // Lists to print instead.
  std::size_t print_words = 0;
  std::string word_list;
  bool print_siblings = false;
  std::string wordnet;
};

}  // namespace openworld
