#include "openworld/io/file_kind.h"

namespace openworld {

std::string_view foreign_kind(std::string_view start) {
  constexpr struct {
    std::string_view start;
    std::string_view what;
  } kKinds[] = {
      {"\xff\xd8\xff", "a JPEG image"}, {"\x89PNG", "a PNG image"},
      {"\x93NUMPY", "a NumPy array"},   {"PK\x03\x04", "a zip archive, as .npz and .pt are"},
      {"\x1f\x8b", "a gzip file"},      {"GGUF", "a GGUF file"},
      {"RIFF", "a WebP image"},         {"%PDF", "a PDF"}};
  for (const auto& kind : kKinds) {
    if (start.starts_with(kind.start)) return kind.what;
  }
  return "";
}

}  // namespace openworld
