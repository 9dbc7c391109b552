#include "openworld/cli/model_library.h"
#include "openworld/cli/models/terminal.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/memory_limit.h"
#include "openworld/tuning/torch_guest.h"

namespace openworld {
namespace {

void start(std::optional<std::uint64_t> limit) {
  set_memory_limit(limit);
  exit_when_mapped_files_shrink();
}

SampleScores score_images(const PredictCommand& command) {
  SampleScores scores;
  call_torch([&] { scores = predicted_scores(command); });
  return scores;
}

// Calls a command.
template <auto run, class Command>
void call(const Command& command) {
  call_torch([&] { run(command); });
}

}  // namespace
}  // namespace openworld

extern "C" const openworld::ModelLibrary* openworld_model_library() {
  using namespace openworld;
  static constexpr ModelLibrary kLibrary = {start,
                                            call<run_encode, EncodeCommand>,
                                            call<run_zeroshot, ZeroShotCommand>,
                                            call<run_pretrain, PretrainFlags>,
                                            call<run_tune, TuneCommand>,
                                            call<run_predict, PredictCommand>,
                                            score_images,
                                            call<list_learners, LearnerListCommand>,
                                            call<run_openset, OpenSetFlags>,
                                            make_cell_runner};
  return &kLibrary;
}
