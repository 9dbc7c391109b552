#include "openworld/worlds/long_tail.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;

std::vector<std::size_t> sorted_counts(const CaptionSource& pairs) {
  std::map<std::uint64_t, std::size_t> counts;
  for (std::size_t i = 0; i < pairs.size(); ++i) ++counts[pairs.concept_of(i)];
  std::vector<std::size_t> sorted;
  for (const auto& [meaning, count] : counts) sorted.push_back(count);
  std::sort(sorted.rbegin(), sorted.rend());
  return sorted;
}

TEST(LongTail, FallsByTheSameFactorFromClassToClass) {
  // 50, 50 / 25^(1/9), ..., 2
  EXPECT_EQ(sorted_counts(*long_tail(open_captions("doodles:shapes"), 25, 1)),
            (std::vector<std::size_t>{50, 35, 24, 17, 12, 8, 6, 4, 3, 2}));
  EXPECT_EQ(sorted_counts(*long_tail(open_captions("doodles:shapes"), 1, 1)),
            std::vector<std::size_t>(10, 50));
}

TEST(LongTail, KeepsOneOfEveryClass) {
  const auto counts = sorted_counts(*long_tail(open_captions("doodles:shapes"), 1e4, 1));
  EXPECT_EQ(counts.size(), 10u);
  EXPECT_EQ(counts.back(), 1u);
}

TEST(LongTail, ShowsAndCallsWhatItKeepsAsBefore) {
  const auto all = open_captions("doodles:shapes");
  const auto some = long_tail(open_captions("doodles:shapes"), 25, 1);
  ASSERT_EQ(some->size(), 161u);
  std::size_t at = 0;  // in all, whose order is kept
  for (std::size_t i = 0; i < some->size(); ++i) {
    while (all->place(at) != some->place(i)) ++at;
    EXPECT_EQ(some->concept_of(i), all->concept_of(at));
    EXPECT_EQ(some->caption({1, 2, i}), all->caption({1, 2, at}));
    EXPECT_EQ(as_text(some->image({1, 2, i}).values), as_text(all->image({1, 2, at}).values));
  }
  EXPECT_EQ(some->corpus(), all->corpus());
  EXPECT_EQ(some->anchors(3).size(), 10u);
  EXPECT_EQ(some->description(), all->description() + ", a long tail of 161 pairs, 1 : 25");
}

TEST(LongTail, WhoIsRareDependsOnTheSeedAlone) {
  const auto places = [](std::uint64_t seed) {
    const auto pairs = long_tail(open_captions("doodles:shapes"), 25, seed);
    std::vector<std::string> result;
    for (std::size_t i = 0; i < pairs->size(); ++i) result.push_back(pairs->place(i));
    return result;
  };
  EXPECT_EQ(places(1), places(1));
  EXPECT_NE(places(1), places(2));
}

TEST(LongTail, OfFreeCaptionsKeepsAll) {
  const TempFolder folder;
  for (const char* name : {"a", "b", "c"}) {
    folder.write(std::string(name) + ".jpg", "x");
    folder.write(std::string(name) + ".txt", std::string("this is ") + name);
  }
  EXPECT_EQ(long_tail(open_captions(folder / "."), 25, 1)->size(), 3u);
}

}  // namespace
}  // namespace openworld
