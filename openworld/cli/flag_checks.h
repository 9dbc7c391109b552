#pragma once

// What a number on the command line has to be, refused by the name of its flag.

#include <CLI/CLI.hpp>

namespace openworld {

// 0 to 2^64 - 1 in digits. Without it CLI11 reads -1 as 2^64 - 1.
CLI::Validator whole_number();

// A level, a confidence, a rate: between 0 and 1, neither included.
CLI::Validator between_0_and_1();

// Any number but NaN.
CLI::Validator ordered_number();

// Any positive number but infinity.
CLI::Validator positive_number();

// Any number but NaN and the infinities.
CLI::Validator finite_number();

// Bytes, with K, M, G or T behind them.
CLI::Validator byte_count();

}  // namespace openworld
