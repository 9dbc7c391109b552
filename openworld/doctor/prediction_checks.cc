// Checks of predictions: the score and the logits.

#include <fmt/format.h>

#include <algorithm>

#include "openworld/doctor/check.h"
#include "openworld/doctor/fix_command.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/zip.h"
#include "openworld/metrics/evaluate.h"

namespace openworld {
namespace {

// Ties below this share of the answers move no metric by a digit that is printed.
constexpr double kFewTies = 1e-4;
// Probabilities above this share of samples that are exactly 0 or 1 leave no order among them.
constexpr double kFewSaturated = 0.01;

bool has_predictions(const Patient& patient) {
  return !patient.predictions.empty();
}

bool has_array(const std::string& path, std::string_view name) {
  if (!path.ends_with(".npz")) return false;
  const Origin origin{"doctor", path};
  return ZipArchive(map_file(origin), origin).find(fmt::format("{}.npy", name)) != nullptr;
}

// A command that changes the arrays `p` of an .npz by `change` and writes them beside it.
std::string npz_command(const std::string& path, std::string_view change) {
  const std::string out = path.substr(0, path.size() - 4) + "-fixed.npz";
  const std::string code =
      fmt::format("import numpy as np; p = dict(np.load({})); {}; np.savez({}, **p)",
                  python_text(path), change, python_text(out));
  return "python3 -c " + shell_word(code);
}

std::string share_text(std::int64_t count, std::size_t total) {
  return fmt::format("{} of {} samples ({:.2g} %)", count, total,
                     100.0 * static_cast<double>(count) / static_cast<double>(total));
}

std::optional<Finding> reversed(const Predictions& predictions, Side open) {
  const std::vector<MetricRequest> requests = {find_metric("auroc")};
  EvalOptions options;
  options.open = open;
  const Evaluation evaluation = evaluate(predictions.outcomes(), requests, options);
  const MetricResult& auroc = evaluation.metrics[0];
  if (!auroc.value.defined() || !auroc.interval || auroc.interval->high >= 0.5) return std::nullopt;
  Finding finding;
  finding.what = fmt::format(
      "{}: AUROC of base against {} samples is {:.2f} %, with a 95 % interval of [{:.2f}, {:.2f}]",
      predictions.path, side_name(open), 100 * auroc.value.value, 100 * auroc.interval->low,
      100 * auroc.interval->high);
  finding.means =
      "base samples score lower than the others, so the score may be reversed; larger must mean "
      "more base-like, or every ranking metric and threshold is upside down";
  finding.fix = has_array(predictions.path, "score")
                    ? npz_command(predictions.path, "p['score'] = -p['score']")
                    : "write the score with the other sign; without a score, see that base_logits "
                      "are of the base names";
  return finding;
}

std::vector<Finding> look_for_reversed(const Patient& patient) {
  std::vector<Finding> findings;
  for (const Predictions& predictions : patient.predictions) {
    for (const Side open : {Side::kNew, Side::kUnknown}) {
      if (auto finding = reversed(predictions, open)) {
        findings.push_back(std::move(*finding));
        break;  // the other side is upside down for the same reason
      }
    }
  }
  return findings;
}

std::vector<Finding> look_for_ties(const Patient& patient) {
  std::vector<Finding> findings;
  for (const Predictions& predictions : patient.predictions) {
    const std::size_t total = predictions.side.size();
    const std::int64_t tied = predictions.tied_answers;
    if (static_cast<double>(tied) <= kFewTies * static_cast<double>(total)) continue;
    Finding finding;
    finding.what = fmt::format("{}: the largest logit occurs twice in {}", predictions.path,
                               share_text(tied, total));
    finding.means =
        "the first of the tied names counts as the answer, so accuracies depend on the order of "
        "the names; logits in half precision do this";
    finding.fix = "compute and save the logits in float32: logits = logits.float() before np.savez";
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> look_for_saturation(const Patient& patient) {
  std::vector<Finding> findings;
  for (const Predictions& predictions : patient.predictions) {
    const BaseScores scores = predictions.outcomes().score;
    std::int64_t at_zero = 0, at_one = 0;
    bool probabilities = true;
    scores.visit([&](const auto& r) {
      for (const auto x : r) {
        at_zero += x == 0;
        at_one += x == 1;
        probabilities &= x >= 0 && x <= 1;
      }
    });
    const std::int64_t saturated = at_zero + at_one;
    const double few = kFewSaturated * static_cast<double>(scores.size());
    if (!probabilities || static_cast<double>(saturated) <= few) continue;
    Finding finding;
    finding.what =
        fmt::format("{}: the score is exactly 1 in {} and exactly 0 in {}", predictions.path,
                    share_text(at_one, scores.size()), share_text(at_zero, scores.size()));
    finding.means =
        "probabilities that were rounded to 0 or 1 cannot be ranked, so metrics of ranking lose "
        "what the model knows, and no threshold lies between them";
    const bool logits =
        has_array(predictions.path, "base_logits") && has_array(predictions.path, "new_logits");
    if (logits) {
      finding.fix = npz_command(predictions.path,
                                "g, h = (p[k].astype(float).max(1) for k in ('base_logits', "
                                "'new_logits')); p['score'] = g - h");
    } else {
      finding.fix =
          "save a score that does not saturate, the difference of the largest base and new logit: "
          "from features `openworld score --score base_over_new` does";
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace

const DoctorCheck kReversedScore = {"reversed-score", "predictions",
                                    "AUROC below a half beyond chance", has_predictions,
                                    look_for_reversed};
const DoctorCheck kTiedLogits = {"tied-logits", "predictions",
                                 "answers that are the first of several equal logits",
                                 has_predictions, look_for_ties};
const DoctorCheck kSaturatedScores = {"saturated-probabilities", "predictions",
                                      "scores that were rounded to exactly 0 or 1", has_predictions,
                                      look_for_saturation};

}  // namespace openworld
