#include "openworld/worlds/doodle_captions.h"

#include <gtest/gtest.h>

#include <set>

#include "openworld/io/sha256.h"

namespace openworld {
namespace {

std::vector<std::string> captions(const DoodleFacts& facts, std::uint64_t count) {
  std::vector<std::string> result;
  for (std::uint64_t i = 0; i < count; ++i) {
    Random random(7, i);
    result.push_back(doodle_caption(facts, random));
  }
  return result;
}

bool any_has(const std::vector<std::string>& texts, std::string_view word) {
  for (const std::string& text : texts) {
    if (text.find(word) != std::string::npos) return true;
  }
  return false;
}

const DoodleFacts kCat = {.name = "cat",
                          .look = "crayon",
                          .colour = "red",
                          .size = DoodleSize::kSmall,
                          .templates = {"a doodle of a {}, a kind of animal."},
                          .themes = {"animal"}};

TEST(DoodleCaption, AlwaysNamesTheThingInManyWays) {
  const auto texts = captions(kCat, 2000);
  for (const std::string& text : texts) {
    EXPECT_NE(text.find("cat"), std::string::npos) << text;
    EXPECT_EQ(text.find_first_of("{}"), std::string::npos) << text;
    EXPECT_LT(text.size(), 80u) << text;
  }
  EXPECT_GT(std::set<std::string>(texts.begin(), texts.end()).size(), 150u);
  for (const char* word : {"red ", "small ", "tiny ", "crayon", "a kind of animal."}) {
    EXPECT_TRUE(any_has(texts, word)) << word;
  }
}

TEST(DoodleCaption, SaysNothingThatIsNotSo) {
  DoodleFacts plain = kCat;
  plain.look = "plain";
  plain.colour = "";
  plain.size = DoodleSize::kUsual;
  for (const char* word : {"red", "small", "big", "chalk", "crayon"}) {
    EXPECT_FALSE(any_has(captions(plain, 2000), word)) << word;
  }
  plain.look = "cluttered";
  EXPECT_FALSE(any_has(captions(plain, 2000), "ink"));
}

TEST(DoodleCaption, SaysTheColourOfTheInkOnce) {
  DoodleFacts pink = kCat;
  pink.look = "chalk";
  pink.colour = "pink";
  const auto texts = captions(pink, 2000);
  EXPECT_TRUE(any_has(texts, "pink chalk"));
  EXPECT_TRUE(any_has(texts, "pink cat"));
  for (const std::string& text : texts) {
    EXPECT_EQ(text.find("white"), std::string::npos) << text;
    EXPECT_EQ(text.find("pink"), text.rfind("pink")) << text;
  }
  pink.colour = "";
  EXPECT_FALSE(any_has(captions(pink, 2000), "  "));
}

TEST(DoodleCaption, IsTheSameOnEveryMachine) {
  std::string all;
  for (const std::string& text : captions(kCat, 500)) all += text + "\n";
  EXPECT_EQ(hex_text(sha256(std::as_bytes(std::span(all)))),
            "392438da6a27074f48d0d3532c495554867184aee71cc787b1c603770bf7b3a8");
}

}  // namespace
}  // namespace openworld
