#pragma once

// TCP (Yao et al., "TCP: Textual-based Class-aware Prompt Tuning", CVPR 2024): a net makes, from
// the feature of a class's hand-written sentence, rows that replace the states of the context at
// one block of the text tower.
//
//   loss = CE + weight (1 - mean over classes of cos(g_c, t_c))
//
// where t_c is that feature, as in KgCoOp.

#include "openworld/learners/training_options.h"

namespace openworld {

struct TcpOptions : PromptOptions {
  double weight = 8;
  std::int64_t block = 0;
  std::int64_t hidden = 0;

  TcpOptions();
  void declare(OptionList& list) override;
  std::unique_ptr<Learner> make(const TuningTask& task) const override;
};

}  // namespace openworld
