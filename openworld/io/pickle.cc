#include "openworld/io/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "openworld/io/column.h"
#include "openworld/io/tensor_file.h"

namespace openworld {
namespace {

using Kind = PickleValue::Kind;

// Python's pickletools has these names and what each does.
enum Opcode : unsigned char {
  kProto = 0x80,
  kStop = '.',
  kMark = '(',
  kNone = 'N',
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kLong1 = 0x8a,
  kBinFloat = 'G',
  kBinUnicode = 'X',
  kShortBinUnicode = 0x8c,
  kEmptyTuple = ')',
  kTuple = 't',
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kEmptyList = ']',
  kAppend = 'a',
  kAppends = 'e',
  kEmptyDict = '}',
  kSetItem = 's',
  kSetItems = 'u',
  kGlobal = 'c',
  kStackGlobal = 0x93,
  kReduce = 'R',
  kNewObj = 0x81,
  kBuild = 'b',
  kBinPersId = 'Q',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kMemoize = 0x94,
  kFrame = 0x95,
};

// The functions that may be called; none is executed.
bool is_rebuild(const PickleValue& callee) {
  return callee.module == "torch._utils" &&
         (callee.text == "_rebuild_tensor_v2" || callee.text == "_rebuild_parameter");
}

bool is_ordered_dict(const PickleValue& callee) {
  return callee.module == "collections" && callee.text == "OrderedDict";
}

// TorchScript's modules, whose code is stored beside the pickle and is not read.
bool is_module_class(const PickleValue& callee) {
  return callee.module == "__torch__" || callee.module.starts_with("__torch__.");
}

bool is_storage_class(const PickleValue& callee) {
  return callee.module == "torch" &&
         std::any_of(tensor_types().begin(), tensor_types().end(),
                     [&](const TensorTypeRow& row) { return row.torch_storage == callee.text; });
}

class Machine {
 public:
  Machine(std::span<const std::byte> bytes, const Origin& origin)
      : rest_(as_text(bytes)), size_(bytes.size()), origin_(origin) {}

  Pickle run() {
    const auto protocol = rest_.size() < 2 ? 0 : static_cast<unsigned char>(rest_[1]);
    if (rest_.empty() || static_cast<unsigned char>(rest_[0]) != kProto || protocol < 2 ||
        protocol > 5) {
      origin_.fail(fmt::format("has a pickle that starts with {}; expected protocol 2 to 5",
                               in_quotes(rest_.substr(0, 2))));
    }
    take(2);
    while (step()) {
    }
    if (stack_.size() != 1 || !marks_.empty()) malformed("more or less than one value is left");
    pickle_.root = stack_[0];
    return std::move(pickle_);
  }

 private:
  [[noreturn]] void malformed(std::string_view what) const {
    origin_.fail(fmt::format("has a malformed pickle: {} at byte {}", what, size_ - rest_.size()));
  }

  std::string_view take(std::size_t size) {
    if (size > rest_.size()) malformed("it ends too early");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::string_view line() {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) malformed("a line without end");
    const std::string_view text = take(end);
    take(1);
    return text;
  }

  PickleValue& push(Kind kind) {
    if (pickle_.values.size() == kMaxPickleValues) {
      origin_.fail(fmt::format("has a pickle of more than {} values", kMaxPickleValues));
    }
    stack_.push_back(static_cast<PickleId>(pickle_.values.size()));
    pickle_.values.emplace_back().kind = kind;
    return pickle_.values.back();
  }
  void push_items(Kind kind, std::vector<PickleId> items) { push(kind).items = std::move(items); }

  // Only values above the last mark may be popped.
  PickleId pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) malformed("nothing on the stack");
    const PickleId id = stack_.back();
    stack_.pop_back();
    return id;
  }

  std::vector<PickleId> pop(std::size_t count) {
    std::vector<PickleId> items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    return items;
  }

  std::vector<PickleId> pop_to_mark() {
    if (marks_.empty()) malformed("no mark on the stack");
    std::vector<PickleId> items(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()),
                                stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
  }

  // The value on top, which stays there.
  PickleValue& top(Kind kind, std::string_view expected) {
    const PickleId id = pop();
    stack_.push_back(id);
    PickleValue& value = pickle_.values[id];
    if (value.kind != kind) malformed(fmt::format("expected {}", expected));
    return value;
  }

  void append(Kind kind, std::string_view expected, const std::vector<PickleId>& items) {
    if (kind == Kind::kDict && items.size() % 2 != 0) malformed("a key without value");
    PickleValue& value = top(kind, expected);
    value.items.insert(value.items.end(), items.begin(), items.end());
  }

  void push_class(std::string_view module, std::string_view name) {
    PickleValue& value = push(Kind::kClass);
    value.module = module;
    value.text = name;
    if (!is_rebuild(value) && !is_ordered_dict(value) && !is_module_class(value) &&
        !is_storage_class(value)) {
      const std::string full = fmt::format("{}.{}", module, name);
      const std::string quoted = in_quotes(full);
      origin_.fail(fmt::format("refuses global {}; only tensors and plain containers are read",
                               std::string_view(quoted).substr(1, quoted.size() - 2)));
    }
  }

  void reduce() {
    const PickleId arguments = pop(), callee = pop();
    const PickleValue& what = pickle_.values[callee];
    if (what.kind != Kind::kClass || pickle_.values[arguments].kind != Kind::kTuple) {
      malformed("a call of something other than a function on a tuple");
    }
    if (is_rebuild(what)) {
      push_items(Kind::kCall, {callee, arguments});
    } else if (is_ordered_dict(what) && pickle_.values[arguments].items.empty()) {
      push_items(Kind::kDict, {});
    } else {
      malformed(fmt::format("a call of {}", in_quotes(what.text)));
    }
  }

  void new_object() {
    const PickleId arguments = pop(), type = pop();
    if (pickle_.values[type].kind != Kind::kClass || !is_module_class(pickle_.values[type])) {
      malformed("an object of something other than a module class");
    }
    push_items(Kind::kObject, {type, arguments});
  }

  // Sets the state of an object. A dict may have attributes, too (state dicts have _metadata),
  // which are not kept.
  void build() {
    const PickleId state = pop(), id = pop();
    stack_.push_back(id);
    PickleValue& value = pickle_.values[id];
    if (value.kind == Kind::kDict) return;
    if (value.kind != Kind::kObject || value.items.size() != 2)
      malformed("a state without an object");
    value.items.push_back(state);
  }

  void push_long() {
    const std::string_view digits = take(number<std::uint8_t>());
    if (digits.size() > 8) {
      push(Kind::kBig);
      return;
    }
    std::uint64_t value = !digits.empty() && (digits.back() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
    for (std::size_t i = digits.size(); i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(digits[i]);
    }
    push(Kind::kInteger).integer = static_cast<std::int64_t>(value);
  }

  void stack_global() {
    const PickleId name = pop(), module = pop();
    if (pickle_.values[name].kind != Kind::kText || pickle_.values[module].kind != Kind::kText) {
      malformed("a global whose name is not a string");
    }
    push_class(pickle_.values[module].text, pickle_.values[name].text);
  }

  void put(std::uint32_t index) {
    const PickleId id = pop();
    stack_.push_back(id);
    memo_[index] = id;
  }

  void get(std::uint32_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) malformed(fmt::format("memo {} was never put", index));
    stack_.push_back(found->second);
  }

  // Runs one opcode; whether there is another.
  bool step();

  std::string_view rest_;
  std::size_t size_;
  const Origin& origin_;
  Pickle pickle_;
  std::vector<PickleId> stack_;
  std::vector<std::size_t> marks_;  // sizes of the stack
  std::unordered_map<std::uint32_t, PickleId> memo_;
};

bool Machine::step() {
  const auto opcode = number<unsigned char>();
  switch (opcode) {
    case kStop:
      return false;
    case kMark:
      marks_.push_back(stack_.size());
      break;
    case kNone:
      push(Kind::kNone);
      break;
    case kNewTrue:
    case kNewFalse:
      push(Kind::kBool).integer = opcode == kNewTrue;
      break;
    case kBinInt:
      push(Kind::kInteger).integer = number<std::int32_t>();
      break;
    case kBinInt1:
      push(Kind::kInteger).integer = number<std::uint8_t>();
      break;
    case kBinInt2:
      push(Kind::kInteger).integer = number<std::uint16_t>();
      break;
    case kLong1:
      push_long();
      break;
    case kBinFloat:
      push(Kind::kFloat).real = std::bit_cast<double>(__builtin_bswap64(number<std::uint64_t>()));
      break;
    case kBinUnicode:
      push(Kind::kText).text = take(number<std::uint32_t>());
      break;
    case kShortBinUnicode:
      push(Kind::kText).text = take(number<std::uint8_t>());
      break;
    case kEmptyTuple:
      push_items(Kind::kTuple, {});
      break;
    case kTuple1:
    case kTuple2:
    case kTuple3:
      push_items(Kind::kTuple, pop(opcode - kTuple1 + std::size_t{1}));
      break;
    case kTuple:
      push_items(Kind::kTuple, pop_to_mark());
      break;
    case kEmptyList:
      push_items(Kind::kList, {});
      break;
    case kAppend:
      append(Kind::kList, "a list", pop(1));
      break;
    case kAppends:
      append(Kind::kList, "a list", pop_to_mark());
      break;
    case kEmptyDict:
      push_items(Kind::kDict, {});
      break;
    case kSetItem:
      append(Kind::kDict, "a dict", pop(2));
      break;
    case kSetItems:
      append(Kind::kDict, "a dict", pop_to_mark());
      break;
    case kGlobal: {
      const std::string_view module = line();
      push_class(module, line());
      break;
    }
    case kStackGlobal:
      stack_global();
      break;
    case kReduce:
      reduce();
      break;
    case kNewObj:
      new_object();
      break;
    case kBuild:
      build();
      break;
    case kBinPersId:
      push_items(Kind::kPersistent, pop(1));
      break;
    case kBinPut:
      put(number<std::uint8_t>());
      break;
    case kLongBinPut:
      put(number<std::uint32_t>());
      break;
    case kMemoize:
      put(static_cast<std::uint32_t>(memo_.size()));
      break;
    case kBinGet:
      get(number<std::uint8_t>());
      break;
    case kLongBinGet:
      get(number<std::uint32_t>());
      break;
    case kFrame:
      number<std::uint64_t>();  // a hint on how much to read at once
      break;
    default:
      origin_.fail(fmt::format(
          "refuses pickle opcode 0x{:02x}; only tensors and plain containers are read", opcode));
  }
  return true;
}

}  // namespace

const PickleValue* Pickle::find(const PickleValue& dict, std::string_view key) const {
  if (dict.kind != Kind::kDict) return nullptr;
  for (std::size_t i = dict.items.size(); i >= 2; i -= 2) {
    const PickleValue& each = values[dict.items[i - 2]];
    if (each.kind == Kind::kText && each.text == key) return &values[dict.items[i - 1]];
  }
  return nullptr;
}

Pickle parse_pickle(std::span<const std::byte> bytes, const Origin& origin) {
  if (bytes.size() > kMaxPickle) {
    origin.fail(
        fmt::format("has a pickle of {} bytes; expected at most {}", bytes.size(), kMaxPickle));
  }
  return Machine(bytes, origin).run();
}

}  // namespace openworld
