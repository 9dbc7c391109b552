#include "openworld/io/npy.h"

#include <fmt/format.h>

#include <cassert>
#include <charconv>
#include <cstdint>
#include <limits>

namespace openworld {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxDimensions = 32;  // NumPy's own limit
constexpr std::string_view kReadable =
    "expected bool, an integer of 1 to 8 bytes, a float of 2, 4 or 8 bytes, or text (U, S)";

// Reads the dict literal of the header, left to right, one character of lookahead.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view name, const Origin& origin)
      : text_(text), name_(name), origin_(origin) {}

  NpyHeader parse() {
    NpyHeader header;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = parse_string();
      expect(':');
      if (key == "descr" && !has_descr) {
        header.dtype = parse_dtype();
        has_descr = true;
      } else if (key == "fortran_order" && !has_order) {
        header.fortran_order = parse_bool();
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        header.shape = parse_shape();
        has_shape = true;
      } else {
        malformed(fmt::format("unexpected key {}", in_quotes(key)));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) malformed("text after the closing brace");
    if (!has_descr || !has_order || !has_shape) {
      malformed("expected the keys descr, fortran_order and shape");
    }
    return header;
  }

 private:
  [[noreturn]] void malformed(std::string_view what) const {
    origin_.fail(
        fmt::format("{} has a malformed npy header: {} at character {}", name_, what, at_));
  }

  [[noreturn]] void unreadable_dtype(std::string_view descr) const {
    origin_.fail(fmt::format("{} has dtype {}; {}", name_, descr, kReadable));
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) malformed(fmt::format("expected '{}'", c));
  }

  std::string_view parse_string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') malformed("expected a string");
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\') malformed("escape in a string");
      ++at_;
    }
    if (at_ == text_.size()) malformed("unterminated string");
    return text_.substr(begin, at_++ - begin);
  }

  bool parse_bool() {
    skip_space();
    for (const auto& [word, value] :
         {std::pair{std::string_view("True"), true}, std::pair{std::string_view("False"), false}}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    malformed("expected True or False");
  }

  std::size_t parse_number() {
    skip_space();
    std::size_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) malformed("number too large");
    if (error != std::errc()) malformed("expected a number of 0 or more");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  // (), (3,), (3, 4), (3, 4,); as in Python (3) is not a tuple.
  std::vector<std::size_t> parse_shape() {
    std::vector<std::size_t> shape;
    bool comma = true;
    expect('(');
    while (!accept(')')) {
      if (!comma) malformed("expected ',' or ')'");
      if (shape.size() == kMaxDimensions) malformed("more than 32 dimensions");
      shape.push_back(parse_number());
      comma = accept(',');
    }
    if (shape.size() == 1 && !comma) malformed("expected ',' in a shape of one dimension");
    return shape;
  }

  Dtype parse_dtype() {
    if (peek() == '[' || peek() == '(' || peek() == '{') unreadable_dtype("structured");
    const std::string_view descr = parse_string();
    const std::string shown = in_quotes(descr);
    std::string_view code = descr;
    Dtype dtype;
    char order = '=';
    if (!code.empty() && std::string_view("<>=|").find(code[0]) != std::string_view::npos) {
      order = code[0];
      code.remove_prefix(1);
    }
    if (code.starts_with('O')) {
      origin_.fail(
          fmt::format("{} is an object array, dtype {}, which is a pickle and is not loaded; "
                      "{}",
                      name_, shown, kReadable));
    }
    if (code.size() < 2 || std::string_view("biufUS").find(code[0]) == std::string_view::npos) {
      unreadable_dtype(shown);
    }
    dtype.kind = static_cast<Dtype::Kind>(code[0]);
    std::uint32_t digits = 0;
    const auto [end, error] = std::from_chars(code.data() + 1, code.data() + code.size(), digits);
    if (error != std::errc() || end != code.data() + code.size()) unreadable_dtype(shown);
    dtype.size = digits;
    bool known = false;
    switch (dtype.kind) {
      case Dtype::Kind::kBool:
        known = digits == 1;
        break;
      case Dtype::Kind::kInt:
      case Dtype::Kind::kUint:
        known = digits == 1 || digits == 2 || digits == 4 || digits == 8;
        break;
      case Dtype::Kind::kFloat:
        known = digits == 2 || digits == 4 || digits == 8;
        break;
      case Dtype::Kind::kUnicode:
        dtype.size = std::size_t{4} * digits;
        known = digits > 0;
        break;
      case Dtype::Kind::kBytes:
        known = digits > 0;
        break;
    }
    if (!known) unreadable_dtype(shown);
    const bool single_byte = dtype.size == 1 || dtype.kind == Dtype::Kind::kBytes;
    if (order == '|' && !single_byte) unreadable_dtype(shown);
    // '=' means the order of the machine that reads, and this code runs on little-endian ones.
    dtype.little_endian = order != '>' || single_byte;
    return dtype;
  }

  std::string_view text_;
  std::string_view name_;
  const Origin& origin_;
  std::size_t at_ = 0;
};

std::size_t little_endian_number(std::span<const std::byte> bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | std::to_integer<unsigned>(bytes[i]);
  return value;
}

}  // namespace

std::string Dtype::name() const {
  const bool text = kind == Kind::kUnicode;
  const bool single_byte = size == 1 || kind == Kind::kBytes;
  const char order = single_byte && !text ? '|' : little_endian ? '<' : '>';
  return fmt::format("{}{}{}", order, static_cast<char>(kind), text ? size / 4 : size);
}

std::string shape_text(std::span<const std::size_t> shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape[0]);
  return fmt::format("({})", fmt::join(shape, ", "));
}

NpyHeader parse_npy_header(std::span<const std::byte> bytes, std::string_view name,
                           const Origin& origin) {
  const std::string_view text = as_text(bytes);
  if (!text.starts_with(kMagic)) {
    origin.fail(fmt::format("{} is not in npy format: it starts with {}; expected \"\\x93NUMPY\"",
                            name, in_quotes(text.substr(0, kMagic.size()))));
  }
  const auto require = [&](std::size_t size) {
    if (bytes.size() < size) {
      origin.fail(fmt::format("{} is truncated in its npy header: {} bytes; expected at least {}",
                              name, bytes.size(), size));
    }
  };
  require(8);
  const int major = text[6], minor = text[7];
  if (major < 1 || major > 3 || minor != 0) {
    origin.fail(fmt::format("{} has npy format version {}.{}; expected 1.0, 2.0 or 3.0", name,
                            std::to_integer<int>(bytes[6]), std::to_integer<int>(bytes[7])));
  }
  const std::size_t prefix = major == 1 ? 10 : 12;
  require(prefix);
  const std::size_t length = little_endian_number(bytes.subspan(8, prefix - 8));
  if (length > kMaxNpyHeader - prefix) {
    origin.fail(fmt::format("{} has an npy header of {} bytes; expected at most {}", name, length,
                            kMaxNpyHeader - prefix));
  }
  require(prefix + length);

  NpyHeader header = HeaderParser(text.substr(prefix, length), name, origin).parse();
  header.data_offset = prefix + length;
  // Half of the address space, so that sums of two sizes cannot overflow either. A zero among the
  // dimensions empties the array but does not excuse the others.
  constexpr std::size_t kLimit = std::numeric_limits<std::size_t>::max() / 2;
  std::size_t nonzero = header.dtype.size;
  for (const std::size_t n : header.shape) {
    header.count *= n;
    if (n != 0 && __builtin_mul_overflow(nonzero, n, &nonzero)) nonzero = kLimit + 1;
    if (nonzero > kLimit) {
      origin.fail(fmt::format("{} has shape {}, more bytes than can be addressed", name,
                              shape_text(header.shape)));
    }
  }
  header.data_size = header.count * header.dtype.size;
  return header;
}

NpyArray parse_npy(const Bytes& bytes, std::string_view name, const Origin& origin) {
  NpyArray array{std::string(name), parse_npy_header(bytes.values, name, origin), {}, bytes.size()};
  const NpyHeader& header = array.header;
  const std::size_t available = bytes.size() - header.data_offset;
  if (available != header.data_size) {
    origin.fail(fmt::format("{} has {} bytes of data; expected {} for dtype {} and shape {}", name,
                            available, header.data_size, header.dtype.name(),
                            shape_text(header.shape)));
  }
  array.data = {bytes.values.subspan(header.data_offset), bytes.owner};
  return array;
}

std::string make_npy_header(const Dtype& dtype, std::span<const std::size_t> shape) {
  assert(shape.size() <= kMaxDimensions);
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                 dtype.name(), shape_text(shape));
  constexpr std::size_t kPrefix = 10, kAlignment = 64;
  const std::size_t unpadded = kPrefix + dict.size() + 1;
  dict.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  dict += '\n';
  std::string header(kMagic);
  header +=
      {'\x01', '\x00', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return header + dict;
}

}  // namespace openworld
