// WebP by libwebp. Still images and animations both go through its animation decoder, as in Pillow:
// where the first frame does not cover the canvas, the rest is black.

#include <sys/mman.h>
#include <webp/decode.h>
#include <webp/demux.h>

#include <memory>
#include <new>

#include "openworld/base/error.h"
#include "openworld/images/image_format.h"

namespace openworld {
namespace {

struct Delete {
  void operator()(WebPAnimDecoder* decoder) const { WebPAnimDecoderDelete(decoder); }
};

// Throws std::bad_alloc unless there is address space for so many bytes.
void expect_room(std::size_t bytes) {
  void* const room = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  ::munmap(room, bytes);
}

bool recognises(std::string_view text) {
  return text.starts_with("RIFF") && text.substr(0, 12).ends_with("WEBP");
}

template <class Fail>
Image decode_first_frame(const WebPData& data, const Fail& fail, std::int64_t max_pixels,
                         const Origin& origin) {
  WebPAnimDecoderOptions options;
  WebPAnimDecoderOptionsInit(&options);
  options.color_mode = MODE_RGBA;
  const std::unique_ptr<WebPAnimDecoder, Delete> decoder(WebPAnimDecoderNew(&data, &options));
  WebPAnimInfo info;
  if (!decoder || WebPAnimDecoderGetInfo(decoder.get(), &info) == 0) {
    fail("it is truncated or its chunks are malformed");
  }
  check_pixels(info.canvas_width, info.canvas_height, max_pixels, origin);
  std::uint8_t* rgba = nullptr;
  int timestamp = 0;
  if (WebPAnimDecoderGetNext(decoder.get(), &rgba, &timestamp) == 0) {
    fail("its pixel data are truncated or malformed");
  }

  Image image = make_image(info.canvas_width, info.canvas_height);
  const std::size_t pixels = image.rgb.size() / 3;
  for (std::size_t i = 0; i < pixels; ++i) {
    for (std::size_t c = 0; c < 3; ++c) image.rgb[3 * i + c] = rgba[4 * i + c];
  }
  return image;
}

Image decode(std::span<const std::byte> bytes, const Origin& origin, std::int64_t max_pixels) {
  const auto fail = [&](std::string_view what) { fail_to_decode("WebP", what, origin); };
  const WebPData data = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  WebPBitstreamFeatures features;
  const VP8StatusCode status = WebPGetFeatures(data.bytes, data.size, &features);
  if (status == VP8_STATUS_NOT_ENOUGH_DATA) fail("its header is truncated");
  if (status != VP8_STATUS_OK) fail("its header is malformed");
  check_pixels(features.width, features.height, max_pixels, origin);

  // Its failures do not tell malformed data from memory that it did not get. A second attempt tells
  // apart what was short for a moment, and room for the canvas what is short still.
  try {
    return decode_first_frame(data, fail, max_pixels, origin);
  } catch (const Error&) {
    expect_room(12 * std::size_t(features.width) * std::size_t(features.height));
    return decode_first_frame(data, fail, max_pixels, origin);
  }
}

}  // namespace

const ImageFormat kWebpFormat = {"WebP", recognises, decode};

}  // namespace openworld
