#include "openworld/osr/table.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/io/origin.h"
#include "openworld/osr/arpl.h"
#include "openworld/osr/arpl_cs.h"
#include "openworld/osr/arpl_plus.h"
#include "openworld/osr/ce_plus.h"
#include "openworld/osr/gcpl.h"
#include "openworld/osr/openauc.h"
#include "openworld/osr/rpl.h"
#include "openworld/osr/softmax.h"

namespace openworld {
namespace {

template <class Options>
std::unique_ptr<OsrOptions> make_options() {
  return std::make_unique<Options>();
}

constexpr const char* kGoodClosedSet =
    "Vaze et al., Open-Set Recognition: a Good Closed-Set Classifier is All You Need?, ICLR 2022";
constexpr const char* kArplPaper =
    "Chen et al., Adversarial Reciprocal Points Learning for Open Set Recognition, TPAMI 2021";

const OsrMethodRow kMethods[] = {
    {.name = "softmax",
     .title = "Softmax",
     .description = "cross-entropy; score by the largest softmax, or the largest logit",
     .citation = "Hendrycks and Gimpel, A baseline for detecting out-of-distribution, ICLR 2017",
     .options = make_options<SoftmaxOptions>},
    {.name = "gcpl",
     .title = "GCPL",
     .description = "a prototype for each class, which its features are drawn to",
     .citation = "Yang et al., Robust Classification with Convolutional Prototype Learning, "
                 "CVPR 2018",
     .options = make_options<GcplOptions>},
    {.name = "rpl",
     .title = "RPL",
     .description = "a reciprocal point for each class, far from its features",
     .citation = "Chen et al., Learning Open Set Network with Discriminative Reciprocal Points, "
                 "ECCV 2020",
     .options = make_options<RplOptions>},
    {.name = "arpl",
     .title = "ARPL",
     .description = "reciprocal points with a dot product and a margin around the known classes",
     .citation = kArplPaper,
     .options = make_options<ArplOptions>},
    {.name = "arpl-cs",
     .title = "ARPL+CS",
     .description = "ARPL with generated images that the network learns to be unsure of",
     .citation = kArplPaper,
     .options = make_options<ArplCsOptions>},
    {.name = "ce-plus",
     .title = "CE+",
     .description = "cross-entropy in a strong recipe; score by the largest logit",
     .citation = kGoodClosedSet,
     .options = make_options<CePlusOptions>},
    {.name = "arpl-plus",
     .title = "ARPL+",
     .description = "ARPL in the same recipe",
     .citation = kGoodClosedSet,
     .options = make_options<ArplPlusOptions>},
    {.name = "openauc",
     .title = "OpenAUC",
     .description = "CE+ and a pair loss that follows OpenAUC, with mixed features as open samples",
     .citation = "Wang et al., OpenAUC: Towards AUC-Oriented Open-Set Recognition, NeurIPS 2022",
     .options = make_options<OpenAucOptions>},
};

}  // namespace

std::span<const OsrMethodRow> osr_methods() {
  return kMethods;
}

const OsrMethodRow& find_osr_method(std::string_view name) {
  std::vector<std::string> names;
  for (const OsrMethodRow& row : kMethods) {
    if (is_same_name(row.name, name)) return row;
    names.emplace_back(row.name);
  }
  fail("osr", fmt::format("no method {}; {}", in_quotes(name), known_names(name, names)));
}

}  // namespace openworld
