#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/text/tokenizer.h"

namespace openworld {

// Calls `refuse` with the place of the first text that has more tokens than a model's context, and
// with what is wrong with it: before any is encoded.
void check_text_lengths(const std::vector<std::string>& texts, const Tokenizer& tokenizer,
                        std::int64_t context,
                        const std::function<void(std::size_t, std::string_view)>& refuse);

}  // namespace openworld
