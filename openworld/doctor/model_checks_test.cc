// The checks of checkpoints and of the cache of their features.

#include <filesystem>

#include "openworld/checkpoint/feature_file.h"
#include "openworld/checkpoint/test_values.h"
#include "openworld/doctor/test_doctor.h"

namespace openworld {
namespace {

using testing::checkpoint;
using testing::found_by;
using testing::has_text;
using testing::TempFolder;

TEST(AssumedFacts, AreThoseThatNoConfigurationGives) {
  SKIP_WITHOUT_CHECKPOINTS();
  const Patient healthy = open_patient(checkpoint("huggingface"), {});
  EXPECT_EQ(healthy.kind, PatientKind::kModel);
  EXPECT_EQ(found_by(healthy, "assumed-activation"), "");
  EXPECT_EQ(found_by(healthy, "assumed-preprocessing"), "");
  const Patient bare = open_patient(checkpoint("bare.safetensors"), {});
  EXPECT_TRUE(has_text(found_by(bare, "assumed-activation"), "gelu is assumed"));
  EXPECT_TRUE(has_text(found_by(bare, "assumed-preprocessing"), "mean and std are assumed"));
  DoctorOptions options;
  options.activation = "quick_gelu";
  EXPECT_EQ(found_by(open_patient(checkpoint("bare.safetensors"), options), "assumed-activation"),
            "");
}

TEST(MissingVocabulary, IsNeitherBesideTheWeightsNorGiven) {
  SKIP_WITHOUT_CHECKPOINTS();
  EXPECT_EQ(found_by(open_patient(checkpoint("huggingface"), {}), "missing-vocabulary"), "");
  EXPECT_TRUE(
      has_text(found_by(open_patient(checkpoint("bare.safetensors"), {}), "missing-vocabulary"),
               "no vocabulary beside the weights"));
  DoctorOptions options;
  options.vocabulary = "merges.txt";
  EXPECT_EQ(found_by(open_patient(checkpoint("bare.safetensors"), options), "missing-vocabulary"),
            "");
}

class Cache : public ::testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_CHECKPOINTS();
    options_.cache.folder = folder_ / "cache";
    patient_ = open_patient(checkpoint("huggingface"), options_);
    kind_ = feature_folder(options_.cache.folder, feature_kind(*patient_.model));
    width_ = static_cast<std::size_t>(patient_.model->config().embed);
  }

  // Writes features of one image, and returns the bytes.
  std::string write(float value, const std::string& name = "") {
    const std::vector<Sha256Digest> images(1);
    const std::vector<float> values(width_, value);
    const std::string bytes = make_feature_file(images, values);
    const std::string hash = feature_file_name(std::as_bytes(std::span(bytes)));
    put(name.empty() ? hash : name, bytes);
    return bytes;
  }

  void put(const std::string& name, const std::string& bytes) {
    std::filesystem::create_directories(kind_);
    std::ofstream(kind_ + "/" + name, std::ios::binary) << bytes;
  }

  std::string found() const { return found_by(patient_, "cache-damage"); }

  TempFolder folder_;
  DoctorOptions options_;
  Patient patient_;
  std::string kind_;
  std::size_t width_ = 0;
};

TEST_F(Cache, IsHealthyWithoutFilesAndWithWholeOnes) {
  EXPECT_EQ(found(), "");
  write(1.5f);
  put("notes.txt", "not features");
  EXPECT_EQ(found(), "");
}

TEST_F(Cache, CutFilesAreFound) {
  const std::string bytes = write(1.5f);
  put("cut.npz", bytes.substr(0, bytes.size() / 2));
  EXPECT_TRUE(has_text(found(), "1 file of features")) << found();
  EXPECT_TRUE(has_text(found(), "cut.npz")) << found();
}

TEST_F(Cache, ChangedFilesAreFound) {
  write(1.5f, "00000000000000000000000000000000.npz");
  EXPECT_TRUE(has_text(found(), "not those that its name is the hash of")) << found();
}

TEST_F(Cache, FeaturesThatAreNotFiniteAreFound) {
  write(std::numeric_limits<float>::infinity());
  EXPECT_TRUE(has_text(found(), "feature 0 is not finite")) << found();
}

}  // namespace
}  // namespace openworld
