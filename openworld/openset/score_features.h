#pragma once

// From features of images and of class names to predictions: which side an image is of, what the
// classifiers answer, and any detection score r. One pass in tiles; the logits are never stored.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "openworld/io/class_choice.h"
#include "openworld/openset/class_texts.h"
#include "openworld/openset/detection_score.h"
#include "openworld/predictions/predictions.h"

namespace openworld {

struct ScoreInput {
  NamedFeatures images;
  ClassLabels label;  // of images: indices of classes, or names; -1 or "unknown" is of no class
  ClassTexts texts;
  std::optional<NamedFeatures> unknown = std::nullopt;  // further images, of no class
};

// Files as feature_reader.h reads them; empty ones are not there.
struct ScoreFiles {
  std::string images, texts, unknown;
  std::string labels;  // an .npy, instead of an array of `images`
  std::string names;   // a name on each line, instead of an array of `texts`
};

struct ScoreOptions {
  ClassSelection base = "half";                            // see choose_base
  std::optional<ClassSelection> new_names = std::nullopt;  // see find_classes; all but base
  std::string scores = "";                                 // see find_detection_scores
  LogitForm form = {};
  bool normalize = true;
  TextEnsemble ensemble = TextEnsemble::kFeatures;
  int threads = 0;
  std::function<void(std::size_t done)> progress = {};  // of the images; from any thread
  std::string function = "score";                       // that errors name
};

// Reads what `files` name. Throws Error.
ScoreInput load_score_input(const ScoreFiles& files, const ScoreOptions& options);

// The predictions of one model with every score that was asked for; they share all but the scores.
struct ScoredFeatures {
  std::vector<const DetectionScore*> scores;
  Predictions common;                // without a score; its fit is the largest logit of all names
  std::vector<Column<double>> r;     // by score, by image
  std::size_t off_list_classes = 0;  // neither base nor new: their images are unknown
  std::size_t prompts = 0;           // of all classes

  // What load_predictions reads from the file that save_predictions writes of it. `source` says in
  // its meta what it was made of: names and paths.
  using Source = std::vector<std::pair<std::string, std::string>>;
  Predictions predictions(std::size_t score, const ScoreOptions& options,
                          const Source& source = {}) const;
};

// Base names come first, then new ones, both in the order of the classes. Classes that are neither
// are not on the list, and their images are unknown. About 28 bytes an image and 8 for each score,
// beside a few MiB for each thread; no bit depends on the number of threads. Throws Error.
ScoredFeatures score_features(ScoreInput input, const ScoreOptions& options);

}  // namespace openworld
