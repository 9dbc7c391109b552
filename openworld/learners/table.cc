#include "openworld/learners/table.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/io/origin.h"
#include "openworld/learners/cocoop.h"
#include "openworld/learners/coop.h"
#include "openworld/learners/decoop.h"
#include "openworld/learners/dept.h"
#include "openworld/learners/gallop.h"
#include "openworld/learners/gmop.h"
#include "openworld/learners/kgcoop.h"
#include "openworld/learners/locoop.h"
#include "openworld/learners/maple.h"
#include "openworld/learners/proda.h"
#include "openworld/learners/prograd.h"
#include "openworld/learners/promptsrc.h"
#include "openworld/learners/rpo.h"
#include "openworld/learners/tcp.h"
#include "openworld/learners/vpt.h"
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
    {.name = "cocoop",
     .title = "CoCoOp",
     .description = "CoOp whose context is shifted by each image",
     .citation = "Zhou et al., Conditional Prompt Learning for Vision-Language Models, CVPR 2022",
     .gradient = "text",
     .options = make_options<CocoopOptions>},
    {.name = "proda",
     .title = "ProDA",
     .description = "a distribution over many contexts",
     .citation = "Lu et al., Prompt Distribution Learning, CVPR 2022",
     .gradient = "text",
     .options = make_options<ProdaOptions>},
    {.name = "vpt",
     .title = "VPT",
     .description = "learned rows in the vision tower",
     .citation = "Jia et al., Visual Prompt Tuning, ECCV 2022",
     .input = ImageInput::kPixels,
     .gradient = "image",
     .options = make_options<VptOptions>},
    {.name = "maple",
     .title = "MaPLe",
     .description = "deep prompts in the text tower, mapped into the vision tower",
     .citation = "Khattak et al., MaPLe: Multi-modal Prompt Learning, CVPR 2023",
     .input = ImageInput::kPixels,
     .gradient = "both",
     .options = make_options<MapleOptions>},
    {.name = "promptsrc",
     .title = "PromptSRC",
     .description = "deep prompts in both towers that stay close to the frozen model",
     .citation = "Khattak et al., Self-regulating Prompts: Foundational Model Adaptation without "
                 "Forgetting, ICCV 2023",
     .input = ImageInput::kPixels,
     .gradient = "both",
     .options = make_options<PromptsrcOptions>},
    {.name = "rpo",
     .title = "RPO",
     .description = "rows in both towers that read the frozen model and do not change it",
     .citation = "Lee et al., Read-only Prompt Optimization for Vision-Language Few-shot Learning, "
                 "ICCV 2023",
     .input = ImageInput::kPixels,
     .gradient = "both",
     .options = make_options<RpoOptions>},
    {.name = "tcp",
     .title = "TCP",
     .description = "KgCoOp with rows made from each class's own sentence",
     .citation = "Yao et al., TCP: Textual-based Class-aware Prompt Tuning for Visual-Language "
                 "Model, CVPR 2024",
     .gradient = "text",
     .options = make_options<TcpOptions>},
    {.name = "gallop",
     .title = "GalLoP",
     .description = "prompts for the whole image and prompts for its patches",
     .citation = "Lafon et al., GalLoP: Learning Global and Local Prompts for Vision-Language "
                 "Models, ECCV 2024",
     .input = ImageInput::kPatchStates,
     .gradient = "text",
     .options = make_options<GallopOptions>},
    {.name = "dept",
     .title = "DePT",
     .description = "KgCoOp, CoOp or CoCoOp with a head for the base classes",
     .citation = "Zhang et al., DePT: Decoupled Prompt Tuning, CVPR 2024",
     .gradient = "text",
     .options = make_options<DeptOptions>},
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
}  // namespace

std::span<const LearnerRow> learners() {
  return kLearners;
}

const LearnerRow& find_learner(std::string_view name) {
  std::vector<std::string> names;
  for (const LearnerRow& row : kLearners) {
    if (is_same_name(row.name, name)) return row;
    names.emplace_back(row.name);
  }
  fail("find_learner", fmt::format("no learner {}; {}", in_quotes(name), known_names(name, names)));
}

}  // namespace openworld
