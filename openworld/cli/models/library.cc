#include <c10/util/Exception.h>

#include <new>
#include <string_view>

#include "openworld/cli/model_library.h"
#include "openworld/cli/models/terminal.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/memory_limit.h"

namespace openworld {
namespace {

void start(std::optional<std::uint64_t> limit) {
  set_memory_limit(limit);
  exit_when_mapped_files_shrink();
}

// Calls a command. libtorch's exception for a failed allocation becomes the standard one.
template <auto run, class Command>
void call(const Command& command) {
  try {
    run(command);
  } catch (const c10::Error& error) {
    const std::string_view what = error.what_without_backtrace();
    for (const char* sign : {"allocate memory", "not enough memory", "out of memory"}) {
      if (what.find(sign) != std::string_view::npos) throw std::bad_alloc();
    }
    throw;
  }
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
                                            call<list_learners, LearnerListCommand>,
                                            call<run_openset, OpenSetFlags>};
  return &kLibrary;
}
