// Fuzzes the reader of PyTorch's files: the archive, the pickle in it, and its tensors. What does
// not start as an archive is taken for the pickle alone, which a fuzzer changes more easily.

#include "fuzz/fuzz_tensors.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/io/pickle.h"
#include "openworld/io/torch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const openworld::TimeLimit limit(size);
  using namespace openworld;
  static const Origin kOrigin{"fuzz", "input"};
  const Bytes bytes = fuzz_bytes(data, size);
  attempt([&] {
    if (size > 0 && data[0] == 0x80) {
      parse_pickle(bytes.values, kOrigin);
    } else {
      read_all(parse_torch_file(bytes, kOrigin).tensors);
    }
  });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace openworld;
  const bool is_pickle = size > 0 && data[0] == 0x80;
  return mutate(data, size, most, seed, is_pickle ? mutate_pickle : mutate_zip);
}
