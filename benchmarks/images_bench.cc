// Times decoding and resizing and prints a line "what milliseconds" for each; benchmarks/images.py
// sets them beside Pillow. usage: images_bench REPEATS FILE

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "openworld/images/decode.h"
#include "openworld/images/resample.h"
#include "openworld/images/transform.h"
#include "openworld/io/mapped_file.h"

int main(int argc, char** argv) {
  using namespace openworld;
  if (argc != 3) return 2;
  const int repeats = std::atoi(argv[1]);
  const Origin origin{"images_bench", argv[2]};
  const Bytes bytes = map_file(origin);
  const Image image = decode_image(bytes.values, origin);
  std::vector<float> chw(3 * 224 * 224);
  const int width = 224 * image.width / image.height;

  const auto time = [&](const char* what, const auto& f) {
    double best = 1e300;
    for (int i = 0; i < repeats; ++i) {
      const auto start = std::chrono::steady_clock::now();
      f();
      const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
      best = std::min(best, ms.count());
    }
    fmt::print("{} {}\n", what, best);
  };
  time("decode", [&] { decode_image(bytes.values, origin); });
  time("bicubic", [&] { resize(image, {width, 224}); });
  time("bilinear", [&] { resize(image, {width, 224, Filter::kBilinear}); });
  time("enlarge", [&] { resize(image, {2 * image.width, 2 * image.height}); });
  time("transform", [&] { clip_transform(image, {}, chw); });
}
