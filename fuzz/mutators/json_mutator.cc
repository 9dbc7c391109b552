#include <algorithm>
#include <charconv>

#include "fuzz/mutators/mutators.h"

namespace openworld {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// A value, with the key before it if it has one.
struct Span {
  std::size_t begin = 0, end = 0;              // of the value
  std::size_t key_begin = kNone, key_end = 0;  // of the key, quotes included
  bool in_container = false;

  bool has_key() const { return key_begin != kNone; }
  std::size_t item_begin() const { return has_key() ? key_begin : begin; }
};

// Every value of a text that need not be valid; brackets that do not match are skipped.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Span> scan() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        take_string();
      } else if (c == '{' || c == '[') {
        open_.push_back({begin_value(at_++), c});
      } else if (c == '}' || c == ']') {
        ++at_;
        close(c == '}' ? '{' : '[');
      } else if (is_word(c)) {
        Span span = begin_value(at_);
        while (at_ < text_.size() && is_word(text_[at_])) ++at_;
        end_value(span);
      } else {
        ++at_;
      }
    }
    return std::move(spans_);
  }

 private:
  struct Open {
    Span span;
    char bracket;
  };

  static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '+' || c == '.';
  }

  Span begin_value(std::size_t at) {
    Span span{.begin = at, .in_container = !open_.empty()};
    if (key_begin_ != kNone) {
      span.key_begin = key_begin_;
      span.key_end = key_end_;
    }
    key_begin_ = kNone;
    return span;
  }

  void end_value(Span span) {
    span.end = at_;
    spans_.push_back(span);
  }

  void take_string() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    const std::size_t next = text_.find_first_not_of(" \t\r\n", at_);
    if (next != text_.npos && text_[next] == ':' && !open_.empty() && open_.back().bracket == '{') {
      key_begin_ = begin;
      key_end_ = at_;
      return;
    }
    end_value(begin_value(begin));
  }

  void close(char bracket) {
    if (open_.empty() || open_.back().bracket != bracket) return;
    const Span span = open_.back().span;
    open_.pop_back();
    key_begin_ = kNone;
    end_value(span);
  }

  std::string_view text_;
  std::size_t at_ = 0, key_begin_ = kNone, key_end_ = 0;
  std::vector<Open> open_;
  std::vector<Span> spans_;
};

const std::vector<std::string>& literals() {
  static const std::vector<std::string> list = {"0",
                                                "1",
                                                "-1",
                                                "2",
                                                "-0.0",
                                                "0.5",
                                                "1e308",
                                                "1e309",
                                                "-1e400",
                                                "1e-400",
                                                "2147483648",
                                                "9007199254740993",
                                                "9223372036854775807",
                                                "9223372036854775808",
                                                "18446744073709551615",
                                                "18446744073709551616",
                                                "-9223372036854775808",
                                                "null",
                                                "true",
                                                "false",
                                                "NaN",
                                                "[]",
                                                "{}",
                                                "\"\"",
                                                "\"a\"",
                                                "\"\\u0000\"",
                                                "\"\\ud800\"",
                                                "\"\\u001b[31m\"",
                                                "\"../a\"",
                                                "[[]]",
                                                "[1,2,3]",
                                                "{\"a\":1}",
                                                "\"\xc3\xa9\"",
                                                "\"\xff\"",
                                                "01",
                                                "1.",
                                                "\"1\""};
  return list;
}

std::string replaced(const std::string& text, std::size_t begin, std::size_t end,
                     std::string_view by) {
  std::string result = text.substr(0, begin);
  result.append(by).append(text, end);
  return result;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) result += c;
  }
  return result + '"';
}

// The item and a comma beside it.
std::string without(const std::string& text, const Span& span) {
  std::size_t begin = span.item_begin(), end = span.end;
  const std::size_t next = text.find_first_not_of(" \t\r\n", end);
  if (next != text.npos && text[next] == ',') {
    end = next + 1;
  } else if (begin > 0) {
    const std::size_t before = text.find_last_not_of(" \t\r\n", begin - 1);
    if (before != text.npos && text[before] == ',') begin = before;
  }
  return replaced(text, begin, end, "");
}

// The item again and again; keys with numbers half of the time, since equal ones are refused.
std::string repeated(const std::string& text, const Span& span, std::size_t most, Dice& dice) {
  const std::string item = text.substr(span.item_begin(), span.end - span.item_begin());
  const std::size_t room = most > text.size() ? most - text.size() : 0;
  const bool numbered = span.has_key() && !dice.one_in(4);
  const std::size_t key_size = numbered ? span.key_end - span.key_begin - 1 : 0;
  std::string added;
  const std::size_t count = dice.repeats(item.size() + (numbered ? 7 : 1), room);
  for (std::size_t i = 0; i < count; ++i) {
    added += ',';
    added += numbered ? item.substr(0, key_size) + std::to_string(i) + item.substr(key_size) : item;
  }
  return replaced(text, span.end, span.end, added);
}

std::string nested(const std::string& text, const Span& span, std::size_t most, Dice& dice) {
  const bool object = dice.one_in(2);
  const std::string open = object ? "{\"a\":" : "[", close = object ? "}" : "]";
  const std::size_t room = most > text.size() ? most - text.size() : 0;
  const std::size_t levels = dice.repeats(open.size() + close.size(), room);
  std::string value;
  for (std::size_t i = 0; i < levels; ++i) value += open;
  value.append(text, span.begin, span.end - span.begin);
  for (std::size_t i = 0; i < levels; ++i) value += close;
  return replaced(text, span.begin, span.end, value);
}

std::string nudged_number(std::string_view word, Dice& dice) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return dice.of(literals());
  const auto whole = static_cast<std::uint64_t>(value);
  const std::uint64_t changes[] = {whole + 1, whole - 1, whole * 2, whole << 31, ~whole};
  return std::to_string(static_cast<std::int64_t>(changes[dice.below(std::size(changes))]));
}

}  // namespace

std::string mutate_json(std::string text, std::size_t most, Dice& dice) {
  const std::vector<Span> spans = Scanner(text).scan();
  if (spans.empty()) return dice.bytes(std::move(text), most);
  const Span& span = dice.of(spans);
  const Span& other = dice.of(spans);
  const std::string_view value = std::string_view(text).substr(span.begin, span.end - span.begin);
  switch (dice.below(9)) {
    case 0:
      return replaced(text, span.begin, span.end, dice.of(literals()));
    case 1:
      return replaced(text, span.begin, span.end,
                      std::string_view(text).substr(other.begin, other.end - other.begin));
    case 2:
      if (span.in_container) return without(text, span);
      return replaced(text, span.begin, span.end, dice.of(literals()));
    case 3:
    case 4:
      return repeated(text, span, most, dice);
    case 5:
      return nested(text, span, most, dice);
    case 6:  // a key of another place
      if (!span.has_key() || !other.has_key()) return nested(text, span, most, dice);
      return replaced(text, span.key_begin, span.key_end,
                      text.substr(other.key_begin, other.key_end - other.key_begin));
    case 7: {  // the letters of a key or a text
      const bool key = span.has_key() && dice.one_in(2);
      if (!key && value.front() != '"') {
        return replaced(text, span.begin, span.end, nudged_number(value, dice));
      }
      const std::size_t begin = key ? span.key_begin : span.begin;
      const std::size_t end = key ? span.key_end : span.end;
      const std::string inside = end - begin < 2 ? "" : text.substr(begin + 1, end - begin - 2);
      const std::size_t room = most > text.size() ? most - text.size() : 0;
      return replaced(text, begin, end, quoted(dice.bytes(inside, inside.size() + room / 2)));
    }
    default:
      return replaced(text, span.begin, span.end, nudged_number(value, dice));
  }
}

}  // namespace openworld
