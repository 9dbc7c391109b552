#include "openworld/cli/model_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "openworld/base/error.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/io/memory_limit.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

fs::path library_path() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  return program.parent_path().parent_path() / "lib" / "openworld" / "libopenworld_models.so";
}

}  // namespace

bool has_model_library() {
  std::error_code ignored;
  return fs::exists(library_path(), ignored);
}

const ModelLibrary& model_library() {
  constexpr auto kFunction = "model_library";
  const fs::path path = library_path();
  if (!has_model_library()) {
    fail(kFunction,
         fmt::format("{}: no such file; models need a build with libtorch", path.string()));
  }
  // Before libgomp starts: its idle threads would spin on the cores that BLAS's own threads need,
  // which made a text step on two busy cores three to five times slower.
  setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(kFunction, dlerror());
  using Entry = const ModelLibrary* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "openworld_model_library"));
  if (entry == nullptr) fail(kFunction, fmt::format("{}: not a library of models", path.string()));
  const ModelLibrary& models = *entry();
  const OutputSettings& output = output_settings();
  models.start({memory_limit(), std::string(output.format->name), output.quiet});
  return models;
}

}  // namespace openworld
