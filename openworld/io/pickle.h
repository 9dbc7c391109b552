#pragma once

// Python pickles as data: what torch.save and TorchScript write is read, and nothing is executed.
//
// A pickle is a program for a stack machine. This one knows the opcodes that build plain values
// (protocol 2, which torch writes, and what protocols 4 and 5 write instead for the same values)
// and a closed list of classes, of which it makes inert records: a call of _rebuild_tensor_v2 is
// kept as the call and its arguments. Any other opcode or class is refused by name.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "openworld/io/origin.h"

namespace openworld {

using PickleId = std::uint32_t;  // of a value in a Pickle

struct PickleValue {
  enum class Kind {
    kNone,
    kBool,        // integer
    kInteger,     // integer
    kBig,         // a whole number beyond 64 bits, whose value is not kept
    kFloat,       // real
    kText,        // text, UTF-8 as the file has it
    kTuple,       // items
    kList,        // items
    kDict,        // items: key, value, key, value, ...
    kClass,       // module, text
    kCall,        // items: a class and its arguments, a tuple
    kObject,      // items: a class, its arguments and, once it was built, its state
    kPersistent,  // items: one id, which in torch names a storage
  };
  Kind kind = Kind::kNone;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view module;
  std::string_view text;
  std::vector<PickleId> items;
};

// Values refer to each other by number. Pickles may share values and have cycles; code that walks
// them must handle that.
struct Pickle {
  std::vector<PickleValue> values;
  PickleId root = 0;

  const PickleValue& operator[](PickleId id) const { return values[id]; }
  // The value of a text key in a dict, the last if there are several as in Python, or nullptr.
  const PickleValue* find(const PickleValue& dict, std::string_view key) const;
};

// That of ViT-L/14 has 60 KB. torch.save writes about seven bytes for a value, but an opcode of one
// byte is enough to make one, so their number has a limit of its own.
inline constexpr std::size_t kMaxPickle = std::size_t{1} << 20;
inline constexpr std::size_t kMaxPickleValues = std::size_t{1} << 18;

// Texts in the result are views of `bytes`. Throws Error.
Pickle parse_pickle(std::span<const std::byte> bytes, const Origin& origin);

}  // namespace openworld
