#include "openworld/checkpoint/bundled_models.h"

#include <cstdlib>
#include <filesystem>

#include "openworld/checkpoint/clip_checkpoint.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;
using testing::TempFolder;

class BundledModels : public ::testing::Test {
 protected:
  void SetUp() override { setenv("OPENWORLD_DATA", OPENWORLD_SOURCE_DIR "/data", 1); }
  void TearDown() override { unsetenv("OPENWORLD_DATA"); }
};

TEST_F(BundledModels, AreOpenedByName) {
  for (const BundledModel& row : bundled_models()) {
    const std::string name(row.name);
    const ClipCheckpoint model = open_clip_checkpoint(name);
    EXPECT_EQ(model.format(), "huggingface") << name;
    EXPECT_EQ(model.stored_types(), std::vector{TensorType::kF16}) << name;
    EXPECT_LE(parameter_count(model.config()), 4'000'000) << name;
    EXPECT_LE(fs::file_size(model.files().at(0)), 8'000'000) << name;
    EXPECT_FALSE(model.vocabulary_path().empty()) << name;
    // Room for 16 learned tokens and a name of twelve.
    EXPECT_GE(model.config().context, 2 + 16 + 12) << name;
    EXPECT_TRUE(model.notes().empty()) << name;
    EXPECT_FALSE(row.description.empty()) << name;
  }
}

// A folder of data/ that is a model has a row.
TEST_F(BundledModels, AreAllListed) {
  std::size_t models = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(OPENWORLD_SOURCE_DIR "/data")) {
    models += fs::exists(entry.path() / "model.safetensors") ? 1 : 0;
  }
  EXPECT_EQ(models, bundled_models().size());
}

TEST_F(BundledModels, ComeAfterFilesOfTheSameName) {
  const TempFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder / ".");
  EXPECT_EQ(find_bundled_model("pocket"), OPENWORLD_SOURCE_DIR "/data/pocket");
  EXPECT_EQ(find_bundled_model("./pocket"), "./pocket");
  EXPECT_EQ(find_bundled_model("doodles.npz"), "doodles.npz");
  EXPECT_ERROR(open_clip_checkpoint("poket"),
               "poket: cannot open: No such file or directory; did you mean pocket?");
  fs::create_directory("pocket");
  EXPECT_EQ(find_bundled_model("pocket"), "pocket");
  fs::current_path(before);
}

TEST_F(BundledModels, AreNamedWhereTheyAreMissing) {
  setenv("OPENWORLD_DATA", "/elsewhere", 1);
  EXPECT_ERROR(open_clip_checkpoint("pocket"), "/elsewhere/pocket");
}

}  // namespace
}  // namespace openworld
