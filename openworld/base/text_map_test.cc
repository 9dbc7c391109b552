#include "openworld/base/text_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace openworld {
namespace {

// Key 00 01 ... 0f; the first values of vectors_sip64 that the authors publish with their code, and
// the example of the paper's appendix A, for messages 00 01 02 ...
TEST(TextMap, SipHashHasThePublishedValues) {
  const SipKey key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  std::string message;
  for (char c = 0; c < 15; ++c) message += c;
  const auto hash = [&](std::size_t size) { return sip_hash<2, 4>(message.substr(0, size), key); };
  EXPECT_EQ(hash(0), 0x726fdb47dd0e0e31u);
  EXPECT_EQ(hash(1), 0x74f839c593dc67fdu);
  EXPECT_EQ(hash(8), 0x93f5f5799a932462u);
  EXPECT_EQ(hash(15), 0xa129ca6149be45e5u);
}

// libstdc++ hashes 8 bytes after the other (MurmurHash64A): h = (h ^ mixed(k)) * m. Two words whose
// mixed values differ in the top bit alone leave two states that do so too, whatever came before,
// and two such words in a row cancel.
constexpr std::uint64_t kFactor = 0xc6a4a7935bd1e995;

std::uint64_t mixed(std::uint64_t k) {
  k *= kFactor;
  return (k ^ k >> 47) * kFactor;
}

std::uint64_t unmixed(std::uint64_t value) {
  std::uint64_t inverse = kFactor;  // modulo 2^64, by Newton's iteration
  for (int i = 0; i < 6; ++i) inverse *= 2 - kFactor * inverse;
  value *= inverse;
  return (value ^ value >> 47) * inverse;
}

std::string bytes_of(std::uint64_t word) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &word, 8);
  return bytes;
}

// 2^pairs texts with the same std::hash.
std::vector<std::string> colliding_texts(int pairs) {
  std::vector<std::string> texts = {""};
  for (int pair = 0; pair < pairs; ++pair) {
    const std::uint64_t word = 0x6162636465666768 + static_cast<std::uint64_t>(pair);
    const std::uint64_t twin = unmixed(mixed(word) ^ std::uint64_t{1} << 63);
    std::vector<std::string> longer;
    for (const std::string& text : texts) {
      longer.push_back(text + bytes_of(word) + bytes_of(word));
      longer.push_back(text + bytes_of(twin) + bytes_of(twin));
    }
    texts = std::move(longer);
  }
  return texts;
}

template <class Set>
std::size_t fullest_bucket(const Set& set) {
  std::size_t most = 0;
  for (std::size_t b = 0; b < set.bucket_count(); ++b) most = std::max(most, set.bucket_size(b));
  return most;
}

TEST(TextMap, TextsThatCollideInStdHashDoNotHere) {
  const std::vector<std::string> texts = colliding_texts(10);
  const std::unordered_set<std::string> standard(texts.begin(), texts.end());
  ASSERT_EQ(standard.size(), 1024u);
#ifdef __GLIBCXX__
  EXPECT_EQ(fullest_bucket(standard), 1024u);
#endif
  // With random hashes and a load of at most 1, 16 in one of a thousand buckets has a probability
  // below 1e-10.
  const TextSet set(texts.begin(), texts.end());
  EXPECT_EQ(set.size(), 1024u);
  EXPECT_LT(fullest_bucket(set), 16u);
}

TEST(TextMap, FindsViewsWithoutCopies) {
  TextMap<int> map;
  map.emplace("a longer text than fits into the string itself", 7);
  const std::string_view view = "a longer text than fits into the string itself";
  EXPECT_EQ(map.find(view)->second, 7);
  EXPECT_FALSE(map.contains(view.substr(1)));
  EXPECT_EQ(TextHash()(view), TextHash()(std::string(view)));
}

}  // namespace
}  // namespace openworld
