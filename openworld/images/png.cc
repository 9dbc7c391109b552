// PNG by libpng.

#include <png.h>

#include <cassert>
#include <cstring>
#include <new>

#include "openworld/images/image_format.h"

namespace openworld {
namespace {

// Nearly every change a fuzzer makes would end at the checksum.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
constexpr int kCrcAction = PNG_CRC_QUIET_USE;
#else
constexpr int kCrcAction = PNG_CRC_ERROR_QUIT;
#endif

struct Source {
  std::span<const std::byte> rest;
};

void read_bytes(png_structp png, png_bytep out, std::size_t count) {
  Source& source = *static_cast<Source*>(png_get_io_ptr(png));
  if (count > source.rest.size()) png_error(png, "the file is truncated");
  std::memcpy(out, source.rest.data(), count);
  source.rest = source.rest.subspan(count);
}

void on_error(png_structp png, png_const_charp message) {
  static_cast<CErrors*>(png_get_error_ptr(png))->jump(message);
}

void ignore_warning(png_structp, png_const_charp) {}

// A row of 16-bit greys in the first two thirds of `row` becomes RGB. Pillow reads them as 32-bit
// integers, which it cuts at 255 when it makes RGB of them: all but the darkest turn white. A
// division by 257 would look right, but the features of such a file would be other ones.
void clip_grey16(std::uint8_t* row, std::int64_t width) {
  for (std::int64_t x = width; x-- > 0;) {
    const std::uint8_t grey = row[2 * x] != 0 ? 255 : row[2 * x + 1];
    std::memset(row + 3 * x, grey, 3);
  }
}

class PngDecoder {
 public:
  PngDecoder(std::span<const std::byte> bytes, const Origin& origin)
      : origin_(origin), source_{bytes} {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &errors_, on_error, ignore_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
    png_set_read_fn(png_, &source_, read_bytes);
  }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;
  ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }

  Image decode(std::int64_t max_pixels) {
    call([this] {
      // Neither profiles nor texts change a pixel, so none is inflated; transparency does not
      // either. Their checksums still count.
      png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
      png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER,
                                  reinterpret_cast<const png_byte*>("tRNS"), 1);
      png_set_crc_action(png_, kCrcAction, kCrcAction);
      png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // check_pixels is ours
      png_read_info(png_, info_);
    });
    const std::int64_t width = png_get_image_width(png_, info_);
    const std::int64_t height = png_get_image_height(png_, info_);
    check_pixels(width, height, max_pixels, origin_);
    const bool grey16 = png_get_bit_depth(png_, info_) == 16 &&
                        png_get_color_type(png_, info_) == PNG_COLOR_TYPE_GRAY;
    int passes = 1;
    call([&] {
      fill_palette();
      if (!grey16) request_rgb();
      passes = png_set_interlace_handling(png_);
      png_read_update_info(png_, info_);
    });
    assert(static_cast<std::int64_t>(png_get_rowbytes(png_, info_)) == (grey16 ? 2 : 3) * width);

    Image image = make_image(width, height);
    call([&] {
      for (int pass = 0; pass < passes; ++pass) {
        for (std::int64_t y = 0; y < height; ++y) {
          png_read_row(png_, image.rgb.data() + 3 * width * y, nullptr);
        }
      }
    });
    if (grey16) {
      for (std::int64_t y = 0; y < height; ++y) clip_grey16(&image.rgb[3 * width * y], width);
    }
    return image;
  }

 private:
  // Pixels may name colours that the palette has not. They are greys in Pillow, as dark as their
  // number; libpng would make them black.
  void fill_palette() {
    png_colorp colours = nullptr;
    int count = 0;
    if (png_get_PLTE(png_, info_, &colours, &count) == 0) return;
    if (png_get_color_type(png_, info_) != PNG_COLOR_TYPE_PALETTE) return;
    png_color all[PNG_MAX_PALETTE_LENGTH];
    for (int i = 0; i < PNG_MAX_PALETTE_LENGTH; ++i) {
      const auto grey = static_cast<png_byte>(i);
      all[i] = i < count ? colours[i] : png_color{grey, grey, grey};
    }
    png_set_PLTE(png_, info_, all, 1 << png_get_bit_depth(png_, info_));
  }

  void request_rgb() {
    png_set_palette_to_rgb(png_);
    png_set_expand_gray_1_2_4_to_8(png_);
    png_set_strip_16(png_);
    png_set_strip_alpha(png_);
    png_set_gray_to_rgb(png_);
  }

  template <class F>
  void call(const F& f) {
    if (!errors_.run(f)) fail_to_decode("PNG", errors_.message.data(), origin_);
  }

  const Origin& origin_;
  Source source_;
  CErrors errors_{};
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

bool recognises(std::string_view text) {
  return text.starts_with("\x89PNG\r\n\x1a\n");
}

Image decode(std::span<const std::byte> bytes, const Origin& origin, std::int64_t max_pixels) {
  return PngDecoder(bytes, origin).decode(max_pixels);
}

}  // namespace

const ImageFormat kPngFormat = {"PNG", recognises, decode};

}  // namespace openworld
