#include "openworld/text/vocabulary.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include "openworld/base/text_map.h"
#include "openworld/io/utf8.h"
#include "openworld/text/vocabulary_json.h"

namespace openworld {
namespace {

constexpr std::size_t kFixedTokens = 2 * 256 + 2;

using TokenIds = TextViewMap<std::int32_t>;

// Bytes that stand for themselves, in the order of their ids; the others follow from U+0100 on.
bool is_printable(int byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

char32_t symbol_point(unsigned char byte) {
  if (is_printable(byte)) return byte;
  char32_t point = 0x100;
  for (int b = 0; b < byte; ++b) point += !is_printable(b);
  return point;
}

std::vector<unsigned char> bytes_by_id() {
  std::vector<unsigned char> bytes;
  for (const bool printable : {true, false}) {
    for (int b = 0; b < 256; ++b) {
      if (is_printable(b) == printable) bytes.push_back(static_cast<unsigned char>(b));
    }
  }
  return bytes;
}

// The lines of a merges file after its comment, without the empty ones at its end.
class MergeLines {
 public:
  MergeLines(std::string_view text, const Origin& origin) : text_(text), origin_(origin) {
    while (text_.ends_with('\n') || text_.ends_with('\r')) text_.remove_suffix(1);
    if (take_line().find("#version") == std::string_view::npos) {
      fail("has no \"#version\"; expected a comment with it before the first merge");
    }
  }

  // The two tokens of the next line, or nothing at the end.
  std::optional<std::pair<std::string_view, std::string_view>> next() {
    if (text_.empty()) return std::nullopt;
    const std::string_view line = take_line();
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || space == 0 || space + 1 == line.size() ||
        line.find(' ', space + 1) != std::string_view::npos) {
      fail(fmt::format("is {}; expected two tokens with one space between them", in_quotes(line)));
    }
    return std::pair{line.substr(0, space), line.substr(space + 1)};
  }

  [[noreturn]] void fail(std::string_view what) const {
    origin_.fail(fmt::format("line {} {}", line_, what));
  }

 private:
  std::string_view take_line() {
    ++line_;
    const std::size_t end = text_.find('\n');
    std::string_view line = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  std::string_view text_;
  const Origin& origin_;
  std::size_t line_ = 0;
};

// Looks the merges up among the tokens. At most `limit` lines are used.
void resolve_merges(MergeLines lines, std::size_t limit, const TokenIds& ids,
                    Vocabulary* vocabulary) {
  const auto id_of = [&](std::string_view token, std::string_view what) {
    const auto found = ids.find(token);
    if (found == ids.end()) {
      lines.fail(
          fmt::format("{} {}, which is not a token of the vocabulary", what, in_quotes(token)));
    }
    return found->second;
  };
  std::unordered_set<std::uint64_t> seen;
  while (vocabulary->merges.size() < limit) {
    const auto pair = lines.next();
    if (!pair) break;
    const Merge merge = {id_of(pair->first, "merges"), id_of(pair->second, "merges"),
                         id_of(std::string(pair->first).append(pair->second), "makes")};
    if (!seen.insert(pair_key(merge.left, merge.right)).second) {
      lines.fail(fmt::format("merges {} and {}, as a line before it does", in_quotes(pair->first),
                             in_quotes(pair->second)));
    }
    vocabulary->merges.push_back(merge);
  }
}

// Finds the tokens that every vocabulary has.
void resolve_fixed(const TokenIds& ids, Vocabulary* vocabulary, const Origin& origin) {
  const auto id_of = [&](const std::string& token) {
    const auto found = ids.find(token);
    if (found == ids.end()) {
      origin.fail(
          fmt::format("has no token {}; expected the 256 bytes, alone and with \"</w>\", "
                      "\"<|startoftext|>\" and \"<|endoftext|>\"",
                      in_quotes(token)));
    }
    return found->second;
  };
  for (int b = 0; b < 256; ++b) {
    const std::string symbol = byte_symbol(static_cast<unsigned char>(b));
    vocabulary->byte_ids[0][b] = id_of(symbol);
    vocabulary->byte_ids[1][b] = id_of(symbol + std::string(kWordEnd));
  }
  vocabulary->start_of_text = id_of(std::string(kStartOfText));
  vocabulary->end_of_text = id_of(std::string(kEndOfText));
}

// Indexes a vocabulary whose special tokens stand last. Returns the first id whose token another id
// has too, or the number of tokens.
std::size_t index_tokens(const std::vector<std::string>& tokens, TokenIds* ids) {
  ids->reserve(tokens.size());
  const auto add = [&](std::size_t id) {
    return ids->emplace(tokens[id], static_cast<std::int32_t>(id)).second;
  };
  for (std::size_t id = tokens.size() - 2; id < tokens.size(); ++id) add(id);
  for (std::size_t id = 0; id < tokens.size() - 2; ++id) {
    if (!add(id)) return id;
  }
  return tokens.size();
}

}  // namespace

std::string byte_symbol(unsigned char byte) {
  const char32_t point = symbol_point(byte);
  return *encode_utf8({&point, 1});
}

Vocabulary parse_merges(std::string_view text, std::size_t size, const Origin& origin) {
  if (size != 0 && (size < kFixedTokens || size > std::numeric_limits<std::int32_t>::max())) {
    origin.fail(fmt::format("a vocabulary of {} tokens was requested; expected at least {}", size,
                            kFixedTokens));
  }
  const std::size_t wanted = (size == 0 ? kClipVocabularySize : size) - kFixedTokens;

  Vocabulary vocabulary;
  for (const std::string_view suffix : {std::string_view(), kWordEnd}) {
    for (const unsigned char byte : bytes_by_id()) {
      vocabulary.tokens.push_back(byte_symbol(byte).append(suffix));
    }
  }
  MergeLines lines(text, origin);
  while (vocabulary.tokens.size() < kFixedTokens - 2 + wanted) {
    const auto pair = lines.next();
    if (!pair) break;
    vocabulary.tokens.push_back(std::string(pair->first).append(pair->second));
  }
  vocabulary.tokens.emplace_back(kStartOfText);
  vocabulary.tokens.emplace_back(kEndOfText);
  if (size != 0 && vocabulary.size() != size) {
    origin.fail(fmt::format("has {} merges; expected {} for a vocabulary of {} tokens",
                            vocabulary.size() - kFixedTokens, wanted, size));
  }

  TokenIds ids;
  const std::size_t twin = index_tokens(vocabulary.tokens, &ids);
  if (twin < vocabulary.size()) {
    // The merge of id 512 stands on line 2.
    origin.fail(fmt::format("line {} makes the token {}, which exists already", twin - 510,
                            in_quotes(vocabulary.tokens[twin])));
  }
  resolve_merges(MergeLines(text, origin), wanted, ids, &vocabulary);
  resolve_fixed(ids, &vocabulary, origin);
  return vocabulary;
}

Vocabulary parse_vocabulary(std::string_view vocab_json, std::string_view merges,
                            const Origin& json_origin, const Origin& merges_origin) {
  Vocabulary vocabulary;
  vocabulary.tokens = parse_vocab_json(vocab_json, json_origin);
  TokenIds ids;
  for (const std::string& token : vocabulary.tokens) {
    ids.emplace(token, static_cast<std::int32_t>(ids.size()));
  }
  resolve_fixed(ids, &vocabulary, json_origin);
  resolve_merges(MergeLines(merges, merges_origin), std::numeric_limits<std::size_t>::max(), ids,
                 &vocabulary);
  return vocabulary;
}

}  // namespace openworld
