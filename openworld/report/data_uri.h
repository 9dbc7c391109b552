#pragma once

// Bytes as a data: URI (RFC 2397), so that a page needs no other file.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace openworld {

// Base64 of RFC 4648, with padding.
std::string base64(std::span<const std::byte> bytes);

// "image/png" and so on by the first bytes; empty if browsers cannot show it.
std::string_view image_mime(std::span<const std::byte> bytes);

// "data:image/png;base64,...". REQUIRES: image_mime(bytes) is not empty.
std::string image_uri(std::span<const std::byte> bytes);

}  // namespace openworld
