#include "openworld/learners/table.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/io/origin.h"
#include "openworld/learners/coop.h"
#include "openworld/learners/decoop.h"
#include "openworld/learners/gmop.h"
#include "openworld/learners/kgcoop.h"
#include "openworld/learners/locoop.h"
#include "openworld/learners/prograd.h"
#include "openworld/learners/zero_shot.h"

namespace openworld {
namespace {

template <class Options>
std::unique_ptr<LearnerOptions> make_options() {
  return std::make_unique<Options>();
}

const LearnerRow kLearners[] = {
    {.name = "zero-shot",
     .title = "CLIP",
     .description = "hand-written sentences, nothing tuned",
     .citation = "Radford et al., Learning Transferable Visual Models From Natural Language "
                 "Supervision, ICML 2021",
     .gradient = "none",
     .options = make_options<ZeroShotOptions>},
    {.name = "coop",
     .title = "CoOp",
     .description = "one learned context, cross-entropy",
     .citation = "Zhou et al., Learning to Prompt for Vision-Language Models, IJCV 2022",
     .gradient = "text",
     .options = make_options<CoopOptions>},
    {.name = "kgcoop",
     .title = "KgCoOp",
     .description = "CoOp that stays close to a hand-written sentence",
     .citation = "Yao et al., Visual-Language Prompt Tuning with Knowledge-guided Context "
                 "Optimization, CVPR 2023",
     .gradient = "text",
     .options = make_options<KgcoopOptions>},
    {.name = "prograd",
     .title = "ProGrad",
     .description = "CoOp whose gradient does not oppose the zero-shot model",
     .citation = "Zhu et al., Prompt-aligned Gradient for Prompt Tuning, ICCV 2023",
     .gradient = "text",
     .options = make_options<ProgradOptions>},
    {.name = "locoop",
     .title = "LoCoOp",
     .description = "CoOp that is unsure about patches of the background",
     .citation = "Miyai et al., LoCoOp: Few-Shot Out-of-Distribution Detection via Prompt "
                 "Learning, NeurIPS 2023",
     .input = ImageInput::kPatches,
     .gradient = "text",
     .options = make_options<LocoopOptions>},
    {.name = "decoop",
     .title = "DeCoOp",
     .description = "detectors of new classes, then classifiers where they are sure",
     .citation = "Zhou et al., DeCoOp: Robust Prompt Tuning with Out-of-Distribution Detection, "
                 "ICML 2024",
     .gradient = "text",
     .shots = ShotRule::kDeCoop,
     .options = make_options<DecoopOptions>},
    {.name = "gmop",
     .title = "GMoP",
     .description = "a gated mixture of prompts that follows OpenworldAUC itself",
     .citation = "Hua et al., OpenworldAUC: Towards Unified Evaluation and Optimization for "
                 "Open-world Prompt Tuning, ICML 2025",
     .gradient = "text",
     .shots = ShotRule::kDeCoop,
     .options = make_options<GmopOptions>},
};

// Lower case, without '-' and '_'.
std::string comparable(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c != '-' && c != '_') result += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  }
  return result;
}

}  // namespace

std::span<const LearnerRow> learners() {
  return kLearners;
}

const LearnerRow& find_learner(std::string_view name) {
  std::vector<std::string> names;
  for (const LearnerRow& row : kLearners) {
    if (comparable(row.name) == comparable(name)) return row;
    names.emplace_back(row.name);
  }
  fail("find_learner", fmt::format("no learner {}, did you mean {}? There are {}", in_quotes(name),
                                   nearest_name(name, names), fmt::join(names, ", ")));
}

}  // namespace openworld
