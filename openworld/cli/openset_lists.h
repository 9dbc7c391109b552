#pragma once

// Lists of queries that `openworld openset` makes: random words and WordNet's siblings.

#include <cstddef>
#include <string>
#include <vector>

#include "openworld/cli/openset_flags.h"

namespace openworld {

// Lines of a text file, without empty ones.
std::vector<std::string> read_lines(const std::string& path);

// `count` words: the published ones, or of --word-list by --negative-seed.
std::vector<std::string> negative_words(const OpenSetFlags& flags, std::size_t count);

// --print-words and --print-siblings: on standard output, a query on each line or as JSON.
void print_words(const OpenSetFlags& flags);
void print_siblings(const OpenSetFlags& flags);

}  // namespace openworld
