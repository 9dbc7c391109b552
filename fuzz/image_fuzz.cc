// Fuzzes the image decoders, all formats in one: the first bytes choose. At most 1 Mpixel, since
// time and memory grow with the size in the header.

#include "fuzz/fuzz.h"
#include "openworld/images/decode.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const openworld::TimeLimit limit(size);
  using namespace openworld;
  static const Origin kOrigin{"fuzz", "input"};
  constexpr std::int64_t kPixels = 1 << 20;
  attempt([&] {
    const Image image = decode_image(fuzz_bytes(data, size).values, kOrigin, kPixels);
    if (image.rgb.size() != std::size_t{3} * image.width * image.height) __builtin_trap();
  });
  return 0;
}
