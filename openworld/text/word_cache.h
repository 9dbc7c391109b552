#pragma once

// A thread-safe cache of words and their token ids.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/base/text_map.h"

namespace openworld {

class WordCache {
 public:
  // Appends the ids of `word` if they are known.
  bool append(std::string_view word, std::vector<std::int32_t>* ids) const;
  // Remembers the ids, unless the word is long or its part of the cache is full.
  void remember(std::string_view word, const std::vector<std::int32_t>& ids);

 private:
  // 2^16 words of at most 64 bytes: some 10 MB when full.
  static constexpr int kShardBits = 4;
  static constexpr std::size_t kShards = std::size_t{1} << kShardBits;
  static constexpr std::size_t kWordsPerShard = 4096;
  static constexpr std::size_t kLongestWord = 64;

  struct Shard {
    mutable std::mutex mutex;
    TextMap<std::vector<std::int32_t>> words;
  };

  // The low bits choose the bucket inside a shard, the high ones the shard.
  static std::size_t shard_of(std::string_view word) {
    return TextHash()(word) >> (64 - kShardBits);
  }

  std::array<Shard, kShards> shards_;
};

}  // namespace openworld
