#include "openworld/worlds/icon_spec.h"

#include <algorithm>

#include "openworld/worlds/spec_text.h"

namespace openworld {
namespace {

constexpr std::string_view kIconWorld = "icons";

}  // namespace

std::string IconSpec::text() const {
  std::string text = std::string(kIconWorld) + ":" + theme->name;
  if (style) text += "@" + Icons::get().styles()[*style];
  return text;
}

bool is_icon_spec(std::string_view text) {
  return starts_as_world(text, kIconWorld, ":@");
}

IconSpec parse_icon_spec(const Origin& origin) {
  std::string_view text = origin.file;
  if (!is_icon_spec(text)) {
    origin.fail("is not a dataset of Icons; expected icons:NAME, optionally with @STYLE");
  }
  const Icons& icons = Icons::get();
  IconSpec spec{&icons.themes()[0], {}};
  std::string_view part;
  if (take_part(&text, '@', &part)) {
    const auto found = std::ranges::find(icons.styles(), part);
    if (found == icons.styles().end()) fail_unknown(origin, "style", part, icons.styles());
    spec.style = static_cast<std::size_t>(found - icons.styles().begin());
  }
  if (take_part(&text, ':', &part)) {
    const auto found = std::ranges::find(icons.themes(), part, &IconTheme::name);
    if (found == icons.themes().end()) {
      std::vector<std::string> known;
      for (const IconTheme& theme : icons.themes()) known.push_back(theme.name);
      fail_unknown(origin, "dataset", part, known);
    }
    spec.theme = &*found;
  }
  return spec;
}

}  // namespace openworld
