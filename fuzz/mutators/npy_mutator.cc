#include <cstring>

#include "fuzz/mutators/mutators.h"

namespace openworld {
namespace {

// A header and how many bytes of data it asks for.
struct Header {
  std::string text;
  std::size_t data = 0;
};

Header make_header(Dice& dice) {
  struct Type {
    const char* code;
    std::size_t size;
  };
  static const std::vector<Type> types = {
      {"|b1", 1}, {"|i1", 1}, {"<i2", 2}, {">i4", 4}, {"<i8", 8}, {"|u1", 1},  {"<u4", 4},
      {">u8", 8}, {"<f2", 2}, {"<f4", 4}, {">f8", 8}, {"<f8", 8}, {"<U2", 8},  {">U1", 4},
      {"|S3", 3}, {"|O", 8},  {"<c8", 8}, {"<U0", 0}, {"|V4", 4}, {"<f16", 16}};
  const Type type = dice.of(types);
  std::size_t count = 1;
  std::string shape;
  for (std::size_t d = dice.below(4); d > 0; --d) {
    const std::size_t side = dice.one_in(16) ? std::size_t{1} << dice.below(64) : dice.below(6);
    count *= side;
    shape += std::to_string(side) + ", ";
  }
  std::string text = "{'descr': '" + std::string(type.code) +
                     "', 'fortran_order': " + (dice.one_in(3) ? "True" : "False") + ", 'shape': (" +
                     shape + "), }\n";
  return {std::move(text), count * type.size};
}

}  // namespace

std::string mutate_npy(std::string file, std::size_t most, Dice& dice) {
  constexpr std::size_t kMagic = 8;
  if (file.size() < kMagic + 4) return file;
  const std::size_t length_size = file[6] == 1 ? 2 : 4;
  std::uint32_t length = 0;
  std::memcpy(&length, file.data() + kMagic, length_size);
  const std::size_t begin = kMagic + length_size;
  if (length > file.size() - begin) return file;
  Header header{file.substr(begin, length), 0};
  std::string data = file.substr(begin + length);
  switch (dice.below(4)) {
    case 0:
      data = dice.bytes(data, most - std::min(most, begin + length));
      break;
    case 1:
      header.text = dice.bytes(header.text, header.text.size() + 64);
      break;
    default:
      header = make_header(dice);
      data.resize(std::min(header.data, most), '\1');
  }
  length = static_cast<std::uint32_t>(header.text.size());
  std::memcpy(file.data() + kMagic, &length, length_size);
  return file.substr(0, begin) + header.text + data;
}

}  // namespace openworld
