// Fuzzes idx files, plain and gzip. The first byte is the size of the file of labels, which
// follows; the rest is the file of images.

#include <algorithm>

#include "fuzz/fuzz_folder.h"
#include "openworld/io/idx.h"
#include "openworld/io/memory_limit.h"
#include "openworld/worlds/drawn_source.h"
#include "openworld/worlds/format.h"

namespace openworld {
namespace {

void run(std::span<const std::byte> bytes) {
  set_memory_limit(std::uint64_t{32} << 20);
  const FuzzFolder& folder = FuzzFolder::instance();
  const std::size_t size = std::min(std::to_integer<std::size_t>(bytes[0]), bytes.size() - 1);
  folder.write("train-labels-idx1-ubyte", bytes.subspan(1, size));
  const std::string images = folder.write("train-images-idx3-ubyte", bytes.subspan(1 + size));
  // The number of dimensions that a plain file has, and below as images.
  const std::size_t dimensions =
      bytes.size() > size + 4 ? std::to_integer<std::size_t>(bytes[size + 4]) : 0;
  attempt([&] { read_idx({"fuzz", images}, dimensions); });
  for (const bool one_file : {false, true}) {
    attempt([&] {
      const Dataset dataset = kIdx.open({"fuzz", one_file ? images : folder.path()},
                                        {.split = one_file ? "" : "train"});
      const auto& source = dynamic_cast<const DrawnSource&>(*dataset.source);
      for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
        const std::int32_t label = dataset.samples[i].label;
        if (label < -1 || label >= static_cast<std::int32_t>(dataset.classes.size())) std::abort();
        sample_name(dataset, i);
        const Image image = source.draw(dataset.samples[i]);
        if (image.rgb.size() != std::size_t{3} * image.width * image.height) std::abort();
      }
    });
  }
}

}  // namespace
}  // namespace openworld

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const openworld::TimeLimit limit(size);
  if (size > 0) openworld::run(openworld::fuzz_bytes(data, size).values);
  return 0;
}
