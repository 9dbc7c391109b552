#include "openworld/vlm/feature_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;

Sha256Digest digest(std::uint8_t first) {
  Sha256Digest result{};
  result[0] = first;
  return result;
}

const std::vector<float> kOne = {1, 2, 3};
const std::vector<float> kTwo = {4, 5, 6};

std::vector<float> found(const FeatureStore& store, std::uint8_t image) {
  const float* const feature = store.find(digest(image));
  return feature == nullptr ? std::vector<float>() : std::vector<float>(feature, feature + 3);
}

TEST(FeatureStore, FindsWhatEarlierStoresAdded) {
  const TempFolder folder;
  {
    FeatureStore store(folder / "cache", digest(9), 3);
    EXPECT_TRUE(found(store, 1).empty());
    store.add(digest(1), kOne);
    EXPECT_EQ(found(store, 1), kOne);
    store.flush();
    store.add(digest(2), kTwo);
  }
  const FeatureStore store(folder / "cache", digest(9), 3);
  EXPECT_EQ(store.size(), 2u);
  EXPECT_EQ(found(store, 1), kOne);
  EXPECT_EQ(found(store, 2), kTwo);
  EXPECT_EQ(FeatureStore(folder / "cache", digest(8), 3).size(), 0u);  // of another kind
  EXPECT_EQ(FeatureStore(folder / "cache", digest(9), 4).size(), 0u);  // of another width
}

TEST(FeatureStore, TheFirstFeatureOfAnImageStays) {
  const TempFolder folder;
  FeatureStore store(folder / "cache", digest(9), 3);
  store.add(digest(1), kOne);
  store.add(digest(1), kTwo);
  EXPECT_EQ(found(store, 1), kOne);
}

TEST(FeatureStore, IgnoresFilesThatAreNotItsOwn) {
  const TempFolder folder;
  std::string path;
  {
    FeatureStore store(folder / "cache", digest(9), 3);
    store.add(digest(1), kOne);
    path = store.folder();
  }
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    const std::string bytes = testing::read_file(entry.path().string());
    folder.write("half", bytes.substr(0, bytes.size() / 2));
  }
  std::filesystem::rename(folder / "half", path + "/half.npz");
  std::filesystem::create_directory(path + "/folder.npz");
  EXPECT_EQ(FeatureStore(folder / "cache", digest(9), 3).size(), 1u);
}

TEST(FeatureStore, SaysWhereItCannotWrite) {
  const TempFolder folder;
  folder.write("file", "");
  const FeatureStore store(folder / "file", digest(9), 3);
  EXPECT_ERROR(store.make_folder(), "cannot be made");
}

TEST(FeatureStore, FiniteMeansEveryNumber) {
  EXPECT_TRUE(is_finite(kOne));
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(is_finite(std::vector<float>{1, inf}));
  EXPECT_FALSE(is_finite(std::vector<float>{std::numeric_limits<float>::quiet_NaN(), 1}));
}

}  // namespace
}  // namespace openworld
