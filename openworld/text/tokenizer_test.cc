#include "openworld/text/tokenizer.h"

#include <algorithm>

#include "openworld/base/random.h"
#include "openworld/base/threads.h"
#include "openworld/text/test_vocabulary.h"

namespace openworld {
namespace {

using testing::clip_tokenizer;
using Ids = std::vector<std::int32_t>;

// Ids that openai/CLIP's tokenizer gives, computed from its merges.
TEST(Tokenizer, GivesTheIdsOfTheReference) {
  const std::pair<const char*, Ids> cases[] = {
      {"a photo of a dog.", {320, 1125, 539, 320, 1929, 269}},
      {"X X X X dog.", {343, 343, 343, 343, 1929, 269}},
      {"a diagram", {320, 22697}},
      {"hello world!", {3306, 1002, 256}},
      {"abyssinian", {16342, 690, 36638}},
      {"american_bulldog", {2151, 318, 15611}},
      {"2012 Audi TTS Coupe", {273, 271, 272, 273, 10277, 11570, 16773}},
      {"Boeing 737-200", {11857, 278, 274, 278, 268, 273, 271, 271}},
      {"", {}},
      {" \n", {}},
      {"<|StartOfText|> a<|endoftext|>", {49406, 320, 49407}},
  };
  for (const auto& [text, ids] : cases) EXPECT_EQ(clip_tokenizer().encode(text), ids) << text;
}

// Byte-pair merging as openai/CLIP defines it, word for word.
Ids merge_as_defined(const Vocabulary& v, Ids tokens) {
  for (;;) {
    const Merge* best = nullptr;
    for (std::size_t rank = 0; rank < v.merges.size() && best == nullptr; ++rank) {
      for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const Merge& m = v.merges[rank];
        if (tokens[i] == m.left && tokens[i + 1] == m.right) best = &m;
      }
    }
    if (best == nullptr) return tokens;
    Ids merged;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool both =
          i + 1 < tokens.size() && tokens[i] == best->left && tokens[i + 1] == best->right;
      merged.push_back(both ? best->result : tokens[i]);
      i += both;
    }
    tokens = merged;
  }
}

// Random merges over four letters; also ones whose parts come after them, which is where taking
// the occurrences of a pair one by one, rather than in one sweep, would go wrong.
TEST(MergePairs, FollowsTheDefinition) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> tokens = {"a", "b", "c", "d"}, lines;
    for (int k = 0; k < 12; ++k) {
      const std::string left = tokens[random.below(tokens.size())];
      const std::string right = tokens[random.below(tokens.size())];
      if (std::find(tokens.begin(), tokens.end(), left + right) != tokens.end()) continue;
      tokens.push_back(left + right);
      lines.push_back(left + " " + right + "\n");
    }
    if (round % 2 == 1) std::reverse(lines.begin(), lines.end());
    std::string text = "#version\n";
    for (const std::string& line : lines) text += line;
    const Vocabulary v = parse_merges(text, 0, {"test", ""});
    const MergeTable table(v.merges);
    for (int word = 0; word < 50; ++word) {
      Ids ids;
      for (std::size_t n = random.below(40); n > 0; --n) {
        ids.push_back(v.byte_ids[0]['a' + random.below(4)]);
      }
      Ids merged = ids;
      merge_pairs(table, &merged);
      ASSERT_EQ(merged, merge_as_defined(v, ids)) << text;
    }
  }
}

TEST(MergePairs, TakesALongWordInStride) {
  Ids ids(1 << 20, testing::small_vocabulary().byte_ids[0]['a']);
  merge_pairs(MergeTable(testing::small_vocabulary().merges), &ids);
  EXPECT_EQ(ids.size(), std::size_t{1} << 18);  // all "aaaa"
}

std::string random_text(Random* random) {
  static const std::vector<std::string> kParts = {"a",    "low",  "newer", "lowest", "ß",
                                                  "日本", "🦊", "7",     "42",     "!",
                                                  "...",  "'s",   "é",     "-",      "_"};
  std::string text;
  for (std::size_t n = 1 + random->below(12); n > 0; --n) {
    text += kParts[random->below(kParts.size())];
    if (random->below(2) == 0) text += ' ';
  }
  return text;
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

TEST(Tokenizer, DecodeGivesTheTextBackUpToSpaces) {
  Random random(2);
  for (const std::size_t size : {514, 515, 518, 524}) {
    const Tokenizer tokenizer(parse_merges(testing::kSmallMerges, size, {"test", ""}));
    for (int i = 0; i < 200; ++i) {
      const std::string text = random_text(&random);
      const Ids ids = tokenizer.encode(text);
      const std::string back = tokenizer.decode(ids);
      EXPECT_EQ(without_spaces(back), without_spaces(text));
      EXPECT_EQ(tokenizer.encode(back), ids);
    }
  }
}

TEST(Tokenizer, WordsDoNotDependOnTheirNeighbours) {
  Random random(3);
  const Tokenizer tokenizer(testing::small_vocabulary());
  for (int i = 0; i < 200; ++i) {
    const std::string a = random_text(&random), b = random_text(&random);
    Ids both = tokenizer.encode(a);
    const Ids second = tokenizer.encode(b);
    both.insert(both.end(), second.begin(), second.end());
    EXPECT_EQ(tokenizer.encode(a + "\n" + b), both);
  }
}

TEST(Tokenizer, ThreadsShareOne) {
  const Tokenizer shared(testing::small_vocabulary()), alone(testing::small_vocabulary());
  std::vector<std::string> texts;
  Random random(4);
  for (int i = 0; i < 500; ++i) texts.push_back(random_text(&random) + std::to_string(i));
  std::vector<Ids> ids(texts.size() * 4);
  parallel_for(ids.size(), 4,
               [&](std::size_t i) { ids[i] = shared.encode(texts[i % texts.size()]); });
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(ids[i], alone.encode(texts[i % texts.size()]));
  }
}

// More words than the cache holds, and words longer than it takes.
TEST(Tokenizer, AFullCacheChangesNothing) {
  const Tokenizer tokenizer(testing::small_vocabulary());
  const std::string long_word(200, 'a');
  const Ids long_ids = tokenizer.encode(long_word);
  for (int i = 0; i < 100'000; ++i) {
    std::string word;
    for (int k = i; k > 0; k /= 26) word += static_cast<char>('a' + k % 26);
    tokenizer.encode(word);
  }
  EXPECT_EQ(tokenizer.encode(long_word), long_ids);
  EXPECT_EQ(tokenizer.encode("lower"), (Ids{519}));
  EXPECT_EQ(tokenizer.encode("zzzzzq newest"),
            Tokenizer(testing::small_vocabulary()).encode("zzzzzq newest"));
}

TEST(Tokenizer, PacksBetweenStartAndEnd) {
  const Tokenizer tokenizer(testing::small_vocabulary());
  EXPECT_EQ(tokenizer.pack("", 2), (Ids{522, 523}));
  EXPECT_EQ(tokenizer.pack("lower new", 4), (Ids{522, 519, 517, 523}));
  EXPECT_EQ(tokenizer.pack("lower new lower", 4, true), (Ids{522, 519, 517, 523}));
  EXPECT_ERROR(
      tokenizer.pack("Lower new lower", 4),
      "[pack] text \"Lower new lower\" has 5 tokens with start and end; expected at most 4");
  EXPECT_ERROR(tokenizer.pack("", 1), "context is 1; expected room");
}

TEST(Tokenizer, RefusesWhatItDoesNotKnow) {
  const Tokenizer tokenizer(testing::small_vocabulary());
  EXPECT_ERROR(tokenizer.encode("caf\xe9"), "[encode] text \"caf\\xe9\" is not valid UTF-8");
  EXPECT_ERROR(tokenizer.decode(Ids{524}), "[decode] token id 524 is not in the vocabulary");
  EXPECT_ERROR(tokenizer.decode(Ids{-1}), "token id -1");
}

TEST(Tokenizer, DecodesHalvesOfCharacters) {
  const Tokenizer tokenizer(testing::small_vocabulary());
  const Ids fox = tokenizer.encode("🦊");
  ASSERT_EQ(fox.size(), 4u);
  EXPECT_EQ(tokenizer.decode(std::span(fox).first(3)), "\ufffd");
  EXPECT_EQ(tokenizer.decode(std::span(fox).last(3)), "\ufffd\ufffd\ufffd ");
  EXPECT_EQ(tokenizer.decode(Ids{522, 519, 523}), "<|startoftext|>lower <|endoftext|>");
}

}  // namespace
}  // namespace openworld
