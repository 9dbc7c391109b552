#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace openworld {
namespace {

// JSON itself escapes the controls below U+0020; a terminal obeys U+007F to U+009F too.
std::string escape_controls(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto c = static_cast<unsigned char>(json[i]);
    const auto next = static_cast<unsigned char>(i + 1 < json.size() ? json[i + 1] : 0);
    if (c == 0x7f) {
      text += "\\u007f";
    } else if (c == 0xc2 && next >= 0x80 && next < 0xa0) {
      text += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      text += json[i];
    }
  }
  return text;
}

}  // namespace

void print_json(const nlohmann::ordered_json& json, int indent) {
  using Handler = nlohmann::ordered_json::error_handler_t;
  print_data(escape_controls(json.dump(indent, ' ', false, Handler::replace)) + "\n");
}

}  // namespace openworld
