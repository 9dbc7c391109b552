#include "openworld/checkpoint/published_model.h"

#include <cstdlib>

#include "openworld/checkpoint/clip_checkpoint.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;

// $HOME for the time of a test.
class Home {
 public:
  explicit Home(const std::string& folder) {
    ::setenv("HOME", folder.c_str(), 1);
    ::unsetenv("HF_HOME");
  }
  ~Home() { ::setenv("HOME", before_.c_str(), 1); }

 private:
  std::string before_ = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
};

void expect_says(const std::string& name, const std::string& says) {
  const std::string got = published_model(name);
  EXPECT_NE(got.find(says), std::string::npos) << name << ": " << got;
}

TEST(PublishedModel, SaysWhichFilesToPutWhere) {
  const TempFolder folder;
  const Home home(folder / "nobody");
  expect_says("ViT-B/32", "put ViT-B-32.pt (");
  expect_says("ViT-L/14@336px", "put ViT-L-14@336px.pt (");
  expect_says("ViT-B-16-quickgelu", "open_clip_config.json and open_clip_model.safetensors");
  expect_says("RN50x4", "is a ResNet; expected a vision transformer");
  expect_says("openai/clip-vit-base-patch32",
              "from https://huggingface.co/openai/clip-vit-base-patch32 into a folder");
  expect_says("hf-hub:laion/CLIP-ViT-B-32-laion2B-s34B-b79K",
              "https://huggingface.co/laion/CLIP-ViT-B-32-laion2B-s34B-b79K into");
  EXPECT_EQ(published_model("ViT-B/32").find("copy"), std::string::npos);
}

TEST(PublishedModel, LeavesPathsAlone) {
  const TempFolder folder;
  for (const std::string& name :
       {std::string("models/vit.pt"), std::string("model"), std::string("a/b/c"),
        std::string("/tmp/none"), std::string("../model"), std::string("./model"),
        std::string("openai/model.safetensors"), std::string("open ai/model"), folder / "none"}) {
    EXPECT_EQ(published_model(name), "") << name;
  }
}

TEST(PublishedModel, NamesACopyOfOtherPrograms) {
  const TempFolder folder;
  const Home home(folder / "home");
  const std::string file = folder.write("home/.cache/clip/ViT-B-32.pt", "x");
  expect_says("ViT-B/32", "; there is a copy, use " + file);
  folder.write("home/.cache/huggingface/hub/models--a--b/snapshots/0123/config.json", "{}");
  expect_says("a/b", "; there is a copy, use " + (folder / "home/.cache/huggingface/hub/models--a"
                                                           "--b/snapshots/0123"));
}

TEST(PublishedModel, IsRefusedInOneLine) {
  EXPECT_ERROR(open_clip_checkpoint("ViT-B/32", {.activation = {}, .function = "tune"}),
               "[tune] ViT-B/32: is the name of a model, and nothing is downloaded here; put ");
}

}  // namespace
}  // namespace openworld
