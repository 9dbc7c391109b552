#pragma once

// The .npy format of NumPy (NEP 1), versions 1.0, 2.0 and 3.0: one array with its dtype and shape.
//
//   "\x93NUMPY" major minor | header length | {'descr': '<f4', 'fortran_order': False, ...} | data
//
// Read strictly: the header is the dict literal that NumPy writes, with exactly its three keys, and
// the data are exactly as long as dtype and shape say. Object arrays (a pickle), structured,
// complex and time dtypes are refused.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/column.h"
#include "openworld/io/origin.h"

namespace openworld {

struct Dtype {
  enum class Kind : char {
    kBool = 'b',
    kInt = 'i',
    kUint = 'u',
    kFloat = 'f',
    kUnicode = 'U',  // UCS-4 code points, padded with NUL
    kBytes = 'S',    // bytes, padded with NUL
  };
  Kind kind = Kind::kBool;
  std::size_t size = 1;       // bytes of one item
  bool little_endian = true;  // also where the order does not matter

  bool is_integer() const {
    return kind == Kind::kBool || kind == Kind::kInt || kind == Kind::kUint;
  }
  bool is_text() const { return kind == Kind::kUnicode || kind == Kind::kBytes; }
  // As NumPy writes it: "<f4", "|b1", "<U7".
  std::string name() const;
};

// What stands before the data.
struct NpyHeader {
  Dtype dtype;
  std::vector<std::size_t> shape;
  bool fortran_order = false;
  std::size_t data_offset = 0;  // where the data start
  std::size_t count = 1;        // number of items, the product of the shape
  std::size_t data_size = 0;    // bytes of data; data_offset + data_size does not overflow
};

// A parsed array. `data` are the raw items in the order of the file.
struct NpyArray {
  std::string name;  // for messages: "score"
  NpyHeader header;
  Bytes data;
  std::uint64_t file_bytes = 0;  // of the file that it is in, which may be compressed
};

// No header that is accepted is longer: 32 dimensions of 20 digits and the rest of the literal.
inline constexpr std::size_t kMaxNpyHeader = 4096;

// Parses the header at the start of `bytes`, of which the first kMaxNpyHeader are enough. `name` is
// the array's, for messages. Throws Error.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, std::string_view name,
                           const Origin& origin);

// Parses a whole .npy. The result shares the owner of `bytes`. Throws Error.
NpyArray parse_npy(const Bytes& bytes, std::string_view name, const Origin& origin);

// "(3, 4)", as Python prints it.
std::string shape_text(std::span<const std::size_t> shape);

// The bytes before the data of a C-order array in format 1.0, a multiple of 64 long.
// REQUIRES: a shape of at most 32 dimensions.
std::string make_npy_header(const Dtype& dtype, std::span<const std::size_t> shape);

}  // namespace openworld
