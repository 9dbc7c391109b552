#include "openworld/vlm/image_features.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <thread>

#include "openworld/io/png_writer.h"
#include "openworld/io/test_util.h"
#include "openworld/vlm/encoding_claim.h"
#include "openworld/vlm/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;

constexpr std::size_t kImages = 7;

// Images in a folder, a model, and a place for features.
class ImageFeaturesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dataset_.root = folder_ / "images";
    for (std::size_t i = 0; i < kImages; ++i) {
      const std::vector<std::uint8_t> rgb(3 * 20 * 20, static_cast<std::uint8_t>(30 * i));
      const std::string name = std::to_string(i) + ".png";
      folder_.write("images/" + name, make_png(20, 20, rgb, PngCompression::kDeflated));
      dataset_.samples.push_back({.path = name, .label = 0});
    }
  }

  std::unique_ptr<FeatureStore> store() const {
    return std::make_unique<FeatureStore>(folder_ / "cache", Sha256Digest{},
                                          static_cast<std::size_t>(clip_.config.embed));
  }

  ImageFeatures encode(FeatureStore* store, ImageFeatureOptions options = {}) const {
    options.store = store;
    options.threads = 1;
    options.batch = 2;
    return image_features(clip_, dataset_, options);
  }

  // What the claim on these images is called.
  EncodingClaim claim_of(FeatureStore& store) const {
    std::map<Sha256Digest, std::size_t> images;
    for (std::size_t i = 0; i < kImages; ++i) {
      images[sha256(read_sample(dataset_, i).values)] = i;
    }
    return EncodingClaim(store, images);
  }

  TempFolder folder_;
  Dataset dataset_;
  Clip clip_ = random_clip(small_config(), 1);
};

TEST_F(ImageFeaturesTest, OneOfTwoEncodesAndTheOtherTakesItsFeatures) {
  const std::vector<float> expected = encode(nullptr).features;
  std::promise<std::string> waits;
  std::future<std::string> owner = waits.get_future();
  std::atomic<bool> encoding = false;
  ImageFeatureOptions first;
  // It begins its second batch only once the other one waits.
  first.on_encode = [&](std::size_t done, std::size_t) {
    if (done > 0 && !encoding.exchange(true)) owner.wait();
  };
  ImageFeatures one;
  std::thread thread([&] {
    const auto kept = store();
    one = encode(kept.get(), first);
  });
  while (!encoding) std::this_thread::yield();
  ImageFeatureOptions second;
  second.on_wait = [&](const std::string& who) { waits.set_value(who); };
  const auto kept = store();
  const ImageFeatures two = encode(kept.get(), second);
  thread.join();
  EXPECT_NE(owner.get().find("process " + std::to_string(::getpid())), std::string::npos);
  EXPECT_EQ(one.encoded, kImages);
  EXPECT_EQ(two.encoded, 0u);
  EXPECT_EQ(two.found, kImages);
  EXPECT_EQ(one.features, expected);
  EXPECT_EQ(two.features, expected);
  EXPECT_FALSE(one.unclaimed || two.unclaimed || one.unsaved || two.unsaved);
}

TEST_F(ImageFeaturesTest, TheClaimOfADeadProcessIsTakenOver) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto kept = store();
    EncodingClaim claim = claim_of(*kept);
    ::_exit(claim.take() ? 0 : 1);  // without destructors: as if it had been killed
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  const auto kept = store();
  ASSERT_TRUE(claim_of(*kept).owner());
  EXPECT_EQ(encode(kept.get()).encoded, kImages);
  EXPECT_FALSE(claim_of(*kept).owner());
}

TEST_F(ImageFeaturesTest, NothingIsClaimedThatIsInTheStore) {
  const auto kept = store();
  EXPECT_EQ(encode(kept.get()).encoded, kImages);
  EncodingClaim claim = claim_of(*kept);
  ASSERT_TRUE(claim.take());
  ImageFeatureOptions options;
  options.on_wait = [](const std::string&) { ADD_FAILURE(); };
  EXPECT_EQ(encode(kept.get(), options).found, kImages);
}

TEST_F(ImageFeaturesTest, AnOwnerThatGivesUpLeavesTheRestToOthers) {
  const auto kept = store();
  EncodingClaim held = claim_of(*kept);
  ASSERT_TRUE(held.take());
  ImageFeatureOptions options;
  options.on_wait = [&](const std::string&) { held.release(); };
  EXPECT_EQ(encode(kept.get(), options).encoded, kImages);
}

TEST_F(ImageFeaturesTest, AFolderThatCannotBeWrittenIsEncodedWithoutAClaim) {
  folder_.write("cache", "a file");
  const auto kept = store();
  const ImageFeatures features = encode(kept.get());
  EXPECT_EQ(features.encoded, kImages);
  EXPECT_TRUE(features.unclaimed);
  EXPECT_TRUE(features.unsaved);
  EXPECT_EQ(features.features, encode(nullptr).features);
}

TEST_F(ImageFeaturesTest, StopsAndKeepsWhatWasEncoded) {
  std::size_t encoded = 0;
  ImageFeatureOptions options;
  options.on_encode = [&](std::size_t done, std::size_t) { encoded = done; };
  options.stop = [&] { return encoded > 0; };
  {
    const auto kept = store();
    EXPECT_ERROR(encode(kept.get(), options), "[image_features] stopped");
  }
  const auto kept = store();
  EXPECT_GT(kept->size(), 0u);
  EXPECT_LT(kept->size(), kImages);
  const ImageFeatures rest = encode(kept.get());
  EXPECT_EQ(rest.encoded + rest.found, kImages);
  EXPECT_EQ(rest.features, encode(nullptr).features);
}

// While it waits for somebody else, too.
TEST_F(ImageFeaturesTest, StopsWhileItWaits) {
  const auto kept = store();
  EncodingClaim held = claim_of(*kept);
  ASSERT_TRUE(held.take());
  std::atomic<bool> waits = false;
  ImageFeatureOptions options;
  options.on_wait = [&](const std::string&) { waits = true; };
  options.stop = [&] { return waits.load(); };
  EXPECT_ERROR(encode(kept.get(), options), "[image_features] stopped");
}

}  // namespace
}  // namespace openworld
