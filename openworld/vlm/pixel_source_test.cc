#include "openworld/vlm/pixel_source.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "openworld/base/error.h"
#include "openworld/images/decode.h"
#include "openworld/images/transform.h"
#include "openworld/io/png_writer.h"
#include "openworld/vlm/extra_features.h"
#include "openworld/vlm/test_util.h"

namespace openworld {
namespace {

using at::Tensor;
namespace fs = std::filesystem;

// PNG files of several sizes in a folder that goes with it.
class PixelSourceTest : public testing::Test {
 protected:
  static constexpr std::size_t kImages = 9;

  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) /
        (std::string("pixels_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    dataset_.root = folder_.string();
    Random random(3);
    for (std::size_t i = 0; i < kImages; ++i) {
      const int width = 30 + static_cast<int>(random.below(40));
      const int height = 30 + static_cast<int>(random.below(40));
      std::vector<std::uint8_t> rgb(static_cast<std::size_t>(3 * width * height));
      for (std::uint8_t& value : rgb) value = static_cast<std::uint8_t>(random.below(256));
      const std::string name = "image_" + std::to_string(i) + ".png";
      std::ofstream(folder_ / name, std::ios::binary)
          << make_png(width, height, rgb, PngCompression::kDeflated);
      dataset_.samples.push_back({.path = name, .label = 0});
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  Image decoded(std::size_t i) const {
    return decode_image(read_sample(dataset_, i).values, {"test", sample_name(dataset_, i)});
  }

  // One image after the other, without loader.
  Tensor expected(const std::vector<PixelItem>& items, std::uint64_t seed) const {
    const std::int64_t size = preprocessing_.image_size;
    Tensor result = at::empty({static_cast<std::int64_t>(items.size()), 3, size, size});
    const auto values = static_cast<std::size_t>(3 * size * size);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::span<float> chw(result.data_ptr<float>() + i * values, values);
      const Image image = decoded(items[i].sample);
      if (items[i].view) {
        train_transform(image, preprocessing_, {seed, *items[i].view, items[i].sample}, chw);
      } else {
        clip_transform(image, preprocessing_, chw);
      }
    }
    return result;
  }

  static Tensor all_of(PixelStream stream) {
    std::vector<Tensor> batches;
    while (stream.left() > 0) batches.push_back(stream.next());
    return at::cat(batches);
  }

  fs::path folder_;
  Dataset dataset_;
  Preprocessing preprocessing_ = small_config().preprocessing;
};

TEST_F(PixelSourceTest, ServesEveryKindOfItemInOrder) {
  const std::vector<PixelItem> items = {{3}, {8, 0}, {3, 5}, {0}, {3, 5}, {7, 1u << 20}, {1, 0}};
  const Tensor reference = expected(items, 6);
  for (const int threads : {1, 3}) {
    for (const std::size_t batch : {1, 2, 7, 100}) {
      const PixelSource source(dataset_, preprocessing_, {.seed = 6, .threads = threads});
      PixelStream stream = source.stream(items, batch);
      EXPECT_EQ(stream.left(), items.size());
      const Tensor first = stream.next();
      EXPECT_EQ(first.size(0), static_cast<std::int64_t>(std::min(batch, items.size())));
      EXPECT_TRUE(first.equal(reference.narrow(0, 0, first.size(0))));
      EXPECT_TRUE(all_of(source.stream(items, batch)).equal(reference));
      // From the middle.
      const std::vector<PixelItem> rest(items.begin() + 3, items.end());
      EXPECT_TRUE(all_of(source.stream(rest, batch)).equal(reference.narrow(0, 3, 4)));
    }
  }
  EXPECT_FALSE(reference[2].equal(reference[0]));
  EXPECT_FALSE(reference[2].equal(expected({{3, 5}}, 7)[0]));
  EXPECT_TRUE(all_of(PixelSource(dataset_, preprocessing_).stream(test_items(dataset_), 4))
                  .equal(expected(test_items(dataset_), 1)));
}

TEST_F(PixelSourceTest, ViewsAreThoseThatViewFeaturesEncodes) {
  const Clip clip = random_clip(small_config(), 2);
  const Tensor features = view_features(clip, dataset_, 2, 9);
  const PixelSource source(dataset_, clip.config.preprocessing, {.seed = 9});
  const Tensor pixels = all_of(source.stream({{4, 0}, {2, 1}}, 1));
  const auto encoded = [&](std::int64_t i) {
    return encode_images(clip.vision, pixels.narrow(0, i, 1)).features.flatten();
  };
  EXPECT_TRUE(encoded(0).equal(features[0][4]));
  EXPECT_TRUE(encoded(1).equal(features[1][2]));
}

TEST_F(PixelSourceTest, HoldsItsMemoryBoundAndGivesTheSame) {
  // One image takes 1.03 MiB, a batch five of them.
  preprocessing_.image_size = 300;
  std::vector<PixelItem> items;
  for (std::uint64_t v = 0; v < 4; ++v) {
    for (std::size_t i = 0; i < kImages; ++i) items.push_back({i, v});
  }
  const PixelSource wide(dataset_, preprocessing_, {.threads = 3});
  const PixelSource tight(dataset_, preprocessing_, {.threads = 3, .memory_mib = 1});
  EXPECT_TRUE(all_of(tight.stream(items, 5)).equal(all_of(wide.stream(items, 5))));
  EXPECT_THROW(PixelSource(dataset_, preprocessing_, {.memory_mib = 0}), Error);
}

TEST_F(PixelSourceTest, NamesTheImageThatCannotBeRead) {
  std::ofstream(folder_ / "image_5.png", std::ios::binary) << "not an image";
  const PixelSource source(dataset_, preprocessing_);
  PixelStream stream = source.stream(test_items(dataset_), 4);
  stream.next();
  try {
    stream.next();
    FAIL() << "expected an Error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("image_5.png"), std::string::npos) << e.what();
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
  }
  fs::remove(folder_ / "image_2.png");
  PixelStream missing = source.stream({{2}}, 1);
  EXPECT_THROW(missing.next(), Error);
  EXPECT_THROW(source.stream({{kImages}}, 1), Error);
  EXPECT_THROW(source.stream({{0}}, 0), Error);
}

TEST_F(PixelSourceTest, CanBeLeftInTheMiddle) {
  const PixelSource source(dataset_, preprocessing_, {.threads = 3});
  for (int i = 0; i < 20; ++i) {
    PixelStream stream = source.stream(test_items(dataset_), 2);
    const Tensor kept = stream.next();
    stream = source.stream({{1}}, 1);
    EXPECT_TRUE(kept.equal(expected({{0}, {1}}, 1)));
  }
}

}  // namespace
}  // namespace openworld
