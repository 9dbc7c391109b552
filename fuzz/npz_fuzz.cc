// Fuzzes the zip reader, and predictions made of the arrays in the archive.

#include "fuzz/fuzz.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/io/npz.h"
#include "openworld/predictions/predictions_parts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const openworld::TimeLimit limit(size);
  using namespace openworld;
  static const Origin kOrigin{"fuzz", "input"};
  attempt([&] {
    const ZipArchive archive(fuzz_bytes(data, size), kOrigin);
    for (const ZipMember& member : archive.members()) {
      attempt([&] { archive.read(member); });
    }
    make_predictions(read_npz_parts(archive), kOrigin);
  });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return openworld::mutate(data, size, most, seed, openworld::mutate_zip);
}
