// Fuzzes sheets of small images. The first byte is the size of the list of labels, which follows;
// the rest is the PNG. Checksums are not checked in this build.

#include <algorithm>

#include "fuzz/fuzz_folder.h"
#include "openworld/io/memory_limit.h"
#include "openworld/io/png_reader.h"
#include "openworld/worlds/drawn_source.h"
#include "openworld/worlds/format.h"

namespace openworld {
namespace {

void run(std::span<const std::byte> bytes) {
  // Time and memory grow with the size in the header: at most 1 Mpixel.
  set_memory_limit(std::uint64_t{3} << 20);
  const FuzzFolder& folder = FuzzFolder::instance();
  const std::size_t size = std::min(std::to_integer<std::size_t>(bytes[0]), bytes.size() - 1);
  const std::span<const std::byte> png = bytes.subspan(1 + size);
  const Origin origin{"fuzz", "input"};
  attempt([&] {
    const PngHeader header = read_png_header(png, origin);
    if (read_png_rgb(png, origin).size() != 3 * header.width * header.height) std::abort();
  });
  folder.write("test_labels.json", bytes.subspan(1, size));
  folder.write("test.png", png);
  attempt([&] {
    kSheets.recognise(folder.path());
    const Dataset dataset = kSheets.open({"fuzz", folder.path()}, {.split = "test"});
    const auto& source = dynamic_cast<const DrawnSource&>(*dataset.source);
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
      const std::int32_t label = dataset.samples[i].label;
      if (label < -1 || label >= static_cast<std::int32_t>(dataset.classes.size())) std::abort();
      const Image image = source.draw(dataset.samples[i]);
      if (image.rgb.size() != std::size_t{3} * image.width * image.height) std::abort();
    }
  });
}

}  // namespace
}  // namespace openworld

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const openworld::TimeLimit limit(size);
  if (size > 0) openworld::run(openworld::fuzz_bytes(data, size).values);
  return 0;
}
