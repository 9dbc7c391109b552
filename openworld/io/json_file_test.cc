#include "openworld/io/json_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "openworld/io/memory_limit.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

const Origin kOrigin{"f", "x"};

std::string repeat(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

TEST(ParseJson, RefusesWhatReadersDisagreeAbout) {
  const auto parse = [](std::string_view text) {
    return parse_json(text, kOrigin, {.bytes = 100, .depth = 3, .values = 10});
  };
  EXPECT_NO_THROW(parse(R"({"a":{"a":[1]},"b":{"a":2}})"));
  EXPECT_ERROR(parse(R"({"b":{"a":{}, "c": 1, "a":2}})"), "has the key \"a\" twice");
  EXPECT_ERROR(parse("[[[[]]]]"), "nested deeper than 3");
  EXPECT_ERROR(parse(std::string(101, ' ')), "has 101 bytes of JSON; expected at most 100");
  EXPECT_ERROR(parse("[1] x"), "is not valid JSON: error at byte 5");
  EXPECT_ERROR(parse(""), "is not valid JSON: error at byte 1");
  EXPECT_ERROR(parse("\"\xff\""), "is not valid JSON");
  EXPECT_ERROR(parse("1e999"), "out of range");
  EXPECT_NO_THROW(parse("[1,2,3,4,5,6,7,8,9]"));
  EXPECT_ERROR(parse("[1,2,3,4,5,6,7,8,9,0]"), "has more than 10 JSON values");
}

TEST(ParseJson, BuildsWhatNlohmannBuilds) {
  for (const char* text : {"null", "true", "-7", "18446744073709551615", "0.1", "\"\\u00e9\\n\"",
                           "[]", "{}", R"([[1,[2,[3]]],{"b":[{}],"a":{"c":null}},"x"])",
                           R"({"z":1,"a":[{"y":[1,2]},3],"m":{}})"}) {
    EXPECT_EQ(parse_json(text, kOrigin), nlohmann::json::parse(text)) << text;
    const auto ordered = parse_ordered_json(text, kOrigin);
    EXPECT_EQ(ordered.dump(), nlohmann::ordered_json::parse(text).dump()) << text;
    EXPECT_EQ(try_parse_json(text)->dump(), ordered.dump()) << text;
  }
}

TEST(ParseJson, OrNothing) {
  EXPECT_FALSE(try_parse_json("{\"a\":1"));
  EXPECT_FALSE(try_parse_json(R"({"a":1,"a":2})"));
  EXPECT_FALSE(try_parse_json(std::string(200000, '[')));
  EXPECT_ERROR(check_json("[1,]", kOrigin), "error at byte 4");
  EXPECT_NO_THROW(check_json("[1]", kOrigin));
}

// Each took minutes when the time was quadratic in the number of entries.
TEST(ParseJson, IsLinearInTheNumberOfEntries) {
  const JsonLimits large{.bytes = std::size_t{1} << 30, .depth = 8, .values = 10'000'000};
  constexpr std::size_t kEntries = 1'000'000;
  const auto list = parse_json("[" + repeat("{},", kEntries) + "{}]", kOrigin, large);
  EXPECT_EQ(list.size(), kEntries + 1);
  std::string text = "{";
  for (std::size_t i = 0; i < kEntries / 4; ++i) text += "\"" + std::to_string(i) + "\":[],";
  text += "\"last\":0}";
  EXPECT_EQ(parse_json(text, kOrigin, large).size(), kEntries / 4 + 1);
  EXPECT_EQ(parse_ordered_json(text, kOrigin, large).size(), kEntries / 4 + 1);
  EXPECT_ERROR(parse_json(repeat("[", 200'000), kOrigin, large), "nested deeper than 8");
}

// Three bytes of text are 96 bytes of memory, and the text may have been inflated from a thousandth
// of itself.
TEST(ParseJson, TakesAsMuchMemoryAsTheFileMay) {
  JsonLimits limits{.bytes = std::size_t{1} << 30, .depth = 8, .values = 10'000'000};
  const std::string objects = "[" + repeat("{},", 3'000'000) + "{}]";
  EXPECT_ERROR(parse_json(objects, kOrigin, limits), "values or more needs 201 MiB of memory");
  const std::string fewer = "[" + repeat("{},", 1'000'000) + "{}]";
  limits.file_bytes = 3000;
  EXPECT_ERROR(check_json(fewer, kOrigin, limits),
               "needs 64 MiB of memory; expected at most 64 MiB for a file of 2.9 KiB");
  EXPECT_FALSE(try_parse_json(fewer, limits));
  set_memory_limit(std::uint64_t{1} << 30);
  EXPECT_NO_THROW(check_json(fewer, kOrigin, limits));
  set_memory_limit(std::nullopt);
}

}  // namespace
}  // namespace openworld
