#include "openworld/text/train_vocabulary.h"

#include <algorithm>

#include "openworld/base/random.h"
#include "openworld/io/test_util.h"
#include "openworld/text/tokenizer.h"

namespace openworld {
namespace {

std::vector<std::string> merges_of(const Vocabulary& vocabulary) {
  std::vector<std::string> result;
  for (const Merge& merge : vocabulary.merges) {
    const auto token = [&](std::int32_t id) {
      return vocabulary.tokens[static_cast<std::size_t>(id)];
    };
    result.push_back(token(merge.left) + " " + token(merge.right));
  }
  return result;
}

// Reference: recounts every pair for every merge.
std::vector<std::string> naive_merges(const std::map<std::string, std::uint64_t>& counts,
                                      std::size_t merges, std::uint64_t min_count) {
  std::vector<std::pair<std::vector<std::string>, std::uint64_t>> words;
  std::map<std::string, std::size_t> age;  // of tokens: bytes first, then as they were made
  for (int end = 0; end < 2; ++end) {
    for (int b = 0; b < 256; ++b) {
      age.emplace(byte_symbol(static_cast<unsigned char>(b)) + (end != 0 ? "</w>" : ""),
                  age.size());
    }
  }
  for (const auto& [word, count] : counts) {
    std::vector<std::string> tokens;
    for (const char c : word) tokens.push_back(byte_symbol(static_cast<unsigned char>(c)));
    tokens.back() += "</w>";
    words.emplace_back(tokens, count);
  }
  std::vector<std::string> result;
  while (result.size() < merges) {
    std::map<std::pair<std::size_t, std::size_t>, std::pair<std::uint64_t, std::string>> pairs;
    for (const auto& [tokens, count] : words) {
      for (std::size_t i = 1; i < tokens.size(); ++i) {
        auto& pair = pairs[{age.at(tokens[i - 1]), age.at(tokens[i])}];
        pair.first += count;
        pair.second = tokens[i - 1] + " " + tokens[i];
      }
    }
    std::uint64_t most = 0;
    std::string best;
    for (const auto& [ages, pair] : pairs) {
      if (pair.first > most) std::tie(most, best) = pair;
    }
    if (most < min_count) break;
    result.push_back(best);
    const std::string left = best.substr(0, best.find(' ')), right = best.substr(left.size() + 1);
    age.emplace(left + right, age.size());
    for (auto& [tokens, count] : words) {
      for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i] != left || tokens[i + 1] != right) continue;
        tokens[i] += right;
        tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      }
    }
  }
  return result;
}

TEST(TrainVocabulary, MergesTheMostFrequentPair) {
  const std::vector<std::string> texts = {"low low low low low", "lower lower",
                                          "newest newest newest newest newest newest",
                                          "widest widest widest"};
  const Vocabulary vocabulary = train_vocabulary(texts, {.merges = 4});
  EXPECT_EQ(merges_of(vocabulary), (std::vector<std::string>{"e s", "es t</w>", "l o", "e w"}));
  EXPECT_EQ(vocabulary.size(), 518u);
  EXPECT_EQ(vocabulary.tokens[512], "es");
}

TEST(TrainVocabulary, AgreesWithCountingAnew) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    std::map<std::string, std::uint64_t> words;
    for (int i = 0; i < 40; ++i) {
      std::string word;
      const std::uint64_t length = 1 + random.below(9);
      // Few letters, so that runs such as "aaaa" occur, where pairs overlap.
      for (std::uint64_t k = 0; k < length; ++k) {
        word += static_cast<char>('a' + random.below(1 + seed % 4));
      }
      words[word] += 1 + random.below(5);
    }
    EXPECT_EQ(merges_of(train_vocabulary(words, {.merges = 60})), naive_merges(words, 60, 2))
        << seed;
  }
}

TEST(TrainVocabulary, DoesNotCareForTheOrderOfTexts) {
  std::vector<std::string> texts = {"a red fox", "the café's door", "3 dogs & 12 cats", "a fox"};
  const auto expected = merges_of(train_vocabulary(texts, {.merges = 50, .min_count = 1}));
  EXPECT_GT(expected.size(), 15u);
  std::reverse(texts.begin(), texts.end());
  EXPECT_EQ(merges_of(train_vocabulary(texts, {.merges = 50, .min_count = 1})), expected);
}

TEST(TrainVocabulary, WritesWhatTheTokenizerReads) {
  const std::vector<std::string> texts = {"a doodle of a lighthouse.", "a doodle of a house.",
                                          "a light house, a doodle"};
  const testing::TempFolder folder;
  save_vocabulary(train_vocabulary(texts, {.merges = 100}), folder / ".");
  const Tokenizer tokenizer(load_vocabulary(folder / "."));
  EXPECT_EQ(tokenizer.encode("A doodle").size(), 2u);
  EXPECT_LE(tokenizer.encode("lighthouse").size(), 3u);
  for (const char* text : {"a doodle of a house .", "zebras fly", "\xe2\x98\x83"}) {
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), std::string(text) + " ");
  }
}

// A word of 64 KiB took gigabytes and minutes.
TEST(TrainVocabulary, LearnsFromTheStartOfALongWord) {
  std::string word;
  Random random(1);
  while (word.size() < 60'000) word += static_cast<char>('a' + random.below(4));
  const auto merges = merges_of(train_vocabulary({{word, 1}}, {.merges = 200}));
  EXPECT_EQ(merges, merges_of(train_vocabulary({{word.substr(0, 256), 1}}, {.merges = 200})));
  EXPECT_GT(merges.size(), 20u);
}

TEST(TrainVocabulary, LeavesRarePairsApart) {
  const std::vector<std::string> texts = {"ab", "cd cd"};
  EXPECT_EQ(merges_of(train_vocabulary(texts)), std::vector<std::string>{"c d</w>"});
}

TEST(TrainVocabulary, RefusesWhatHasNoWords) {
  const std::vector<std::string> nothing, blank = {" "}, broken = {"\xff"};
  EXPECT_ERROR(train_vocabulary(nothing), "no words");
  EXPECT_ERROR(train_vocabulary(blank), "no words");
  EXPECT_ERROR(train_vocabulary(broken), "UTF-8");
}

}  // namespace
}  // namespace openworld
