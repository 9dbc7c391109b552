#include "openworld/text/tokenizer.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "openworld/base/error.h"
#include "openworld/io/utf8.h"
#include "openworld/text/clean_text.h"

namespace openworld {
namespace {

// The bytes behind the symbols of each token, and a space where it ends a word. A token with other
// characters in it, which only a vocab.json can have, stands for its own text.
std::vector<std::string> token_bytes(const Vocabulary& vocabulary) {
  std::unordered_map<char32_t, char> byte_of;
  for (int b = 0; b < 256; ++b) {
    const std::string symbol = byte_symbol(static_cast<unsigned char>(b));
    byte_of.emplace(decode_utf8(symbol)->front(), static_cast<char>(b));
  }
  std::vector<std::string> all;
  all.reserve(vocabulary.size());
  for (const std::string& token : vocabulary.tokens) {
    std::string_view stem = token;
    const bool ends_word = stem.ends_with(kWordEnd);
    if (ends_word) stem.remove_suffix(kWordEnd.size());
    std::string bytes;
    for (const char32_t c : decode_utf8(stem).value_or(std::u32string())) {
      const auto found = byte_of.find(c);
      bytes += found != byte_of.end() ? std::string(1, found->second) : *encode_utf8({&c, 1});
    }
    all.push_back(ends_word ? bytes + ' ' : bytes);
  }
  return all;
}

}  // namespace

Tokenizer::Tokenizer(Vocabulary vocabulary)
    : vocabulary_(std::move(vocabulary)),
      merges_(vocabulary_.merges),
      bytes_(token_bytes(vocabulary_)) {}

void Tokenizer::append_word(std::string_view word, std::vector<std::int32_t>* ids) const {
  if (cache_.append(word, ids)) return;
  std::vector<std::int32_t> tokens;
  tokens.reserve(word.size());
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool last = i + 1 == word.size();
    tokens.push_back(vocabulary_.byte_ids[last][static_cast<unsigned char>(word[i])]);
  }
  merge_pairs(merges_, &tokens);
  ids->insert(ids->end(), tokens.begin(), tokens.end());
  cache_.remember(word, tokens);
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  const std::string clean = clean_text(text, {"encode", ""});
  std::vector<std::int32_t> ids;
  for (const std::string_view word : splitter_.split(clean)) {
    if (word == kStartOfText) {
      ids.push_back(vocabulary_.start_of_text);
    } else if (word == kEndOfText) {
      ids.push_back(vocabulary_.end_of_text);
    } else {
      append_word(word, &ids);
    }
  }
  return ids;
}

std::vector<std::int32_t> Tokenizer::pack(std::string_view text, std::size_t context,
                                          bool truncate) const {
  if (context < 2) {
    fail("pack", fmt::format("context is {}; expected room for start and end, 2 or more", context));
  }
  std::vector<std::int32_t> ids = encode(text);
  if (ids.size() + 2 > context) {
    if (!truncate) {
      fail("pack", fmt::format("text {} has {} tokens with start and end; expected at most {}",
                               in_quotes(text), ids.size() + 2, context));
    }
    ids.resize(context - 2);
  }
  ids.insert(ids.begin(), vocabulary_.start_of_text);
  ids.push_back(vocabulary_.end_of_text);
  return ids;
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  std::string bytes;
  for (const std::int32_t id : ids) {
    if (id < 0 || static_cast<std::size_t>(id) >= bytes_.size()) {
      fail("decode", fmt::format("token id {} is not in the vocabulary; expected 0 to {}", id,
                                 bytes_.size() - 1));
    }
    bytes += bytes_[static_cast<std::size_t>(id)];
  }
  return replace_invalid_utf8(bytes);
}

}  // namespace openworld
