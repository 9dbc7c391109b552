#include "openworld/report/swatch.h"

#include <fmt/format.h>

#include "openworld/report/svg_axes.h"

namespace openworld {

std::string swatch(std::size_t series) {
  return fmt::format(
      "<svg class=\"dot\" viewBox=\"0 0 18 10\" aria-hidden=\"true\"><path d=\"M0 5H18\" "
      "stroke=\"{}\"{}/></svg>",
      series_colour(series, SvgLook::kPage), dashes_attribute(series));
}

}  // namespace openworld
