#pragma once

// A byte-pair vocabulary of CLIP's kind: the tokens with their ids, and the merges by rank.
//
// Every byte is a symbol: a printable character that is never white space (byte_symbol). Tokens
// are strings of symbols; one that ends a word carries "</w>". Ids of OpenAI's vocabulary: 0 to 255
// the bytes, 256 to 511 the same with "</w>", then the merges' results by rank, then
// "<|startoftext|>" and "<|endoftext|>": 49408 in all with 48894 merges.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/origin.h"

namespace openworld {

inline constexpr std::string_view kWordEnd = "</w>";
inline constexpr std::string_view kStartOfText = "<|startoftext|>";
inline constexpr std::string_view kEndOfText = "<|endoftext|>";
inline constexpr std::size_t kClipVocabularySize = 49408;

// Two adjacent tokens that become one; all three by id.
struct Merge {
  std::int32_t left = 0, right = 0, result = 0;
};

// A pair of ids as one number.
inline std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
         static_cast<std::uint32_t>(right);
}

struct Vocabulary {
  std::vector<std::string> tokens;  // by id, each once
  std::vector<Merge> merges;        // by rank, lowest first; no pair twice
  std::int32_t start_of_text = 0;
  std::int32_t end_of_text = 0;
  // The id of the symbol of a byte, inside a word and at its end.
  std::int32_t byte_ids[2][256] = {};

  std::size_t size() const { return tokens.size(); }
};

// The UTF-8 of the symbol that stands for a byte in files.
std::string byte_symbol(unsigned char byte);

// Reads a vocabulary from
// - merges as OpenAI ships them, bpe_simple_vocab_16e6.txt, plain or gzip: a line with "#version",
//   then two tokens a line. Of these, size - 514 are used; size 0 means 49408, or all of a shorter
//   file;
// - a folder with such a file, or with Hugging Face's vocab.json and merges.txt; or either of the
//   two. Ids then come from vocab.json and must be 0, 1, ... in some order; a size other than 0
//   must be their number.
// Throws Error naming file and line, or token.
Vocabulary load_vocabulary(const std::string& path, std::size_t size = 0);

// The same from text that was read already.
Vocabulary parse_merges(std::string_view merges, std::size_t size, const Origin& origin);
Vocabulary parse_vocabulary(std::string_view vocab_json, std::string_view merges,
                            const Origin& json_origin, const Origin& merges_origin);

// Writes vocab.json, merges.txt, tokenizer_config.json and special_tokens_map.json, as
// transformers' CLIPTokenizer reads them, into a folder that exists. `context` is the longest
// sequence the model takes. Throws Error.
void save_vocabulary(const Vocabulary& vocabulary, const std::string& folder,
                     std::size_t context = 77);

}  // namespace openworld
