// Fuzzes the safetensors reader and the conversion of every float tensor it accepts.

#include "fuzz/fuzz_tensors.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/io/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const openworld::TimeLimit limit(size);
  using namespace openworld;
  static const Origin kOrigin{"fuzz", "input"};
  attempt([&] { read_all(parse_safetensors(fuzz_bytes(data, size), kOrigin).tensors); });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return openworld::mutate(data, size, most, seed, openworld::mutate_safetensors);
}
