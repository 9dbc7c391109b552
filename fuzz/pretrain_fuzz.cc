// Fuzzes the files of a pre-training run. The first byte says which: s the file of stages, r
// pretrain.json. What was read and written again must read the same.

#include <nlohmann/json.hpp>

#include "fuzz/fuzz_folder.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/pretrain/spec/pretrain_result.h"
#include "openworld/pretrain/spec/stages_file.h"

namespace openworld {
namespace {

std::string dump(const PretrainResult& result) {
  return pretrain_result_json(result).dump(2, ' ', false,
                                           nlohmann::ordered_json::error_handler_t::replace);
}

void read_result(std::span<const std::byte> bytes) {
  const FuzzFolder& folder = FuzzFolder::instance();
  const std::string text = dump(read_pretrain_result({"fuzz", folder.write("a.json", bytes)}));
  try {
    const std::string again = folder.write("b.json", std::as_bytes(std::span(text)));
    if (dump(read_pretrain_result({"fuzz", again})) != text) std::abort();
  } catch (const Error& error) {
    std::fprintf(stderr, "fuzz: what was written cannot be read: %s\n", error.what());
    std::abort();
  }
}

void read_spec(std::span<const std::byte> bytes) {
  PretrainSpec spec;
  read_stages(FuzzFolder::instance().write("stages.json", bytes), spec);
  spec.check();
  if (spec.all_sources().empty() || spec.all_stages().empty()) std::abort();
  for (const StageSpec& stage : spec.all_stages()) {
    for (const StageSpec::Share& share : stage.sources) {
      if (share.source >= spec.all_sources().size() || !(share.weight > 0)) std::abort();
    }
  }
}

}  // namespace
}  // namespace openworld

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openworld;
  const TimeLimit limit(size);
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  attempt([&] {
    if (data[0] == 's') read_spec(bytes);
    if (data[0] == 'r') read_result(bytes);
  });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace openworld;
  return mutate(data, size, most, seed, [](std::string file, std::size_t room, Dice& dice) {
    return mutate_after_first(std::move(file), room, dice, mutate_json);
  });
}
