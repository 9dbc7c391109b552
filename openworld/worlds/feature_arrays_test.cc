#include "openworld/worlds/feature_arrays.h"

#include "openworld/worlds/test_worlds.h"

namespace openworld {
namespace {

using testing::npy;
using testing::raw;
using testing::samples_of;
using testing::stored;
using testing::TempFolder;
using testing::zip_of;
using Names = std::vector<std::string>;

const std::string kFeatures = npy("<f4", "(3, 2)", raw<float>({1, 2, 3, 4, 0, 0}));
const std::string kLabels = npy("<i4", "(3,)", raw<std::int32_t>({1, -1, 0}));
const std::string kNames = npy("|S3", "(2,)", "catdog");
const std::string kSplits = npy("|S5", "(3,)",
                                std::string("train"
                                            "test\0"
                                            "test\0",
                                            15));

TEST(FeatureArrays, IsADatasetWithoutImages) {
  const TempFolder folder;
  const std::string path =
      folder.write("f.npz", zip_of({stored("features.npy", kFeatures),
                                    stored("labels.npy", kLabels), stored("names.npy", kNames)}));
  const Dataset dataset = open_dataset(path);
  EXPECT_EQ(dataset.format, "features");
  EXPECT_EQ(dataset.classes, (Names{"cat", "dog"}));
  EXPECT_EQ(samples_of(dataset), "1 row 0, -1 row 1, 0 row 2");
  EXPECT_ERROR(read_sample(dataset, 1), "f.npz: row 1 has features but no image; expected a");
  EXPECT_EQ(sample_name(dataset, 2), path + ", row 2");
  const FeatureSource* source = feature_source(dataset);
  ASSERT_NE(source, nullptr);
  std::vector<float> feature(2);
  source->feature(dataset.samples[1], feature);
  EXPECT_EQ(feature, (std::vector<float>{3, 4}));
  EXPECT_ERROR(source->feature(dataset.samples[2], feature),
               "features, row 2 is zero or not finite");
  EXPECT_EQ(feature_source(Dataset{}), nullptr);
  // Names from elsewhere.
  const std::string names = folder.write("names.txt", "lion\nwolf\nfox\n");
  EXPECT_EQ(open_dataset(path, {.names = names}).classes, (Names{"lion", "wolf", "fox"}));
}

TEST(FeatureArrays, Splits) {
  const TempFolder folder;
  const std::string path =
      folder.write("f.npz", zip_of({stored("features.npy", kFeatures), stored("label.npy", kLabels),
                                    stored("split.npy", kSplits)}));
  const Dataset test = open_dataset(path, {.split = "test"});
  EXPECT_EQ(samples_of(test), "-1 row 1, 0 row 2");
  EXPECT_EQ(test.splits, (Names{"test", "train"}));
  EXPECT_FALSE(test.named);
  EXPECT_EQ(test.classes, (Names{"0", "1"}));
  EXPECT_ERROR(open_dataset(path), "name one with --split");
}

// A file of 400 bytes would be two billion names.
TEST(FeatureArrays, LargestLabelIsBounded) {
  const TempFolder folder;
  const std::string labels = npy("<i4", "(3,)", raw<std::int32_t>({1, INT32_MAX, 0}));
  const std::string path = folder.write(
      "f.npz", zip_of({stored("features.npy", kFeatures), stored("label.npy", labels)}));
  EXPECT_ERROR(open_dataset(path), "f.npz: label of 2147483648 classes without names");
}

TEST(FeatureArrays, LabelsByName) {
  const TempFolder folder;
  const std::string labels = npy("|S7", "(3,)", std::string("dog\0\0\0\0unknowncat\0\0\0\0", 21));
  const std::string path = folder.write(
      "f.npz", zip_of({stored("features.npy", kFeatures), stored("label.npy", labels)}));
  const Dataset dataset = open_dataset(path);
  EXPECT_EQ(dataset.classes, (Names{"cat", "dog"}));
  EXPECT_EQ(samples_of(dataset), "1 row 0, -1 row 1, 0 row 2");
  EXPECT_ERROR(open_dataset(path, {.names = folder.write("n.txt", "cat\nfox\n")}),
               "label[0] is \"dog\", which is no class");
}

TEST(FeatureArrays, Refusals) {
  const TempFolder folder;
  const auto open = [&](std::vector<testing::Member> members) {
    return open_dataset(folder.write("f.npz", zip_of(members)));
  };
  EXPECT_ERROR(open({stored("features.npy", kFeatures)}), "has features but no label");
  EXPECT_ERROR(open({stored("label.npy", kLabels)}), "no features");
  EXPECT_ERROR(open({stored("features.npy", kFeatures), stored("names.npy", kNames),
                     stored("label.npy", npy("<i4", "(3,)", raw<std::int32_t>({1, 2, 0})))}),
               "label[1] is 2; expected 0 to 1, or -1 for unknown");
  EXPECT_ERROR(open({stored("features.npy", kFeatures),
                     stored("label.npy", npy("<i4", "(2,)", raw<std::int32_t>({1, 0})))}),
               "label has 2 entries; expected 3");
  EXPECT_ERROR(open({stored("features.npy", kFeatures), stored("label.npy", kLabels),
                     stored("names.npy", npy("|S3", "(2,)", "catcat"))}),
               "both named \"cat\"");
}

}  // namespace
}  // namespace openworld
