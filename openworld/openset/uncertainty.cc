#include "openworld/openset/uncertainty.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/base/trimmed.h"

namespace openworld {
namespace {

constexpr std::string_view kMiller =
    "Miller et al., Open-Set Recognition in the Age of Vision-Language Models, ECCV 2024";

double softmax(const QueryStats& s, const LogitForm&) {
  return 1 / (1 + s.rest);
}

double cosine(const QueryStats& s, const LogitForm& form) {
  return (s.top - form.bias) / form.scale;
}

double negative_entropy(const QueryStats& s, const LogitForm&) {
  return s.moment / (1 + s.rest) - std::log1p(s.rest);
}

double sigmoid(const QueryStats& s, const LogitForm&) {
  return 1 / (1 + std::exp(-s.top));
}

double max_logit(const QueryStats& s, const LogitForm&) {
  return s.top;
}

double energy(const QueryStats& s, const LogitForm&) {
  return s.top + std::log1p(s.rest);
}

double mcm(const QueryStats& s, const LogitForm&) {
  return 1 / (1 + s.mild);
}

double margin(const QueryStats& s, const LogitForm&) {
  return -std::expm1(s.second - s.top) / (1 + s.rest);
}

double logit_margin(const QueryStats& s, const LogitForm&) {
  return s.top - s.second;
}

constexpr UncertaintyRow kTable[] = {
    {.name = "softmax",
     .title = "Softmax",
     .brief = "the largest probability",
     .citation = kMiller,
     .softmax = true,
     .sigmoid = false,
     .published = true,
     .value = softmax},
    {.name = "cosine",
     .title = "Cosine",
     .brief = "the largest cosine, (logit - bias) / scale",
     .citation = kMiller,
     .softmax = true,
     .sigmoid = true,
     .published = true,
     .value = cosine},
    {.name = "entropy",
     .title = "Entropy",
     .brief = "minus the entropy of the probabilities, natural logarithm",
     .citation = kMiller,
     .softmax = true,
     .sigmoid = false,
     .published = true,
     .value = negative_entropy},
    {.name = "sigmoid",
     .title = "Sigmoid",
     .brief = "the largest probability, each query on its own",
     .citation = kMiller,
     .softmax = false,
     .sigmoid = true,
     .published = true,
     .value = sigmoid},
    {.name = "max_logit",
     .title = "Max logit",
     .brief = "the largest logit",
     .citation = "Hendrycks et al., Scaling Out-of-Distribution Detection, ICML 2022",
     .softmax = true,
     .sigmoid = true,
     .published = false,
     .value = max_logit},
    {.name = "energy",
     .title = "Energy",
     .brief = "the log-sum-exp of the logits, minus the free energy",
     .citation = "Liu et al., Energy-based Out-of-distribution Detection, NeurIPS 2020",
     .softmax = true,
     .sigmoid = false,
     .published = false,
     .value = energy},
    {.name = "mcm",
     .title = "MCM",
     .brief = "the largest probability of a softmax over cosines / temperature",
     .citation = "Ming et al., Delving into Out-of-Distribution Detection with Vision-Language "
                 "Representations, NeurIPS 2022",
     .softmax = true,
     .sigmoid = true,
     .published = false,
     .needs_mild = true,
     .value = mcm},
    {.name = "margin",
     .title = "Margin",
     .brief = "the difference of the two largest probabilities",
     .citation = "Scheffer et al., Active Hidden Markov Models for Information Extraction, "
                 "IDA 2001",
     .softmax = true,
     .sigmoid = false,
     .published = false,
     .value = margin},
    {.name = "logit_margin",
     .title = "Logit margin",
     .brief = "the difference of the two largest logits",
     .citation = "after Scheffer et al., Active Hidden Markov Models for Information Extraction, "
                 "IDA 2001",
     .softmax = true,
     .sigmoid = true,
     .published = false,
     .queries = 2,
     .value = logit_margin},
};

const UncertaintyRow& find(std::string_view name, OutputActivation activation) {
  const auto row = std::find_if(std::begin(kTable), std::end(kTable),
                                [&](const UncertaintyRow& r) { return r.name == name; });
  if (row == std::end(kTable)) {
    std::vector<std::string> known;
    for (const UncertaintyRow& r : kTable) known.emplace_back(r.name);
    fail("openset", fmt::format("unknown measure '{}'; {}", name, known_names(name, known)));
  }
  if (!row->defined_for(activation)) {
    fail("openset",
         fmt::format("measure '{}' is not defined for {} models; expected activation {}", name,
                     activation_name(activation), row->softmax ? "softmax" : "sigmoid"));
  }
  return *row;
}

}  // namespace

std::string_view activation_name(OutputActivation activation) {
  return activation == OutputActivation::kSoftmax ? "softmax" : "sigmoid";
}

std::span<const UncertaintyRow> uncertainty_table() {
  return kTable;
}

std::vector<const UncertaintyRow*> find_uncertainties(std::string_view names,
                                                      OutputActivation activation) {
  std::vector<const UncertaintyRow*> rows;
  const auto add = [&](const UncertaintyRow& row) {
    if (std::find(rows.begin(), rows.end(), &row) == rows.end()) rows.push_back(&row);
  };
  while (!names.empty()) {
    const std::size_t comma = names.find(',');
    const std::string_view name = trimmed(names.substr(0, comma));
    if (name == "all" || name == "published") {
      for (const UncertaintyRow& row : kTable) {
        if (row.defined_for(activation) && (name == "all" || row.published)) add(row);
      }
    } else {
      add(find(name, activation));
    }
    names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
  }
  if (rows.empty()) fail("openset", "no measure named; expected names, `published` or `all`");
  return rows;
}

}  // namespace openworld
