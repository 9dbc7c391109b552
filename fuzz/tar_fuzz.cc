// Fuzzes the tar reader: every member it lists can be read to its last byte.

#include "fuzz/fuzz.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/io/tar.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const openworld::TimeLimit limit(size);
  using namespace openworld;
  static const Origin kOrigin{"fuzz", "input"};
  attempt([&] {
    const TarArchive archive(fuzz_bytes(data, size), kOrigin);
    for (const TarMember& member : archive.members()) {
      const Bytes bytes = archive.read(member);
      [[maybe_unused]] volatile std::byte last{};
      if (!bytes.empty()) last = bytes.values.back();
    }
  });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return openworld::mutate(data, size, most, seed, openworld::mutate_tar);
}
