// Checks of checkpoints: what their files do not say.

#include <fmt/format.h>

#include "openworld/doctor/check.h"
#include "openworld/doctor/fix_command.h"

namespace openworld {
namespace {

bool has_model(const Patient& patient) {
  return patient.model.has_value();
}

const std::string& weights(const Patient& patient) {
  return patient.model->files()[0];
}

// The notes of the checkpoint that have `word` in them, as findings with that meaning and fix.
std::vector<Finding> notes_with(const Patient& patient, std::string_view word, const char* means,
                                const std::string& fix) {
  std::vector<Finding> findings;
  for (const std::string& note : patient.model->notes()) {
    if (note.find(word) == std::string::npos) continue;
    findings.push_back({.check = "",
                        .what = fmt::format("{}: {}", weights(patient), note),
                        .means = means,
                        .fix = fix,
                        .examples = {}});
  }
  return findings;
}

std::vector<Finding> look_for_activation(const Patient& patient) {
  // A run stays as it was tuned; its model is to be opened in another way.
  const std::string& path = patient.run ? patient.run->spec.model.path : patient.path;
  return notes_with(
      patient, "activation",
      "OpenAI's weights need quick_gelu and most of OpenCLIP's gelu; with the wrong one features "
      "and accuracies are off, without an error",
      fmt::format("add --activation quick_gelu, or gelu, to every command with --model {}",
                  shell_word(path)));
}

std::vector<Finding> look_for_preprocessing(const Patient& patient) {
  return notes_with(
      patient, "normalisation",
      "SigLIP-like and some OpenCLIP models use other means and deviations; with the wrong ones "
      "features are off, without an error",
      "put the model's preprocessor_config.json, or its open_clip_config.json, beside the weights");
}

std::vector<Finding> look_for_vocabulary(const Patient& patient) {
  if (!patient.options.vocabulary.empty() || !patient.model->vocabulary_path().empty()) return {};
  Finding finding;
  finding.what = fmt::format("{}: no vocabulary beside the weights", weights(patient));
  finding.means = "texts cannot be encoded, so that only encode --data works";
  finding.fix = fmt::format(
      "put merges.txt or bpe_simple_vocab_16e6.txt.gz of its tokenizer into the folder of {}, or "
      "add --vocabulary FILE to commands",
      weights(patient));
  return {finding};
}

}  // namespace

const DoctorCheck kAssumedActivation = {"assumed-activation", "model",
                                        "weights that do not say which activation they need",
                                        has_model, look_for_activation};
const DoctorCheck kAssumedPreprocessing = {"assumed-preprocessing", "model",
                                           "weights that do not say how images are normalised",
                                           has_model, look_for_preprocessing};
const DoctorCheck kMissingVocabulary = {"missing-vocabulary", "model",
                                        "weights without the vocabulary of their tokenizer",
                                        has_model, look_for_vocabulary};

}  // namespace openworld
