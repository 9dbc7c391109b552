#include "openworld/scenarios/table.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/base/quotes.h"
#include "openworld/scenarios/co_evolution.h"
#include "openworld/scenarios/cross_dataset.h"
#include "openworld/scenarios/domain.h"
#include "openworld/scenarios/emerging.h"
#include "openworld/scenarios/imbalance.h"
#include "openworld/scenarios/ratio.h"
#include "openworld/scenarios/recognition.h"
#include "openworld/scenarios/shift.h"
#include "openworld/scenarios/varying_ratio.h"

namespace openworld {
namespace {

#define OPENWORLD_AUC_PAPER                                                                      \
  "Hua et al., OpenworldAUC: Towards Unified Evaluation and Optimization for Open-world Prompt " \
  "Tuning, ICML 2025, "
#define OPENPL_PAPER \
  "OpenPL: Realistic Evaluation of Prompt Learning for VLM in Open Environments, "

constexpr std::string_view kBaseClasses = "the first half of the source's classes";
constexpr std::string_view kDrawnClasses = "half of the source's classes, drawn by the seed";

template <class Options>
std::unique_ptr<ScenarioOptions> make_options() {
  return std::make_unique<Options>();
}

const ScenarioRow kScenarios[] = {
    {.name = "recognition",
     .version = 1,
     .title = "Base to new",
     .description = "half of the classes tuned on, the other half new at test time",
     .citation = OPENWORLD_AUC_PAPER "Table 2",
     .levels = "one: the whole test split",
     .trained = kBaseClasses,
     .options = make_options<Recognition>},
    {.name = "imbalance",
     .version = 1,
     .title = "Imbalance",
     .description = "recognition with the new or the base test images thinned to a fifth",
     .citation = OPENWORLD_AUC_PAPER "Table 3",
     .levels = "two: forward (new thinned), backward (base thinned)",
     .trained = kBaseClasses,
     .options = make_options<Imbalance>},
    {.name = "ratio",
     .version = 1,
     .title = "Ratio sweep",
     .description = "recognition at other ratios of new to base test images",
     .citation = OPENWORLD_AUC_PAPER "Tables 11 and 12",
     .levels = "ten: 10 ... 0.1 times the natural ratio",
     .trained = kBaseClasses,
     .options = make_options<Ratio>},
    {.name = "domain",
     .version = 1,
     .title = "Domain generalisation",
     .description = "base and new classes of other looks of the source",
     .citation = OPENWORLD_AUC_PAPER "Tables 10 and 14",
     .levels = "one per look",
     .trained = kBaseClasses,
     .others = OtherDatasets::kLooks,
     .options = make_options<Domain>},
    {.name = "cross-dataset",
     .version = 1,
     .title = "Cross-dataset",
     .description = "base classes of the source against another dataset as the new ones",
     .citation = OPENWORLD_AUC_PAPER "Table 13",
     .levels = "one per target",
     .trained = kBaseClasses,
     .others = OtherDatasets::kTargets,
     .options = make_options<CrossDataset>},
    {.name = "emerging",
     .version = 1,
     .title = "Emerging new classes",
     .description = "new classes join the base classes",
     .citation = OPENPL_PAPER "scenario A",
     .levels = "t = 0, 0.2 ... 1: new classes for each base class",
     .trained = kDrawnClasses,
     .options = make_options<Emerging>},
    {.name = "varying-ratio",
     .version = 1,
     .title = "Varying ratio of new classes",
     .description = "new classes take the place of base classes",
     .citation = OPENPL_PAPER "scenario B",
     .levels = "t = 0, 0.2 ... 1: share of classes that are new",
     .trained = kDrawnClasses,
     .options = make_options<VaryingRatio>},
    {.name = "shift",
     .version = 1,
     .title = "Dynamic distribution shift",
     .description = "images of another look take the place of the source's; the classes stay",
     .citation = OPENPL_PAPER "scenario C",
     .levels = "per look, t = 0, 0.2 ... 1: share of each pool of images",
     .trained = "all classes of the source",
     .others = OtherDatasets::kLooks,
     .options = make_options<Shift>},
    {.name = "co-evolution",
     .version = 1,
     .title = "Co-evolution of distribution and classes",
     .description = "classes and images of another dataset take the place of the source's",
     .citation = OPENPL_PAPER "scenario D",
     .levels = "per target, t = 0, 0.2 ... 1: share of classes that are the target's",
     .trained = "the source's classes that no target has",
     .others = OtherDatasets::kTargets,
     .options = make_options<CoEvolution>},
};

}  // namespace

std::span<const ScenarioRow> scenario_rows() {
  return kScenarios;
}

const ScenarioRow& find_scenario(std::string_view name) {
  std::vector<std::string> names;
  for (const ScenarioRow& row : kScenarios) {
    if (is_same_name(row.name, name)) return row;
    names.emplace_back(row.name);
  }
  fail("find_scenario",
       fmt::format("no scenario {}; {}", in_quotes(name), known_names(name, names)));
}

}  // namespace openworld
