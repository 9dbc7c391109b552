// WebP by libwebp. Of an animation the first frame is decoded, and the rest of the canvas is black,
// as in Pillow. libwebp's animation decoder would give the same pixels, with two more canvases of
// four bytes a pixel.

#include <sys/mman.h>
#include <webp/decode.h>
#include <webp/demux.h>

#include <algorithm>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/images/image_format.h"

namespace openworld {
namespace {

struct Delete {
  void operator()(WebPDemuxer* demuxer) const { WebPDemuxDelete(demuxer); }
};

struct Frame : WebPIterator {
  explicit Frame(const WebPDemuxer* demuxer) : WebPIterator{} {
    found = WebPDemuxGetFrame(demuxer, 1, this) != 0;
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() { WebPDemuxReleaseIterator(this); }

  bool found = false;
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

// The colours of a frame with transparency. It is decoded too, since damage there counts.
bool decode_opaque(const Frame& frame, std::span<std::uint8_t> rgb, std::size_t stride) {
  const auto width = static_cast<std::size_t>(frame.width);
  std::vector<std::uint8_t> rgba(4 * width * static_cast<std::size_t>(frame.height));
  if (WebPDecodeRGBAInto(frame.fragment.bytes, frame.fragment.size, rgba.data(), rgba.size(),
                         4 * frame.width) == nullptr) {
    return false;
  }
  const std::uint8_t* from = rgba.data();
  for (int y = 0; y < frame.height; ++y) {
    std::uint8_t* to = rgb.data() + stride * static_cast<std::size_t>(y);
    for (std::size_t x = 0; x < width; ++x, from += 4, to += 3) std::copy_n(from, 3, to);
  }
  return true;
}

template <class Fail>
Image decode_first_frame(const WebPData& data, const Fail& fail, std::int64_t max_pixels,
                         const Origin& origin) {
  const std::unique_ptr<WebPDemuxer, Delete> demuxer(WebPDemux(&data));
  if (!demuxer) fail("it is truncated or its chunks are malformed");
  const std::int64_t width = WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_WIDTH);
  const std::int64_t height = WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_HEIGHT);
  check_pixels(width, height, max_pixels, origin);
  const Frame frame(demuxer.get());
  if (!frame.found || frame.x_offset + frame.width > width ||
      frame.y_offset + frame.height > height) {
    fail("it is truncated or its chunks are malformed");
  }

  Image image = make_image(width, height);
  const auto stride = 3 * static_cast<std::size_t>(width);
  const std::size_t begin = stride * static_cast<std::size_t>(frame.y_offset) +
                            3 * static_cast<std::size_t>(frame.x_offset);
  const std::span<std::uint8_t> rgb = std::span(image.rgb).subspan(begin);
  if (!(frame.has_alpha ? decode_opaque(frame, rgb, stride)
                        : WebPDecodeRGBInto(frame.fragment.bytes, frame.fragment.size, rgb.data(),
                                            rgb.size(), static_cast<int>(stride)) != nullptr)) {
    fail("its pixel data are truncated or malformed");
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
    expect_room(11 * std::size_t(features.width) * std::size_t(features.height));
    return decode_first_frame(data, fail, max_pixels, origin);
  }
}

}  // namespace

const ImageFormat kWebpFormat = {"WebP", recognises, decode};

}  // namespace openworld
