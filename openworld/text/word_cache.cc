#include "openworld/text/word_cache.h"

namespace openworld {

bool WordCache::append(std::string_view word, std::vector<std::int32_t>* ids) const {
  if (word.size() > kLongestWord) return false;
  const Shard& shard = shards_[shard_of(word)];
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.words.find(word);
  if (found == shard.words.end()) return false;
  ids->insert(ids->end(), found->second.begin(), found->second.end());
  return true;
}

void WordCache::remember(std::string_view word, const std::vector<std::int32_t>& ids) {
  if (word.size() > kLongestWord) return;
  Shard& shard = shards_[shard_of(word)];
  const std::lock_guard lock(shard.mutex);
  if (shard.words.size() < kWordsPerShard) shard.words.emplace(word, ids);
}

}  // namespace openworld
