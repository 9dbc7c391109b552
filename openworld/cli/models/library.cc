#include "openworld/cli/model_library.h"
#include "openworld/cli/models/terminal.h"

extern "C" const openworld::ModelLibrary* openworld_model_library() {
  static constexpr openworld::ModelLibrary kLibrary = {
      openworld::run_encode, openworld::run_zeroshot, openworld::run_pretrain,
      openworld::run_tune,   openworld::run_predict,  openworld::list_learners,
      openworld::run_openset};
  return &kLibrary;
}
