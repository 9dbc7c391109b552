#pragma once

// The values of an .npy as the types the project computes with. Every conversion is exact or is
// refused with the row; where dtype, byte order and alignment already fit, nothing is copied.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/column.h"
#include "openworld/io/npy.h"
#include "openworld/io/origin.h"

namespace openworld {

// Throws Error unless the array has `dimensions` dimensions.
void require_dimensions(const NpyArray& array, std::size_t dimensions, const Origin& origin);

// Bool and integer arrays as T: int8_t, uint8_t or int32_t. Error if a value does not fit; it ends
// with `expected`, say "0 or 1".
template <class T>
Column<T> to_integers(const NpyArray& array, std::string_view expected, const Origin& origin);

// f2 and f4 as float, f8 as double; bool and integers as double if they are at most 2^53 in
// magnitude. Multi-dimensional arrays stay in the order of the file.
FloatColumn to_floats(const NpyArray& array, const Origin& origin);

// What a text is taken to need: 32 bytes as a string, and an entry of an index or a row of a table
// in what reads it. A compressed file has a thousand texts in a byte.
inline constexpr std::size_t kStringBytes = 128;

// U and S arrays as UTF-8, without the NULs that pad them. Throws Error for more of them than the
// file may take memory (memory_limit.h).
std::vector<std::string> to_strings(const NpyArray& array, const Origin& origin);

// A table of numbers, by rows (C order) or by columns (Fortran order), as the file has it.
struct Matrix {
  FloatColumn values;
  std::size_t rows = 0;
  std::size_t columns = 0;
  bool fortran_order = false;
};

// A two-dimensional array with at least one column.
Matrix to_matrix(const NpyArray& array, const Origin& origin);

}  // namespace openworld
