// Fuzzes the reader that JSON from outside goes through. What it accepts, another parser must take
// for the same value.

#include <nlohmann/json.hpp>

#include "fuzz/fuzz.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/io/json_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openworld;
  const TimeLimit limit(size);
  static const Origin kOrigin{"fuzz", "input"};
  const Bytes bytes = fuzz_bytes(data, size);
  attempt([&] {
    const nlohmann::json json = parse_json(bytes.values, kOrigin);
    const auto expected = nlohmann::json::parse(as_text(bytes.values), nullptr, false);
    if (expected.is_discarded() || json != expected) std::abort();
  });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return openworld::mutate(data, size, most, seed, openworld::mutate_json);
}
