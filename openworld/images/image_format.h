#pragma once

// The interface of a format, and code that the decoders share. Internal to this folder.

#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>

#include "openworld/images/image.h"
#include "openworld/io/origin.h"

namespace openworld {

struct ImageFormat {
  std::string_view name;
  bool (*recognises)(std::string_view text);
  Image (*decode)(std::span<const std::byte> bytes, const Origin& origin, std::int64_t max_pixels);
};

extern const ImageFormat kJpegFormat;
extern const ImageFormat kPngFormat;
extern const ImageFormat kWebpFormat;

// Throws Error for more than `max_pixels`, and for a side of more than 2^20. REQUIRES: sides below
// 2^31.
void check_pixels(std::int64_t width, std::int64_t height, std::int64_t max_pixels,
                  const Origin& origin);

// Throws Error("is a PNG that cannot be decoded: reason"), or std::bad_alloc where the library says
// that it got no memory, which says nothing about the image.
[[noreturn]] void fail_to_decode(std::string_view format, std::string_view reason,
                                 const Origin& origin);

// How the C libraries report an error: they call back with a message, and the callback, which must
// not return, calls jump().
struct CErrors {
  std::jmp_buf target;
  std::array<char, 256> message;

  [[noreturn]] void jump(const char* text) {
    std::snprintf(message.data(), message.size(), "%s", text);
    std::longjmp(target, 1);  // NOLINT(cert-err52-cpp): the one way out of these libraries
  }

  // Runs `call`; false if it jumped, with the reason in `message`. The jump runs no destructor:
  // REQUIRES that `call` makes no object that has one.
  template <class F>
  bool run(const F& call) {
    if (setjmp(target) != 0) return false;  // NOLINT(cert-err52-cpp)
    call();
    return true;
  }
};

}  // namespace openworld
