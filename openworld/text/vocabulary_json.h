#pragma once

// vocab.json of Hugging Face: one object, token to id.

#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/origin.h"

namespace openworld {

// The tokens by id. Throws Error unless the ids are 0, 1, ..., each once, of distinct tokens.
std::vector<std::string> parse_vocab_json(std::string_view json, const Origin& origin);

// The reverse.
std::string make_vocab_json(const std::vector<std::string>& tokens);

}  // namespace openworld
