#include "openworld/io/tar.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace openworld {
namespace {

// A fuzzer cannot guess a checksum and would never get past the first header.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
constexpr bool kCheckHeaders = false;
#else
constexpr bool kCheckHeaders = true;
#endif

constexpr std::size_t kTarBlock = 512;
constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxPax = std::size_t{1} << 20;  // a record for each of a file's attributes

struct Field {
  std::size_t offset, size;
};
constexpr Field kName = {0, 100}, kSize = {124, 12}, kChecksum = {148, 8}, kTarMagic = {257, 5},
                kNamePrefix = {345, 155};
constexpr std::size_t kType = 156;

// Text up to the first NUL.
std::string_view until_nul(std::string_view text) {
  return text.substr(0, text.find('\0'));
}

class TarReader {
 public:
  TarReader(std::span<const std::byte> bytes, const Origin& origin)
      : text_(as_text(bytes)), origin_(origin) {}

  std::vector<TarMember> read() {
    std::vector<TarMember> members;
    while (next_header()) {
      const std::uint64_t size = number(kSize, "size");
      switch (block_[kType]) {
        case '0':
        case '\0':
        case '7':  // contiguous file: read as a regular one
          take_member(pending_size_.value_or(size), &members);
          break;
        case 'L':
          pending_name_ = std::string(until_nul(take_data(size, kMaxPath + 1, "long name")));
          break;
        case 'x':
          read_pax(take_data(size, kMaxPax, "pax header"));
          break;
        case 'S':
          fail("is a sparse file; expected plain ones");
        case '1':  // links, devices, folders and pipes have no data, even if their size is not 0
        case '2':
        case '3':
        case '4':
        case '5':
        case '6':
          forget_pending();
          break;
        case 'K':
        case 'g':
          take_data(size, text_.size(), "header");
          break;
        default:
          take_data(pending_size_.value_or(size), text_.size(), "data");
          forget_pending();
      }
    }
    return members;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    origin_.fail(fmt::format("tar member at offset {} {}", header_, what));
  }

  std::string_view field(Field f) const { return block_.substr(f.offset, f.size); }

  // Octal digits between spaces and NULs, or, with the high bit set, a big-endian number.
  std::uint64_t number(Field f, std::string_view what) const {
    std::string_view text = field(f);
    const auto bad = [&] {
      fail(fmt::format("has {} {}; expected a number in octal", what, in_quotes(field(f))));
    };
    std::uint64_t value = 0;
    if (static_cast<unsigned char>(text[0]) & 0x80) {
      for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (value >> 55 != 0) bad();
        value = value << 8 | (i == 0 ? byte & 0x7f : byte);
      }
      return value;
    }
    while (text.starts_with(' ')) text.remove_prefix(1);
    text = text.substr(0, text.find_first_of(std::string_view(" \0", 2)));
    if (text.empty()) return 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
    if (error != std::errc() || end != text.data() + text.size()) bad();
    return value;
  }

  // Steps to the next header; false at the end.
  bool next_header() {
    header_ = at_;
    const std::size_t left = text_.size() - at_;
    if (left == 0) {
      if (pending_name_ || pending_size_) fail("is missing after its long name");
      return false;
    }
    if (left < kTarBlock) fail(fmt::format("is cut off after {} bytes of its header", left));
    block_ = text_.substr(at_, kTarBlock);
    if (block_.find_first_not_of('\0') == std::string_view::npos) return false;
    check_sum();
    at_ += kTarBlock;
    return true;
  }

  // The sum of the header's bytes, with spaces for the sum itself.
  void check_sum() const {
    if (!kCheckHeaders) return;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kTarBlock; ++i) {
      const bool inside = i >= kChecksum.offset && i < kChecksum.offset + kChecksum.size;
      sum += inside ? ' ' : static_cast<unsigned char>(block_[i]);
    }
    const std::uint64_t stored = number(kChecksum, "checksum");
    if (sum != stored) {
      fail(fmt::format(
          "has checksum {} in its header; expected {}: not a tar file, or a damaged one", stored,
          sum));
    }
  }

  // The data after the header; the next header starts on the block after them.
  std::string_view take_data(std::uint64_t size, std::size_t limit, std::string_view what) {
    const std::size_t left = text_.size() - at_;
    if (size > left) {
      fail(fmt::format("has {} of {} bytes; only {} are left in the file", what, size, left));
    }
    if (size > limit)
      fail(fmt::format("has a {} of {} bytes; expected at most {}", what, size, limit));
    const std::string_view data = text_.substr(at_, size);
    at_ = std::min<std::size_t>(at_ + (size + kTarBlock - 1) / kTarBlock * kTarBlock, text_.size());
    return data;
  }

  // Records "25 path=some/long/name\n", each with its own length in front.
  void read_pax(std::string_view text) {
    while (!text.empty()) {
      std::size_t length = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
      const auto digits = static_cast<std::size_t>(end - text.data());
      if (error != std::errc() || length > text.size() || length < digits + 3 ||
          text[digits] != ' ' || text[length - 1] != '\n') {
        fail("has a damaged pax header");
      }
      const std::string_view record = text.substr(digits + 1, length - digits - 2);
      text.remove_prefix(length);
      const std::size_t equals = record.find('=');
      if (equals == std::string_view::npos) fail("has a pax record without '='");
      take_pax(record.substr(0, equals), record.substr(equals + 1));
    }
  }

  void take_pax(std::string_view key, std::string_view value) {
    if (key.starts_with("GNU.sparse.")) fail("is a sparse file; expected plain ones");
    if (key == "path") pending_name_ = std::string(value);
    if (key == "size") {
      std::uint64_t size = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), size);
      if (error != std::errc() || end != value.data() + value.size()) {
        fail(fmt::format("has the pax size {}; expected a number", in_quotes(value)));
      }
      pending_size_ = size;
    }
  }

  void take_member(std::uint64_t size, std::vector<TarMember>* members) {
    TarMember member;
    if (pending_name_) {
      member.name = std::move(*pending_name_);
    } else {
      const bool ustar = field(kTarMagic) == "ustar";
      // GNU's form has other things where ustar has the prefix.
      const bool has_prefix = ustar && block_[kTarMagic.offset + kTarMagic.size] == '\0';
      const std::string_view prefix =
          has_prefix ? until_nul(field(kNamePrefix)) : std::string_view();
      member.name =
          fmt::format("{}{}{}", prefix, prefix.empty() ? "" : "/", until_nul(field(kName)));
    }
    if (member.name.size() > kMaxPath) {
      fail(
          fmt::format("has a name of {} bytes; expected at most {}", member.name.size(), kMaxPath));
    }
    member.offset = at_;
    member.size = size;
    take_data(size, text_.size(), "data");
    // V7 marks a folder only by its name.
    if (!member.name.ends_with('/')) members->push_back(std::move(member));
    forget_pending();
  }

  void forget_pending() {
    pending_name_.reset();
    pending_size_.reset();
  }

  std::string_view text_;
  const Origin& origin_;
  std::size_t at_ = 0;
  std::size_t header_ = 0;  // where the current header starts
  std::string_view block_;
  std::optional<std::string> pending_name_;  // from a GNU or pax header before
  std::optional<std::uint64_t> pending_size_;
};

}  // namespace

TarArchive::TarArchive(Bytes bytes, Origin origin)
    : bytes_(std::move(bytes)), origin_(std::move(origin)) {
  if (bytes_.empty()) origin_.fail("is empty; expected a tar archive");
  members_ = TarReader(bytes_.values, origin_).read();
}

}  // namespace openworld
