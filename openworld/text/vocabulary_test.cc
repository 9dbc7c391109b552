#include "openworld/text/vocabulary.h"

#include <nlohmann/json.hpp>

#include "openworld/text/test_vocabulary.h"

namespace openworld {
namespace {

using nlohmann::json;
using testing::kSmallMerges;
using testing::small_vocabulary;
using testing::TempFolder;

Vocabulary merges(const std::string& lines, std::size_t size = 0) {
  return parse_merges("#version: 0.2\n" + lines, size, {"f", "m.txt"});
}

TEST(Vocabulary, NumbersBytesMergesAndMarkers) {
  const Vocabulary v = small_vocabulary();
  ASSERT_EQ(v.size(), 524u);
  EXPECT_EQ(v.tokens[0], "!");
  EXPECT_EQ(v.tokens[93], "~");
  EXPECT_EQ(v.tokens[94], "¡");
  EXPECT_EQ(v.tokens[188], "Ā");  // byte 0, the first that is not printable
  EXPECT_EQ(v.tokens[255], "Ń");  // byte 173, the last
  EXPECT_EQ(v.tokens[256], "!</w>");
  EXPECT_EQ(v.tokens[512], "lo");
  EXPECT_EQ(v.tokens[521], "aaaa");
  EXPECT_EQ(v.start_of_text, 522);
  EXPECT_EQ(v.end_of_text, 523);
  EXPECT_EQ(v.byte_ids[0]['!'], 0);
  EXPECT_EQ(v.byte_ids[1][173], 511);
  EXPECT_EQ(v.merges[1].left, 512);
  EXPECT_EQ(v.merges[1].result, 513);
}

TEST(Vocabulary, EveryByteHasItsOwnSymbol) {
  std::set<std::string> symbols;
  for (int b = 0; b < 256; ++b) symbols.insert(byte_symbol(static_cast<unsigned char>(b)));
  EXPECT_EQ(symbols.size(), 256u);
}

TEST(Vocabulary, TakesAsManyMergesAsAskedFor) {
  EXPECT_EQ(merges("l o\nlo w\na b\n", 516).size(), 516u);
  EXPECT_EQ(merges("l o\nlo w\n", 514).merges.size(), 0u);
  EXPECT_EQ(merges("").size(), 514u);
  // Unused lines are not parsed.
  EXPECT_EQ(merges("l o\nnonsense", 515).size(), 515u);
  EXPECT_ERROR(merges("l o\n", 516), "[f] m.txt: has 1 merges; expected 2 for a vocabulary of 516");
  EXPECT_ERROR(merges("", 513), "a vocabulary of 513 tokens was requested; expected at least 514");
}

TEST(Vocabulary, RefusesDamagedMerges) {
  EXPECT_ERROR(parse_merges("l o\n", 0, {"f", "m.txt"}), "line 1 has no \"#version\"");
  EXPECT_ERROR(parse_merges("", 0, {"f", "m.txt"}), "line 1 has no \"#version\"");
  EXPECT_ERROR(merges("l o\nlow"), "line 3 is \"low\"; expected two tokens");
  EXPECT_ERROR(merges("l  o"), "line 2 is");
  EXPECT_ERROR(merges("l o\n\nlo w"), "line 3 is \"\"");
  EXPECT_ERROR(merges("l ow"), "line 2 merges \"ow\", which is not a token of the vocabulary");
  EXPECT_ERROR(merges("l o\nl o"), "line 3 makes the token \"lo\", which exists already");
  EXPECT_ERROR(merges("a </w>"), "line 2 makes the token \"a</w>\", which exists already");
  EXPECT_EQ(merges("l o\r\nlo w\r\n\n\n").size(), 516u);
}

TEST(Vocabulary, SavesWhatItLoads) {
  const TempFolder folder;
  const Vocabulary v = small_vocabulary();
  save_vocabulary(v, folder / "", 32);
  for (const char* name : {"", "vocab.json", "merges.txt"}) {
    const Vocabulary back = load_vocabulary(folder / name);
    EXPECT_EQ(back.tokens, v.tokens);
    EXPECT_EQ(back.end_of_text, v.end_of_text);
    ASSERT_EQ(back.merges.size(), v.merges.size());
    for (std::size_t i = 0; i < v.merges.size(); ++i) {
      EXPECT_EQ(back.merges[i].left, v.merges[i].left);
      EXPECT_EQ(back.merges[i].right, v.merges[i].right);
      EXPECT_EQ(back.merges[i].result, v.merges[i].result);
    }
  }
  EXPECT_EQ(testing::read_file(folder / "merges.txt"), kSmallMerges);
  const json config = json::parse(testing::read_file(folder / "tokenizer_config.json"));
  EXPECT_EQ(config["tokenizer_class"], "CLIPTokenizer");
  EXPECT_EQ(config["model_max_length"], 32);
  EXPECT_EQ(json::parse(testing::read_file(folder / "special_tokens_map.json"))["bos_token"],
            "<|startoftext|>");
  EXPECT_EQ(load_vocabulary(folder / "", 524).size(), 524u);
  EXPECT_ERROR(load_vocabulary(folder / "", 49408), "vocab.json: has 524 tokens; expected 49408");
}

// Ids in another order, as a vocabulary trained elsewhere may have them.
TEST(Vocabulary, TakesIdsFromTheJson) {
  const TempFolder folder;
  save_vocabulary(small_vocabulary(), folder / "");
  json vocab = json::parse(testing::read_file(folder / "vocab.json"));
  std::swap(vocab["lo"], vocab["<|endoftext|>"]);
  folder.write("vocab.json", vocab.dump());
  const Vocabulary v = load_vocabulary(folder / "");
  EXPECT_EQ(v.end_of_text, 512);
  EXPECT_EQ(v.merges[0].result, 523);
}

TEST(Vocabulary, RefusesAJsonThatDoesNotFit) {
  const Origin vocab_origin{"f", "vocab.json"}, merges_origin{"f", "merges.txt"};
  const auto parse = [&](const std::string& text, const std::string& lines = kSmallMerges) {
    parse_vocabulary(text, lines, vocab_origin, merges_origin);
  };
  const TempFolder folder;
  save_vocabulary(small_vocabulary(), folder / "");
  const json good = json::parse(testing::read_file(folder / "vocab.json"));
  const auto with = [&](const char* token, const json& id) {
    json changed = good;
    changed[token] = id;
    return changed.dump();
  };
  const auto without = [&](const char* token) {
    json changed = good;
    changed["other"] = changed[token];
    changed.erase(token);
    return changed.dump();
  };
  EXPECT_ERROR(parse("{"), "[f] vocab.json: is not valid JSON at byte");
  EXPECT_ERROR(parse("[1]"), "is a list; expected an object of token: id");
  EXPECT_ERROR(parse("7"), "is a number; expected an object");
  EXPECT_ERROR(parse(R"({"a": {"b": 1}})"), "token \"a\" has an object as its id");
  EXPECT_ERROR(parse(R"({"a": -1})"), "token \"a\" has a negative number as its id");
  EXPECT_ERROR(parse(R"({"a": 0.5})"), "a fraction");
  EXPECT_ERROR(parse(R"({"a": "0"})"), "a string");
  EXPECT_ERROR(parse(R"({"a": 0, "a": 1})"), "has the token \"a\" twice");
  EXPECT_ERROR(parse("{}"), "has no token \"\\xc4\\x80\"");
  EXPECT_ERROR(parse(with("lo", 524)), "token \"lo\" has id 524; expected ids from 0 to 523");
  EXPECT_ERROR(parse(with("lo", 3)), "both have id 3");
  EXPECT_ERROR(parse(without("<|endoftext|>")), "has no token \"<|endoftext|>\"");
  EXPECT_ERROR(parse(without("!</w>")), "has no token \"!</w>\"");
  EXPECT_ERROR(parse(without("low")), "[f] merges.txt: line 3 makes \"low\", which is not a token");
  EXPECT_ERROR(parse(good.dump(), "#version\nl o\nl o\n"), "line 3 merges \"l\" and \"o\", as a");
}

TEST(LoadVocabulary, FindsTheFilesInAFolder) {
  const TempFolder folder;
  EXPECT_ERROR(load_vocabulary(folder / ""), "holds no vocabulary; expected vocab.json");
  EXPECT_ERROR(load_vocabulary(folder / "none.txt"), "none.txt: cannot open");
  folder.write("bpe_simple_vocab_16e6.txt", kSmallMerges);
  EXPECT_EQ(load_vocabulary(folder / "").size(), 524u);
  EXPECT_EQ(load_vocabulary(folder / "bpe_simple_vocab_16e6.txt", 515).size(), 515u);
  folder.write("hf/vocab.json", "{}");
  EXPECT_ERROR(load_vocabulary(folder / "hf"), "hf/merges.txt: cannot open");
}

TEST(LoadVocabulary, TakesTheRightPartOfOpenAisFile) {
  const Vocabulary& v = testing::clip_tokenizer().vocabulary();
  EXPECT_EQ(v.size(), kClipVocabularySize);
  EXPECT_EQ(v.merges.size(), 48894u);
  EXPECT_EQ(v.end_of_text, 49407);
}

}  // namespace
}  // namespace openworld
