#include "openworld/images/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <string>

#include "openworld/images/image_format.h"
#include "openworld/io/column.h"

namespace openworld {
namespace {

constexpr const ImageFormat* kFormats[] = {&kJpegFormat, &kPngFormat, &kWebpFormat};

// Decoding and resizing hold whole rows in several forms, up to 64 bytes a pixel: one row of 2^26
// pixels would take 3 GiB and more.
constexpr std::int64_t kMaxSide = std::int64_t{1} << 20;

}  // namespace

void check_pixels(std::int64_t width, std::int64_t height, std::int64_t max_pixels,
                  const Origin& origin) {
  if (width * height > max_pixels) {
    origin.fail(fmt::format("is {} x {} pixels; expected at most {}", width, height, max_pixels));
  }
  if (std::max(width, height) > kMaxSide) {
    origin.fail(
        fmt::format("is {} x {} pixels; expected sides of at most {}", width, height, kMaxSide));
  }
}

void fail_to_decode(std::string_view format, std::string_view reason, const Origin& origin) {
  // libpng, zlib and libjpeg say it in these words.
  for (const char* sign : {"nsufficient memory", "ut of memory", "ut of Memory"}) {
    if (reason.find(sign) != std::string_view::npos) throw std::bad_alloc();
  }
  origin.fail(fmt::format("is a {} that cannot be decoded: {}", format, reason));
}

Image decode_image(std::span<const std::byte> bytes, const Origin& origin,
                   std::int64_t max_pixels) {
  const std::string_view text = as_text(bytes);
  for (const ImageFormat* format : kFormats) {
    if (format->recognises(text)) return format->decode(bytes, origin, max_pixels);
  }
  std::string names;
  for (const ImageFormat* format : kFormats) {
    names += names.empty() ? "" : ", ";
    names += format->name;
  }
  origin.fail(
      fmt::format("is not an image of a known format: it starts with {}; expected one of {}",
                  in_quotes(text.substr(0, 12)), names));
}

}  // namespace openworld
