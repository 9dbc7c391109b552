#include "openworld/cli/model_library.h"
#include "openworld/cli/models/terminal.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/memory_limit.h"
#include "openworld/tuning/torch_guest.h"

namespace openworld {
namespace {

void start(const LibrarySettings& settings) {
  set_memory_limit(settings.memory_limit);
  set_output({&find_table_format(settings.table_format, "model_library"), settings.quiet});
  exit_when_mapped_files_shrink();
}

SampleScores score_images(const PredictCommand& command) {
  SampleScores scores;
  call_torch([&] { scores = predicted_scores(command); });
  return scores;
}

// Calls a command. What it printed is whole when it returns.
template <auto run, class Command>
void call(const Command& command) {
  call_torch([&] { run(command); });
  end_output();
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
                                            call<run_osr_train, OsrTrainCommand>,
                                            call<run_osr_eval, OsrEvalCommand>,
                                            call<run_osr_score, OsrScoreCommand>,
                                            call<list_osr, OsrListCommand>,
                                            call<run_predict, PredictCommand>,
                                            score_images,
                                            call<list_learners, LearnerListCommand>,
                                            call<run_openset, OpenSetFlags>,
                                            call<doctor_features, DoctorFeatures>,
                                            make_cell_runner};
  return &kLibrary;
}
