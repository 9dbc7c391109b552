#include "openworld/detection/json_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "openworld/base/error.h"
#include "openworld/detection/json_values.h"

namespace openworld {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 20;
constexpr std::size_t kMaxItem = std::size_t{256} << 20;

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// The characters that matter to the outer structure, outside of strings.
constexpr auto kStructural = [] {
  std::array<bool, 256> is{};
  for (const char c : {'"', '{', '}', '[', ']', ','}) is[static_cast<unsigned char>(c)] = true;
  return is;
}();

// Where the string that begins before `at` ends: just behind its closing quote, or npos.
std::size_t string_end(const char* data, std::size_t at, std::size_t end) {
  while (at < end) {
    if (data[at] == '"') return at + 1;
    at += data[at] == '\\' ? 2 : 1;
  }
  return std::string::npos;
}

// Follows the nesting of brackets: where items end.
class Nesting {
 public:
  enum class Found { kNothing, kComma, kClose };

  // Moves `at` on to the next comma or closing bracket of the outer container, or to `end`.
  Found next(const char* data, std::size_t& at, std::size_t end) {
    while (at < end) {
      if (in_string_) {
        if (!skip_string(data, at, end)) return Found::kNothing;
        continue;
      }
      while (at < end && !kStructural[static_cast<unsigned char>(data[at])]) ++at;
      if (at == end) break;
      switch (data[at]) {
        case '"':
          in_string_ = true;
          break;
        case '{':
        case '[':
          ++depth_;
          break;
        case ',':
          if (depth_ == 0) return Found::kComma;
          break;
        default:
          if (depth_ == 0) return Found::kClose;
          --depth_;
      }
      ++at;
    }
    return Found::kNothing;
  }

 private:
  // False where the string goes on behind `end`.
  bool skip_string(const char* data, std::size_t& at, std::size_t end) {
    for (; at < end; ++at) {
      if (escaped_) {
        escaped_ = false;
      } else if (data[at] == '\\') {
        escaped_ = true;
      } else if (data[at] == '"') {
        in_string_ = false;
        ++at;
        return true;
      }
    }
    return false;
  }

  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

// What Python writes for numbers that JSON does not have.
std::string_view not_finite(std::string_view text) {
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && in_string) {
      ++i;
    } else if (text[i] == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      for (const std::string_view word : {"NaN", "Infinity"}) {
        if (text.substr(i).starts_with(word)) return word;
      }
    }
  }
  return {};
}

}  // namespace

JsonStream::JsonStream(const JsonInput& input) : origin_(input.origin), bytes_(input.bytes) {
  if (bytes_) {
    size_ = bytes_->size();
  } else {
    // O_NONBLOCK so that a named pipe is refused below instead of waited for.
    file_ = ::open(origin_.file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file_ < 0) origin_.fail(fmt::format("cannot open: {}", std::strerror(errno)));
    struct stat status;
    const bool known = ::fstat(file_, &status) == 0;
    if (!known || !S_ISREG(status.st_mode)) {
      const bool folder = known && S_ISDIR(status.st_mode);
      ::close(file_);
      origin_.fail(folder ? "is a directory; expected a file"
                          : "is not a regular file; expected one");
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  const std::uint64_t window = std::min<std::uint64_t>(kWindow, size_ + 1);
  buffer_.resize(kSpare + window + simdjson::SIMDJSON_PADDING);
  if (size_ == 0) {
    if (file_ >= 0) ::close(file_);
    origin_.fail("is empty; expected JSON");
  }
}

JsonStream::~JsonStream() {
  if (file_ >= 0) ::close(file_);
}

std::size_t JsonStream::read_some(char* data, std::size_t size) {
  if (bytes_) {
    const std::size_t take = std::min(size, bytes_->size() - bytes_used_);
    std::memcpy(data, bytes_->values.data() + bytes_used_, take);
    bytes_used_ += take;
    return take;
  }
  while (true) {
    const ssize_t got = ::read(file_, data, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) origin_.fail(fmt::format("cannot read: {}", std::strerror(errno)));
  }
}

// Reads more behind the window, which first moves to the front of the buffer, and grows if it is
// full. False at the end of the input.
bool JsonStream::fill() {
  const std::size_t room = buffer_.size() - simdjson::SIMDJSON_PADDING;
  if (position_ > kSpare) {
    std::memmove(buffer_.data() + kSpare, buffer_.data() + position_, end_ - position_);
    consumed_ += position_ - kSpare;
    end_ -= position_ - kSpare;
    position_ = kSpare;
  } else if (end_ == room) {
    if (buffer_.size() >= kMaxItem) {
      origin_.fail(fmt::format("has an item of more than {} MiB at byte {}; expected smaller ones",
                               kMaxItem >> 20, consumed_));
    }
    buffer_.resize(2 * buffer_.size());
  }
  const std::size_t free = buffer_.size() - simdjson::SIMDJSON_PADDING - end_;
  const std::size_t got = read_some(buffer_.data() + end_, free);
  end_ += got;
  return got > 0;
}

char JsonStream::peek() {
  while (true) {
    while (position_ < end_ && is_space(buffer_[position_])) ++position_;
    if (position_ < end_) return buffer_[position_];
    if (!fill()) return 0;
  }
}

char JsonStream::take() {
  const char c = peek();
  if (c != 0) ++position_;
  return c;
}

void JsonStream::expect(char wanted, std::string_view what) {
  const char c = peek();
  if (c == 0) origin_.fail(fmt::format("ends after {} bytes; expected {}", size_, what));
  if (c != wanted) {
    origin_.fail(fmt::format("has {} at byte {}; expected {}", in_quotes(std::string_view(&c, 1)),
                             bytes_read(), what));
  }
  ++position_;
}

void JsonStream::open_object(std::string_view name) {
  expect('{', fmt::format("{}, an object", name));
  first_key_.push_back(true);
}

bool JsonStream::next_key(std::string& key) {
  const bool first = first_key_.back();
  first_key_.back() = false;
  if (first && peek() == '}') {
    take();
    first_key_.pop_back();
    return false;
  }
  if (!first) {
    if (peek() == '}') {
      take();
      first_key_.pop_back();
      return false;
    }
    expect(',', "a comma or the end of an object");
  }
  if (peek() != '"') expect('"', "a key");
  std::size_t stop;
  while ((stop = string_end(buffer_.data(), position_ + 1, end_)) == std::string::npos ||
         stop > end_) {
    if (!fill()) origin_.fail(fmt::format("ends after {} bytes, within a key", size_));
  }
  // parse() takes whole documents, and a string is one; its brackets are the quotes.
  const std::string_view text = parse(position_, stop, "a key").get_string().value();
  key = text;
  position_ = stop;
  expect(':', "a colon behind a key");
  return true;
}

void JsonStream::skip_value() {
  const char first = peek();
  if (first == 0) origin_.fail(fmt::format("ends after {} bytes; expected a value", size_));
  // The brackets of a value are nested like those of any item; it ends where the comma or bracket
  // behind it stands. What has been seen is dropped.
  Nesting nesting;
  while (true) {
    if (nesting.next(buffer_.data(), position_, end_) != Nesting::Found::kNothing) return;
    if (!fill()) return;  // the caller misses what comes behind it
  }
}

JsonStream::Element JsonStream::value(std::string_view name) {
  peek();
  Nesting nesting;
  std::size_t at = position_;
  while (nesting.next(buffer_.data(), at, end_) == Nesting::Found::kNothing) {
    const std::size_t ahead = at - position_;
    const bool more = fill();
    at = position_ + ahead;
    if (!more) break;
  }
  const std::size_t begin = position_;
  position_ = at;
  return parse(begin, at, name);
}

JsonStream::Element JsonStream::parse(std::size_t begin, std::size_t end, std::string_view what) {
  Element element;
  const auto error =
      parser_.parse(buffer_.data() + begin, end - begin, /*realloc_if_needed=*/false).get(element);
  if (error) {
    origin_.fail(fmt::format("{} at byte {} is not valid JSON: {}", what,
                             consumed_ + begin - kSpare, simdjson::error_message(error)));
  }
  return element;
}

// The extent of as many whole items as the window holds, one at least.
JsonStream::Items JsonStream::take_items(char close, std::string_view name, std::size_t done) {
  Nesting nesting;
  std::size_t at = position_, stop = 0;
  while (true) {
    const auto found = nesting.next(buffer_.data(), at, end_);
    if (found == Nesting::Found::kComma) {
      stop = at++;
    } else if (found == Nesting::Found::kClose) {
      if (buffer_[at] != close) {
        origin_.fail(
            fmt::format("has a bracket that does not fit at byte {}", consumed_ + at - kSpare));
      }
      return {position_, at, true};
    } else if (stop > 0) {
      return {position_, stop, false};
    } else {
      const std::size_t ahead = at - position_;
      const bool more = fill();
      at = position_ + ahead;
      if (!more) origin_.fail(fmt::format("ends after {} bytes, within {} {}", size_, name, done));
    }
  }
}

void JsonStream::each_window(char open, char close, std::string_view name,
                             const std::function<void(Element, std::size_t)>& f) {
  expect(open, fmt::format("{}", open == '[' ? "an array" : "an object"));
  if (peek() == close) {
    take();
    return;
  }
  std::size_t done = 0;
  while (true) {
    if (peek() == 0)
      origin_.fail(fmt::format("ends after {} bytes, behind {} {}", size_, name, done));
    const Items items = take_items(close, name, done);
    char& before = buffer_[items.begin - 1];
    char& behind = buffer_[items.end];
    const char kept_before = before, kept_behind = behind;
    before = open;
    behind = close;
    Element window;
    const auto error = parser_
                           .parse(buffer_.data() + items.begin - 1, items.end - items.begin + 2,
                                  /*realloc_if_needed=*/false)
                           .get(window);
    if (error) fail_item(items, open, close, name, done);
    const std::size_t count = open == '[' ? json_array(window).size() : json_object(window).size();
    if (count == 0)
      origin_.fail(fmt::format("has no item behind the comma after {} {}", name, done));
    f(window, done);
    done += count;
    before = kept_before;
    behind = kept_behind;
    position_ = items.end + 1;
    if (items.last) return;
  }
}

// Finds the item that made a window unreadable. `items` stands in its brackets.
void JsonStream::fail_item(const Items& items, char open, char close, std::string_view name,
                           std::size_t done) {
  Nesting nesting;
  std::size_t begin = items.begin;
  std::size_t at = begin;
  simdjson::dom::parser parser;
  while (begin < items.end) {
    if (nesting.next(buffer_.data(), at, items.end) == Nesting::Found::kNothing) at = items.end;
    std::string text = open + std::string(buffer_.data() + begin, at - begin) + close;
    Element item;
    if (const auto error = parser.parse(text).get(item)) {
      const std::string_view word = not_finite(text);
      if (!word.empty()) {
        origin_.fail(fmt::format("{} {} has {}, which is not JSON; expected finite numbers", name,
                                 done, word));
      }
      origin_.fail(fmt::format("{} {} at byte {} is not valid JSON: {}", name, done,
                               consumed_ + begin - kSpare, simdjson::error_message(error)));
    }
    ++done;
    begin = ++at;
  }
  origin_.fail(fmt::format("is not valid JSON near {} {}", name, done));
}

void JsonStream::each_item(std::string_view name,
                           const std::function<void(std::size_t, Element)>& f) {
  each_window('[', ']', name, [&](Element window, std::size_t done) {
    for (const Element item : json_array(window)) f(done++, item);
  });
}

void JsonStream::each_member(std::string_view name,
                             const std::function<void(std::string_view, Element)>& f) {
  each_window('{', '}', name, [&](Element window, std::size_t) {
    for (const auto [key, item] : json_object(window)) f(key, item);
  });
}

void JsonStream::finish() {
  if (peek() != 0) {
    origin_.fail(fmt::format("has more behind the end of its JSON, at byte {}", bytes_read()));
  }
}

}  // namespace openworld
