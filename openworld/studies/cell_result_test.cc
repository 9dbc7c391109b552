#include "openworld/studies/cell_result.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace openworld {
namespace {

constexpr std::string_view kHugeNumbers[] = {"1e308", "-1e308", "1.5", "9223372036854775808",
                                             "18446744073709551615"};

TEST(CellResult, WhatWasWrittenIsRead) {
  const CellResult result{.id = "ab",
                          .files = {{"predictions.npz", 9, "cd"}},
                          .values = {{"food", "0.2", "auroc", 0.5}, {"", "", "hm", std::nullopt}},
                          .seconds = 1.5};
  const std::string text = cell_result_text(result);
  const auto again = parse_cell_result(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->files, result.files);
  EXPECT_EQ(cell_result_text(*again), text);
}

// 1e308 cast to an integer is undefined behaviour. Found by fuzzing.
TEST(CellResult, SizesThatNoIntegerHoldsAreDamage) {
  const std::string text = cell_result_text({.id = "ab", .files = {{"p", 7, "cd"}}, .values = {}});
  for (const std::string_view number : kHugeNumbers) {
    std::string other = text;
    const std::size_t place = other.find("\"bytes\": 7");
    ASSERT_NE(place, other.npos);
    other.replace(place, 10, fmt::format("\"bytes\": {}", number));
    EXPECT_FALSE(parse_cell_result(other)) << number;
  }
}

// With --verify a file is read for every time that it is listed.
TEST(CellResult, AFileListedTwiceIsDamage) {
  const CellFile file{"p", 7, "cd"};
  EXPECT_TRUE(parse_cell_result(cell_result_text({.id = "ab", .files = {file}, .values = {}})));
  EXPECT_FALSE(
      parse_cell_result(cell_result_text({.id = "ab", .files = {file, file}, .values = {}})));
}

// Tables have a place for every world at every level.
TEST(CellResult, TooManyLevelsAreDamage) {
  CellResult result{.id = "ab", .files = {}, .values = {}};
  for (int i = 0; i < 1024; ++i) result.values.push_back({"w", std::to_string(i), "hm", 0.5});
  EXPECT_TRUE(parse_cell_result(cell_result_text(result)));
  result.values.push_back({"w", "last", "hm", 0.5});
  EXPECT_FALSE(parse_cell_result(cell_result_text(result)));
}

TEST(CellFailure, AttemptsAreBounded) {
  const auto attempts = [](std::string_view number) {
    return parse_cell_failure(fmt::format(R"({{"id":"","attempts":{},"error":""}})", number))
        .attempts;
  };
  EXPECT_EQ(attempts("3"), 3);
  EXPECT_EQ(attempts("-5"), 1);
  EXPECT_EQ(attempts("9223372036854775807"), 1 << 30);
}

TEST(CellFailure, AttemptsThatNoIntegerHoldsAreOne) {
  for (const std::string_view number : kHugeNumbers) {
    const CellFailure failure =
        parse_cell_failure(fmt::format(R"({{"id":"ab","attempts":{},"error":"e"}})", number));
    EXPECT_EQ(failure.attempts, 1) << number;
    EXPECT_EQ(failure.error, "e");
  }
}

}  // namespace
}  // namespace openworld
