// JPEG by libjpeg-turbo, called as Pillow calls it: accurate integer DCT, smooth chroma upsampling,
// and the same idea of what is truncated.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
// jpeglib.h needs FILE and size_t but does not include them.
#include <cstdio>

#include <jpeglib.h>

#include "openworld/images/image_format.h"

namespace openworld {
namespace {

// A scan costs time in proportion to the image however few bytes it has, so a small file of many
// empty scans could keep a core busy for hours. Encoders write about 10.
constexpr int kMaxScans = 100;
constexpr char kTooManyScans[] = "more than 100 scans";
// Blocks of 8 x 8 in all scans together. One takes up to 50 ns, with arithmetic coding 250, and may
// take no bit of the file. The largest image, in three components of full resolution, has 15
// million of them in the ten scans that libjpeg writes.
constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 26, kMaxArithmeticBlocks = kMaxBlocks / 4;
constexpr char kTooManyBlocks[] = "its scans have too many blocks";

struct Errors : jpeg_error_mgr {
  CErrors c;
};

void error_exit(j_common_ptr info) {
  char message[JMSG_LENGTH_MAX];
  info->err->format_message(info, message);
  static_cast<Errors*>(info->err)->c.jump(message);
}

void ignore_message(j_common_ptr, int) {}
void print_nothing(j_common_ptr) {}

// The whole file is one buffer. At its end the library is told to wait for more, which makes it
// return instead of inventing an end of image; the caller then knows that the file is truncated.
void do_nothing(j_decompress_ptr) {}
boolean no_more_input(j_decompress_ptr) {
  return FALSE;
}
void skip_input(j_decompress_ptr info, long count) {
  jpeg_source_mgr& source = *info->src;
  if (count <= 0) return;
  const auto skipped = std::min(static_cast<std::size_t>(count), source.bytes_in_buffer);
  source.next_input_byte += skipped;
  source.bytes_in_buffer -= skipped;
}

struct Progress : jpeg_progress_mgr {
  int scan = 0;  // the last that was counted
  std::uint64_t blocks = 0;
};

// Called for every row of blocks.
void limit_scans(j_common_ptr info) {
  const auto* decompressor = reinterpret_cast<j_decompress_ptr>(info);
  CErrors& errors = static_cast<Errors*>(info->err)->c;
  Progress& progress = *static_cast<Progress*>(info->progress);
  if (decompressor->input_scan_number == progress.scan) return;
  progress.scan = decompressor->input_scan_number;
  if (progress.scan > kMaxScans) errors.jump(kTooManyScans);
  for (int i = 0; i < decompressor->comps_in_scan; ++i) {
    const jpeg_component_info& component = *decompressor->cur_comp_info[i];
    progress.blocks += std::uint64_t{component.width_in_blocks} * component.height_in_blocks;
  }
  const std::uint64_t most = decompressor->arith_code ? kMaxArithmeticBlocks : kMaxBlocks;
  if (progress.blocks > most) errors.jump(kTooManyBlocks);
}

// (a * b) / 255, rounded.
int multiply_255(int a, int b) {
  const int product = a * b + 128;
  return ((product >> 8) + product) >> 8;
}

// Adobe stores 255 - ink. Light is what black leaves of it, and each ink takes its share of that.
void inverted_cmyk_to_rgb(const std::uint8_t* cmyk, std::uint8_t* rgb, int width) {
  for (int x = 0; x < width; ++x, cmyk += 4, rgb += 3) {
    const int light = cmyk[3];
    for (int c = 0; c < 3; ++c) {
      rgb[c] = static_cast<std::uint8_t>(light - multiply_255(255 - cmyk[c], light));
    }
  }
}

class JpegDecoder {
 public:
  JpegDecoder(std::span<const std::byte> bytes, const Origin& origin) : origin_(origin) {
    info_.err = jpeg_std_error(&errors_);
    errors_.error_exit = error_exit;
    errors_.emit_message = ignore_message;
    errors_.output_message = print_nothing;
    call([this] { jpeg_create_decompress(&info_); });
    source_.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
    source_.bytes_in_buffer = bytes.size();
    source_.init_source = do_nothing;
    source_.fill_input_buffer = no_more_input;
    source_.skip_input_data = skip_input;
    source_.resync_to_restart = jpeg_resync_to_restart;
    source_.term_source = do_nothing;
    info_.src = &source_;
    progress_.progress_monitor = limit_scans;
    info_.progress = &progress_;
  }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;
  ~JpegDecoder() { jpeg_destroy_decompress(&info_); }

  Image decode(std::int64_t max_pixels) {
    int status = JPEG_SUSPENDED;
    call([&] { status = jpeg_read_header(&info_, TRUE); });
    if (status == JPEG_SUSPENDED) truncated("in its header");
    check_pixels(info_.image_width, info_.image_height, max_pixels, origin_);
    const bool cmyk = info_.num_components == 4;
    if (info_.num_components != 1 && info_.num_components != 3 && !cmyk) {
      origin_.fail(
          fmt::format("is a JPEG of {} components; expected 1, 3 or 4", info_.num_components));
    }
    info_.out_color_space = cmyk ? JCS_CMYK : JCS_RGB;

    boolean started = FALSE;
    call([&] { started = jpeg_start_decompress(&info_); });
    if (!started) truncated("in its scans");
    Image image = make_image(info_.image_width, info_.image_height);
    std::vector<std::uint8_t> inks(cmyk ? std::size_t{4} * info_.image_width : 0);
    for (int y = 0; y < image.height; ++y) {
      std::uint8_t* rgb = &image.rgb[std::size_t{3} * info_.image_width * y];
      JSAMPROW row = cmyk ? inks.data() : rgb;
      JDIMENSION rows = 0;
      call([&] { rows = jpeg_read_scanlines(&info_, &row, 1); });
      if (rows == 0) truncated(fmt::format("after {} of {} rows", y, image.height));
      if (cmyk) inverted_cmyk_to_rgb(inks.data(), rgb, image.width);
    }
    // A missing end marker is forgiven; an unreadable rest is not.
    call([this] { jpeg_finish_decompress(&info_); });
    return image;
  }

 private:
  [[noreturn]] void truncated(std::string_view where) const {
    origin_.fail(fmt::format("is a JPEG that is truncated {}", where));
  }

  template <class F>
  void call(const F& f) {
    if (!errors_.c.run(f)) fail_to_decode("JPEG", errors_.c.message.data(), origin_);
  }

  const Origin& origin_;
  jpeg_decompress_struct info_{};
  Errors errors_{};
  jpeg_source_mgr source_{};
  Progress progress_{};
};

bool recognises(std::string_view text) {
  return text.starts_with("\xff\xd8\xff");
}

Image decode(std::span<const std::byte> bytes, const Origin& origin, std::int64_t max_pixels) {
  return JpegDecoder(bytes, origin).decode(max_pixels);
}

}  // namespace

const ImageFormat kJpegFormat = {"JPEG", recognises, decode};

}  // namespace openworld
