#include <algorithm>
#include <cstring>

#include "fuzz/mutators/mutators.h"

namespace openworld {
namespace {

// Where an opcode with its arguments ends; Python's pickletools has the list.
std::size_t end_of_opcode(std::string_view text, std::size_t at) {
  const auto bytes = [&](std::size_t count) { return at + 1 + count; };
  const auto number = [&](std::size_t size) {
    std::uint32_t value = 0;
    if (at + 1 + size <= text.size()) std::memcpy(&value, text.data() + at + 1, size);
    return std::size_t{value};
  };
  const auto line = [&](std::size_t from) { return text.find('\n', from); };
  switch (static_cast<unsigned char>(text[at])) {
    case 'K':
    case 'q':
    case 'h':
    case 0x80:
      return bytes(1);
    case 'M':
      return bytes(2);
    case 'J':
    case 'r':
    case 'j':
      return bytes(4);
    case 'G':
    case 0x95:
      return bytes(8);
    case 0x8a:
    case 0x8c:
      return bytes(1 + number(1));
    case 'X':
      return bytes(4 + number(4));
    case 'c': {
      const std::size_t first = line(at);
      const std::size_t second = first == text.npos ? first : line(first + 1);
      return second == text.npos ? second : second + 1;
    }
    default:
      return bytes(0);
  }
}

std::vector<std::string> opcodes_of(const std::string& file) {
  std::vector<std::string> opcodes;
  for (std::size_t at = 0; at < file.size();) {
    const std::size_t end = std::min(end_of_opcode(file, at), file.size());
    opcodes.push_back(file.substr(at, end - at));
    at = end;
  }
  return opcodes;
}

// One of the same kind with another argument.
std::string with_argument(std::string opcode, Dice& dice) {
  const auto code = static_cast<unsigned char>(opcode[0]);
  if (code == 'X' || code == 0x8c || code == 0x8a) {
    const std::size_t prefix = code == 'X' ? 5 : 2;
    if (opcode.size() < prefix) return opcode;
    const std::string text = dice.bytes(opcode.substr(prefix), code == 'X' ? 300 : 255);
    const auto length = static_cast<std::uint32_t>(text.size());
    std::memcpy(opcode.data() + 1, &length, prefix - 1);
    return opcode.substr(0, prefix) + text;
  }
  static const std::vector<std::int64_t> numbers = {0,     1,     2,          -1,         255,
                                                    32767, 65535, 2147483647, -2147483648};
  if (opcode.size() == 1) return opcode;
  if (code == 'c') return "c" + dice.bytes(opcode.substr(1), 100) + "\n";
  const std::int64_t number = dice.of(numbers);
  std::memcpy(opcode.data() + 1, &number, std::min<std::size_t>(opcode.size() - 1, 8));
  return opcode;
}

std::string new_opcode(Dice& dice) {
  using std::string_literals::operator""s;
  static const std::vector<std::string> list = {"("s,
                                                "N"s,
                                                "\x88"s,
                                                "K\x01"s,
                                                "M\x00\x01"s,
                                                "J\xff\xff\xff\x7f"s,
                                                "\x8a\x08\0\0\0\0\0\0\0\x40"s,
                                                "G\x3f\xf0\0\0\0\0\0\0"s,
                                                "X\x01\0\0\0a"s,
                                                "\x8c\x01"
                                                "a"s,
                                                ")"s,
                                                "t"s,
                                                "\x85"s,
                                                "\x86"s,
                                                "\x87"s,
                                                "]"s,
                                                "a"s,
                                                "e"s,
                                                "}"s,
                                                "s"s,
                                                "u"s,
                                                "ctorch._utils\n_rebuild_tensor_v2\n"s,
                                                "ctorch._utils\n_rebuild_parameter\n"s,
                                                "ccollections\nOrderedDict\n"s,
                                                "ctorch\nFloatStorage\n"s,
                                                "c__torch__\nModule\n"s,
                                                "cos\nsystem\n"s,
                                                "\x93"s,
                                                "R"s,
                                                "\x81"s,
                                                "b"s,
                                                "Q"s,
                                                "q\x00"s,
                                                "r\0\0\0\1"s,
                                                "h\x00"s,
                                                "j\0\0\0\1"s,
                                                "\x94"s,
                                                "."s,
                                                "0"s,
                                                "2"s};
  return dice.of(list);
}

}  // namespace

std::string mutate_pickle(std::string file, std::size_t most, Dice& dice) {
  if (file.empty()) return file;
  std::vector<std::string> opcodes = opcodes_of(file);
  const std::size_t place = dice.below(opcodes.size()), other = dice.below(opcodes.size());
  const auto at = opcodes.begin() + static_cast<std::ptrdiff_t>(place);
  switch (dice.below(7)) {
    case 0:
      opcodes.erase(at);
      break;
    case 1: {
      const std::string copy = opcodes[other];
      opcodes.insert(at, copy);
      break;
    }
    case 2:
      std::swap(*at, opcodes[other]);
      break;
    case 3:
      opcodes.insert(at, new_opcode(dice));
      break;
    case 4: {  // a run of opcodes, again and again
      const auto end = at + static_cast<std::ptrdiff_t>(
                                1 + dice.below(std::min<std::size_t>(opcodes.size() - place, 16)));
      std::string run;
      for (auto i = at; i != end; ++i) run += *i;
      const std::size_t room = most > file.size() ? most - file.size() : 0;
      std::string added;
      for (std::size_t n = dice.repeats(run.size(), room); n > 0; --n) added += run;
      opcodes.insert(end, added);
      break;
    }
    default:
      *at = with_argument(*at, dice);
  }
  std::string result;
  for (const std::string& opcode : opcodes) result += opcode;
  return result;
}

}  // namespace openworld
