#include "openworld/worlds/class_order.h"

#include "openworld/worlds/test_worlds.h"

namespace openworld {
namespace {

TEST(ClassOrder, BaseFirst) {
  EXPECT_EQ(base_first(std::vector<std::size_t>{1, 3}, 5),
            (std::vector<std::int32_t>{1, 3, 0, 2, 4}));
  EXPECT_EQ(places_in(std::vector<std::int32_t>{1, 3, 0, 2}),
            (std::vector<std::int32_t>{2, 0, 3, 1}));
}

TEST(ClassOrder, LabelsFollow) {
  Dataset dataset;
  dataset.classes = {"cat", "dog", "owl"};
  for (const std::int32_t label : {2, -1, 0, 1})
    dataset.samples.push_back({.path = "x", .label = label});
  const Dataset ordered = reorder_classes(dataset, std::vector<std::int32_t>{2, 0, 1});
  EXPECT_EQ(ordered.classes, (std::vector<std::string>{"owl", "cat", "dog"}));
  EXPECT_EQ(testing::samples_of(ordered), "0 x, -1 x, 1 x, 2 x");
}

}  // namespace
}  // namespace openworld
