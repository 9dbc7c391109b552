// Doodles as datasets: names, splits, and the bytes of their samples.

#include <thread>

#include "openworld/io/png_writer.h"
#include "openworld/io/sha256.h"
#include "openworld/worlds/doodle_spec.h"
#include "openworld/worlds/test_worlds.h"

namespace openworld {
namespace {

using testing::contents;
using testing::TempFolder;
using Names = std::vector<std::string>;

std::string parsed(const std::string& text) {
  return parse_doodle_spec({"open_dataset", text}).text();
}

TEST(DoodleSpec, LeavesOutDefaults) {
  EXPECT_EQ(parsed("doodles"), "doodles:all");
  EXPECT_EQ(parsed("doodles:all@plain#1"), "doodles:all");
  EXPECT_EQ(parsed("doodles@chalk"), "doodles:all@chalk");
  EXPECT_EQ(parsed("doodles#3"), "doodles:all#3");
  EXPECT_EQ(parsed("doodles:food@cluttered#18446744073709551615"),
            "doodles:food@cluttered#18446744073709551615");
}

TEST(DoodleSpec, SaysWhatThereIs) {
  EXPECT_ERROR(parsed("doodles:animls"),
               "[open_dataset] doodles:animls: no dataset \"animls\"; did you mean animals? There "
               "are all, animals, body, clothes, food, gear, home, instruments, outdoors, shapes, "
               "vehicles");
  EXPECT_ERROR(parsed("doodles:food@chak"),
               "no look \"chak\"; did you mean chalk? There are plain, redrawn, chalk, crayon, "
               "cluttered");
  EXPECT_ERROR(parsed("doodles:"), "no dataset \"\"");
  EXPECT_ERROR(parsed("doodles:food#"), "seed \"\"; expected a whole number below 2^64");
  EXPECT_ERROR(parsed("doodles:food#-1"), "seed \"-1\"");
  EXPECT_ERROR(parsed("doodles:food#1 "), "seed \"1 \"");
  EXPECT_ERROR(parsed("doodles:food#18446744073709551616"), "seed ");
  EXPECT_ERROR(parsed("doodle:food"), "is not a dataset of Doodles; expected doodles:NAME");
}

TEST(DoodleFormat, HasSplitsAndATemplate) {
  const struct {
    const char* split;
    std::size_t per_class;
    const char* first;
  } splits[] = {{"pretrain", 50, "pretrain/cello/000.png"},
                {"train", 20, "train/cello/050.png"},
                {"test", 30, "test/cello/070.png"}};
  for (const auto& [split, per_class, first] : splits) {
    const Dataset dataset = open_dataset("doodles:instruments@chalk", {.split = split});
    EXPECT_EQ(dataset.format, "doodles");
    EXPECT_EQ(dataset.split, split);
    EXPECT_EQ(dataset.splits, (Names{"pretrain", "train", "test"}));
    EXPECT_EQ(dataset.root, "doodles:instruments@chalk");
    EXPECT_EQ(dataset.templates, "a doodle of a {}, a musical instrument.");
    EXPECT_EQ(dataset.classes.size(), 10u);
    ASSERT_EQ(dataset.samples.size(), 10 * per_class);
    EXPECT_EQ(dataset.samples[0].path, first);
    EXPECT_EQ(sample_name(dataset, 0), std::string("doodles:instruments@chalk/") + first);
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
      EXPECT_EQ(dataset.samples[i].label, static_cast<std::int32_t>(i / per_class));
    }
  }
  const Dataset all = open_dataset("doodles");
  EXPECT_EQ(all.split, "test");
  EXPECT_EQ(all.samples.size(), 345u * 30);
  EXPECT_ERROR(open_dataset("doodles", {.split = "val"}),
               "doodles: has no split \"val\"; it has pretrain, train, test");
}

TEST(DoodleFormat, ReadsWhatIsDrawn) {
  const Dataset dataset = open_dataset("doodles:vehicles@crayon#9", {.split = "train"});
  const std::size_t i = 20 * 7 + 3;
  ASSERT_EQ(dataset.samples[i].path, "train/car/053.png");
  const Doodles& doodles = Doodles::get();
  const int car = doodles.find("car");
  const Image image =
      draw(doodles, car, 53, {.look = Look::kCrayon, .key = doodle_key(9, car, 53, Look::kCrayon)})
          .image;
  EXPECT_EQ(contents(dataset, i), make_png(56, 56, image.rgb, PngCompression::kStored));
}

TEST(DoodleFormat, DrawsTheSameInEveryDataset) {
  const Dataset all = open_dataset("doodles@cluttered"),
                shapes = open_dataset("doodles:shapes@cluttered");
  const auto star = [](const Dataset& dataset) {
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
      if (dataset.samples[i].path == "test/star/077.png") return contents(dataset, i);
    }
    return std::string();
  };
  EXPECT_FALSE(star(all).empty());
  EXPECT_EQ(star(all), star(shapes));
}

// SHA-256 of all bytes of a split, from several threads at once.
TEST(DoodleFormat, HasTheSameBytesForEver) {
  const struct {
    const char* spec;
    const char* split;
    const char* sha256;
  } cases[] = {{"doodles:shapes", "pretrain",
                "c976fa93e34db8962313acc2e8b05ab6ffbc3d107f6e0f035920fc856bc766d5"},
               {"doodles:shapes@redrawn", "train",
                "4b7aa9822effa93489df397e195ae9edfa1d44c3ce8e322d8ffa26120fbccaef"},
               {"doodles:shapes@chalk", "test",
                "53b4af05223b2b48a67250d5b1669a7d68c145fe06cb072f53bcc38b9cb1be61"},
               {"doodles:shapes@crayon#2", "test",
                "4258f428de18501269f91f4222439e113459b4731bfff6639c226828b43969d6"},
               {"doodles:shapes@cluttered", "test",
                "5204e57e2ab76ef2d8af9c93196839528af695c8b150dfa0fbbab2fdcc6959e4"}};
  for (const auto& [spec, split, expected] : cases) {
    const Dataset dataset = open_dataset(spec, {.split = split});
    std::vector<std::string> seen(3);
    std::vector<std::thread> threads;
    for (auto& digest : seen) {
      threads.emplace_back([&, d = &digest] {
        Sha256 hash;
        for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
          hash.update(read_sample(dataset, i).values);
        }
        *d = hex_text(hash.finish());
      });
    }
    for (auto& thread : threads) thread.join();
    for (const std::string& digest : seen) EXPECT_EQ(digest, expected) << spec;
  }
}

TEST(DoodleFormat, TakesOtherNames) {
  const TempFolder folder;
  const std::string names = folder.write("names.json", R"({"circle": "ring", "diamond": "rhombus",
      "hexagon": "six sides", "line": "stroke", "octagon": "eight sides", "square": "box",
      "squiggle": "scribble", "star": "star", "triangle": "three sides", "zigzag": "saw"})");
  EXPECT_EQ(open_dataset("doodles:shapes", {.names = names}).classes,
            (Names{"ring", "rhombus", "six sides", "stroke", "eight sides", "box", "scribble",
                   "star", "three sides", "saw"}));
  const std::string few = folder.write("few.txt", "one\ntwo\n");
  EXPECT_ERROR(open_dataset("doodles:shapes", {.names = few}), "few.txt: ");
  const std::string same = folder.write("same.txt", "a\na\nc\nd\ne\nf\ng\nh\ni\nj\n");
  EXPECT_ERROR(open_dataset("doodles:shapes", {.names = same}), "same.txt: ");
  EXPECT_EQ(
      open_dataset("doodles:shapes", {.names = same, .allow_duplicate_names = true}).classes[1],
      "a");
  EXPECT_ERROR(open_dataset("doodles:shapes", {.image_root = "x"}), "an image root is for lists");
}

TEST(DoodleFormat, IsNoFolderOfThatName) {
  EXPECT_TRUE(is_doodle_spec("doodles"));
  EXPECT_TRUE(is_doodle_spec("doodles@chalk"));
  EXPECT_FALSE(is_doodle_spec("doodles.tar"));
  EXPECT_FALSE(is_doodle_spec("doodles/animals"));
  EXPECT_FALSE(is_doodle_spec("my/doodles"));
  const TempFolder folder;
  folder.write("doodles/cat/1.png", "");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "");
  EXPECT_EQ(open_dataset("doodles").format, "imagefolder");
  EXPECT_EQ(open_dataset("doodles:all").format, "doodles");
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace openworld
