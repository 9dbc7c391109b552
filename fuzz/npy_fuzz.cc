// Fuzzes the .npy parser and every conversion of what it accepts.

#include "fuzz/fuzz.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/io/npy_values.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const openworld::TimeLimit limit(size);
  using namespace openworld;
  static const Origin kOrigin{"fuzz", "input"};
  attempt([&] {
    const NpyArray array = parse_npy(fuzz_bytes(data, size), "x", kOrigin);
    attempt([&] { to_integers<std::int8_t>(array, "less", kOrigin); });
    attempt([&] { to_integers<std::uint8_t>(array, "less", kOrigin); });
    attempt([&] { to_integers<std::int32_t>(array, "less", kOrigin); });
    attempt([&] { to_floats(array, kOrigin); });
    attempt([&] { to_strings(array, kOrigin); });
    attempt([&] { to_matrix(array, kOrigin); });
  });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return openworld::mutate(data, size, most, seed, openworld::mutate_npy);
}
