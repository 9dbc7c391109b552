#include "openworld/io/feature_reader.h"

#include "openworld/io/safetensors.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::npy;
using testing::raw;
using testing::stored;
using testing::TempFolder;
using testing::zip_of;

const std::string kFeatures = npy("<f4", "(2, 3)", raw<float>({1, 2, 3, 4, 5, 6}));
const std::string kLabels = npy("<i8", "(2,)", raw<std::int64_t>({1, -1}));

std::vector<std::int32_t> integers(const ClassLabels& labels) {
  const auto values = std::get<Column<std::int32_t>>(labels).values;
  return {values.begin(), values.end()};
}

TEST(FeatureReader, TakesTheUsualNames) {
  const TempFolder folder;
  const std::string path = folder.write(
      "a.npz", zip_of({stored("image_embeds.npy", kFeatures), stored("targets.npy", kLabels),
                       stored("classes.npy", npy("|S3", "(2,)", "catdog"))}));
  const FeatureReader reader(path, "test");
  EXPECT_EQ(to_matrix(reader.features(), reader.origin()).columns, 3u);
  EXPECT_EQ(integers(*reader.labels()), (std::vector<std::int32_t>{1, -1}));
  EXPECT_EQ(reader.names(), (std::vector<std::string>{"cat", "dog"}));
}

TEST(FeatureReader, LabelsMayBeNames) {
  const TempFolder folder;
  const std::string path = folder.write(
      "a.npz",
      zip_of({stored("features.npy", kFeatures),
              stored("label.npy", npy("|S7", "(2,)", std::string("cat\0\0\0\0unknown", 14)))}));
  EXPECT_EQ(std::get<1>(*FeatureReader(path, "test").labels()),
            (std::vector<std::string>{"cat", "unknown"}));
}

TEST(FeatureReader, AloneAsNpy) {
  const TempFolder folder;
  const FeatureReader reader(folder.write("a.npy", kFeatures), "test");
  EXPECT_EQ(reader.features().header.shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_FALSE(reader.labels().has_value());
  EXPECT_EQ(integers(load_labels(folder.write("y.npy", kLabels), "test")),
            (std::vector<std::int32_t>{1, -1}));
}

TEST(FeatureReader, Safetensors) {
  const TempFolder folder;
  const std::vector<std::uint16_t> bf16 = {0x3f80, 0x4000, 0x4040, 0xbf80};  // 1, 2, 3, -1
  const std::vector<std::int32_t> label = {3, -1};
  write_safetensors(folder / "a.safetensors",
                    {{"labels", TensorType::kI32, {2}},
                     {"embeddings", TensorType::kBF16, {2, 2}},
                     {"logit_scale", TensorType::kBF16, {}}},
                    [&](std::size_t i) {
                      return i == 0 ? std::as_bytes(std::span(label))
                                    : std::as_bytes(std::span(bf16)).first(i == 1 ? 8 : 2);
                    });
  const FeatureReader reader(folder / "a.safetensors", "test");
  const Matrix matrix = to_matrix(reader.features(), reader.origin());
  const auto values = std::get<Column<float>>(matrix.values).values;
  EXPECT_EQ(std::vector<float>(values.begin(), values.end()), (std::vector<float>{1, 2, 3, -1}));
  EXPECT_EQ(integers(*reader.labels()), label);
}

TEST(FeatureReader, Refusals) {
  const TempFolder folder;
  const auto read = [&](const std::string& bytes) {
    const FeatureReader reader(folder.write("a.npz", bytes), "test");
    reader.features();
    reader.labels();
    reader.names();
  };
  EXPECT_ERROR(read(zip_of({stored("label.npy", kLabels)})),
               "a.npz: no features; expected an array [rows, dimensions] called features, ");
  EXPECT_ERROR(
      read(zip_of({stored("features.npy", kFeatures), stored("embeddings.npy", kFeatures)})),
      "has both features and embeddings; expected one of them");
  EXPECT_ERROR(read(zip_of({stored("features.npy", kLabels)})),
               "features has shape (2,); expected [rows, dimensions]");
  EXPECT_ERROR(read(zip_of({stored("features.npy", npy("<f4", "(0, 3)", ""))})), "has no rows");
  EXPECT_ERROR(read(zip_of({stored("features.npy", kFeatures), stored("label.npy", kFeatures)})),
               "label has");
  EXPECT_ERROR(FeatureReader(folder / "missing.npz", "test"), "missing.npz");
}

}  // namespace
}  // namespace openworld
