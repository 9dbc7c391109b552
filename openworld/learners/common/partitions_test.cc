#include "openworld/learners/common/partitions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "openworld/base/error.h"

namespace openworld {
namespace {

// (base classes, columns, padded detectors) for K = 3, as the released DeCoOp makes them.
struct Row {
  std::int64_t classes;
  std::size_t columns;
  std::set<std::int64_t> padded;
};

TEST(Partitions, HaveTheColumnsOfTheReleasedCode) {
  for (const Row& row : {Row{500, 334, {0, 1}},
                         {50, 34, {0, 1}},
                         {19, 13, {0}},
                         {98, 66, {0, 1}},
                         {51, 34, {}},
                         {199, 133, {0}},
                         {24, 16, {}},
                         {5, 4, {0, 1}}}) {
    const auto partitions = class_partitions(row.classes, 3);
    for (std::int64_t i = 0; i < 3; ++i) {
      const Partition& p = partitions[static_cast<std::size_t>(i)];
      EXPECT_EQ(p.columns.size(), row.columns) << row.classes;
      // The class that pads has a column, and its images still count as new.
      const bool padded = std::find(p.columns.begin(), p.columns.end(), i) != p.columns.end();
      EXPECT_EQ(padded, row.padded.contains(i)) << row.classes << " classes, detector " << i;
      EXPECT_EQ(p.column_of[static_cast<std::size_t>(i)], -1);
    }
  }
}

TEST(Partitions, EveryClassIsNewForExactlyOneDetector) {
  for (const std::int64_t classes : {2, 3, 7, 26}) {
    for (std::int64_t k = 2; k <= std::min<std::int64_t>(classes, 5); ++k) {
      const auto partitions = class_partitions(classes, k);
      ASSERT_EQ(partitions.size(), static_cast<std::size_t>(k));
      for (std::size_t c = 0; c < static_cast<std::size_t>(classes); ++c) {
        std::int64_t times = 0;
        for (const Partition& p : partitions) {
          if (p.column_of[c] < 0) {
            ++times;
          } else {
            EXPECT_EQ(p.columns[static_cast<std::size_t>(p.column_of[c])],
                      static_cast<std::int64_t>(c));
          }
        }
        EXPECT_EQ(times, 1);
      }
    }
  }
}

TEST(Partitions, OfTwoClassesCanOnlyBeTwo) {
  try {
    class_partitions(2, 3);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "[class_partitions] option partitions is 3, with 2 base classes; expected 2");
  }
}

TEST(Partitions, NeedAtLeastTwoAndAtMostAsManyAsThereAreClasses) {
  EXPECT_THROW(class_partitions(5, 1), Error);
  try {
    class_partitions(5, 6);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "[class_partitions] option partitions is 6, with 5 base classes; expected 2 to 5");
  }
}

}  // namespace
}  // namespace openworld
