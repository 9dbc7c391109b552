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

std::string torch(const std::string& name) {
  return testing::testdata("torch/" + name);
}

std::vector<float> floats(const FeatureReader& reader) {
  const Matrix matrix = to_matrix(reader.features(), reader.origin());
  const auto values = std::get<Column<float>>(matrix.values).values;
  EXPECT_EQ(matrix.columns, 3u);
  return {values.begin(), values.end()};
}

// What torch.save was given: a tensor, (features, labels), and dicts.
TEST(FeatureReader, TensorsWithoutNames) {
  const std::vector<float> counted = {0, 1, 2, 3, 4, 5};
  for (const char* name : {"tensor.pt", "pair.pt", "other_names.pt", "named.pt"}) {
    const FeatureReader reader(torch(name), "test");
    EXPECT_TRUE(reader.has_features());
    EXPECT_EQ(floats(reader), counted) << name;
  }
  EXPECT_EQ(integers(*FeatureReader(torch("pair.pt"), "test").labels()),
            (std::vector<std::int32_t>{1, -1}));
  // y may be anything: a dict says by its names what it has.
  for (const char* name : {"tensor.pt", "other_names.pt"}) {
    EXPECT_FALSE(FeatureReader(torch(name), "test").labels().has_value()) << name;
  }
  EXPECT_EQ(integers(load_labels(torch("labels.pt"), "test")), (std::vector<std::int32_t>{1, 0}));
}

TEST(FeatureReader, ListsOfTextsBesideTensors) {
  const FeatureReader reader(torch("named.pt"), "test");
  EXPECT_EQ(reader.names(), (std::vector<std::string>{"cat", "d\u00f6g"}));
  EXPECT_EQ(std::get<1>(*reader.labels()), (std::vector<std::string>{"cat", "unknown"}));
}

TEST(FeatureReader, RefusesTensorsThatMayBeSeveralThings) {
  const auto read = [](const char* name) { FeatureReader(torch(name), "test").features(); };
  EXPECT_TRUE(FeatureReader(torch("two_tables.pt"), "test").has_features());
  EXPECT_ERROR(
      read("two_tables.pt"),
      R"(two_tables.pt: 2 tensors may be the features: "0" [2, 3], "1" [2, 3]; save a dict)");
  EXPECT_ERROR(FeatureReader(torch("two_tables.pt"), "test").labels(), "2 tensors may be");
  EXPECT_ERROR(read("with_texts.pt"), "item 1 is a list of texts, which may be labels or names");
  EXPECT_ERROR(read("labels.pt"),
               R"(no features among the tensors "0" [2]; expected floats [rows, dimensions])");
  EXPECT_ERROR(load_labels(torch("pair.pt"), "test"), "has 2 tensors; expected one, the labels");
  EXPECT_FALSE(FeatureReader(torch("state_dict.pt"), "test").has_features());
  EXPECT_ERROR(read("state_dict.pt"), "tensors may be the features: ");
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
