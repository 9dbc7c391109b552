#include "openworld/pretrain/loss_term.h"

namespace openworld {

std::vector<std::unique_ptr<LossTerm>> make_terms(const TermInputs& inputs) {
  struct Row {
    double LossWeights::*weight;
    std::unique_ptr<LossTerm> (*make)(const TermInputs&);
  };
  constexpr Row kRows[] = {
      {&LossWeights::pairs, make_pair_term},          {&LossWeights::naming, make_naming_term},
      {&LossWeights::words, make_word_term},          {&LossWeights::texts, make_text_term},
      {&LossWeights::agreement, make_agreement_term}, {&LossWeights::guesses, make_guess_term}};
  std::vector<std::unique_ptr<LossTerm>> terms;
  for (const Row& row : kRows) {
    if (inputs.options.weights.*row.weight > 0) terms.push_back(row.make(inputs));
  }
  return terms;
}

}  // namespace openworld
