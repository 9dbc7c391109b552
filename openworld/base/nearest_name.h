#pragma once

// Names as users write them: spelling suggestions for error messages, and names that are the same.

#include <span>
#include <string>
#include <string_view>

namespace openworld {

// The name in `known` with the smallest edit distance to `name`, regardless of ASCII case, the
// first one on ties; "" if more than half of the letters would have to change. Of the first 10,000,
// and up to 100 bytes long.
std::string nearest_name(std::string_view name, std::span<const std::string> known);

// "did you mean auroc? ", or "".
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

// "did you mean chalk? There are plain, chalk", or "there are plain, chalk". Of more than 100 names
// the first.
std::string known_names(std::string_view name, std::span<const std::string> known);

// Whether two names of rows are the same, regardless of ASCII case, '-' and '_'.
bool is_same_name(std::string_view a, std::string_view b);

}  // namespace openworld
