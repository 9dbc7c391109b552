#include "openworld/worlds/captions.h"

#include <ctime>
#include <set>

#include "openworld/base/threads.h"
#include "openworld/io/sha256.h"
#include "openworld/io/test_tar.h"
#include "openworld/worlds/test_worlds.h"

namespace openworld {
namespace {

using testing::tar_end;
using testing::tar_file;
using testing::TempFolder;

// "path-contents: caption" of every pair, in epoch 0.
std::vector<std::string> pairs_of(const CaptionSource& pairs) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const PairName name{1, 0, i};
    result.push_back(std::string(as_text(pairs.image(name).values)) + ": " + pairs.caption(name));
  }
  return result;
}

using Texts = std::vector<std::string>;

TEST(OpenCaptions, ReadsTextFilesBesideImages) {
  const TempFolder folder;
  folder.write("b/two.png", "TWO");
  folder.write("b/two.txt", "\n a second one \r\n");
  folder.write("one.jpg", "ONE");
  folder.write("one.txt", "a first one");
  folder.write("three.jpg", "no caption");
  const auto pairs = open_captions(folder / ".");
  EXPECT_EQ(pairs_of(*pairs), (Texts{"TWO: a second one", "ONE: a first one"}));
  EXPECT_EQ(pairs->corpus(), (Texts{"a second one", "a first one"}));
  EXPECT_NE(pairs->description().find("2 images with captions"), std::string::npos);
  EXPECT_NE(pairs->place(0).find("two.png"), std::string::npos);
}

TEST(OpenCaptions, BoundsTheMemoryOfShortCaptions) {
  const TempFolder folder;
  folder.write("a.jpg", "A");
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "a\n";
  folder.write("a.txt", text);
  EXPECT_ERROR(open_captions(folder / "."), "a.txt: a list of captions needs ");
}

TEST(OpenCaptions, ChoosesAmongSeveralByEpoch) {
  const TempFolder folder;
  folder.write("a.jpg", "A");
  folder.write("a.txt", "one\ntwo\nthree\n");
  const auto pairs = open_captions(folder / ".");
  std::set<std::string> seen;
  for (std::uint64_t epoch = 0; epoch < 40; ++epoch) {
    seen.insert(pairs->caption({1, epoch, 0}));
    EXPECT_EQ(pairs->caption({1, epoch, 0}), pairs->caption({1, epoch, 0}));
  }
  EXPECT_EQ(seen, (std::set<std::string>{"one", "two", "three"}));
}

TEST(OpenCaptions, ReadsTables) {
  const TempFolder folder;
  folder.write("images/a.jpg", "A");
  folder.write("images/b.jpg", "B");
  for (const auto& [name, text] : std::initializer_list<std::pair<std::string, std::string>>{
           {"t.csv", "path,caption\na.jpg,\"a cat, asleep\"\nb.jpg,a dog\n"},
           {"t.tsv", "filepath\ttitle\na.jpg\ta cat, asleep\nb.jpg\ta dog\n"},
           {"t.jsonl",
            "{\"file_name\": \"a.jpg\", \"text\": \"a cat, asleep\"}\n\n"
            "{\"file_name\": \"b.jpg\", \"text\": \" a dog \"}\n"}}) {
    const auto pairs = open_captions(folder.write(name, text));
    EXPECT_EQ(pairs_of(*pairs), (Texts{"A: a cat, asleep", "B: a dog"})) << name;
  }
}

TEST(OpenCaptions, SeveralRowsOfAPathAreSeveralCaptions) {
  const TempFolder folder;
  folder.write("a.jpg", "A");
  const auto pairs =
      open_captions(folder.write("t.csv", "path,caption\na.jpg,first\na.jpg,second\n"));
  EXPECT_EQ(pairs->size(), 1u);
  EXPECT_EQ(pairs->corpus(), (Texts{"first", "second"}));
}

TEST(OpenCaptions, ReadsTheMetadataOfAFolder) {
  const TempFolder folder;
  folder.write("f/a.jpg", "A");
  folder.write("f/b.jpg", "B");
  folder.write("f/metadata.jsonl",
               "{\"file_name\": \"b.jpg\", \"text\": \"bee\"}\n"
               "{\"file_name\": \"a.jpg\", \"text\": \"ay\"}\n");
  EXPECT_EQ(pairs_of(*open_captions(folder / "f")), (Texts{"B: bee", "A: ay"}));
}

TEST(OpenCaptions, ReadsShards) {
  const TempFolder folder;
  folder.write("s-0.tar", tar_file("000.jpg", "A") + tar_file("000.txt", "a cat\n") +
                              tar_file("000.json", R"({"caption": "not this", "width": 3})") +
                              tar_file("001.png", "no caption") + tar_end());
  folder.write("s-1.tar",
               tar_file("x/002.jpg", "B") + tar_file("x/002.json", R"({"caption": " a dog"})"));
  EXPECT_EQ(pairs_of(*open_captions(folder / "s-{0..1}.tar")), (Texts{"A: a cat", "B: a dog"}));
}

TEST(OpenCaptions, EqualCaptionsAreOneConcept) {
  const TempFolder folder;
  for (const char* name : {"a", "b", "c"}) folder.write(std::string(name) + ".jpg", "x");
  folder.write("a.txt", "cat");
  folder.write("b.txt", "dog");
  folder.write("c.txt", "cat");
  const auto pairs = open_captions(folder / ".");
  EXPECT_EQ(pairs->concept_of(0), pairs->concept_of(2));
  EXPECT_NE(pairs->concept_of(0), pairs->concept_of(1));
}

TEST(OpenCaptions, PutsClassNamesIntoTemplates) {
  const TempFolder folder;
  folder.write("d/great_dane/1.jpg", "A");
  folder.write("d/pug/2.jpg", "B");
  const auto photo = open_captions(folder / "d");
  EXPECT_EQ(pairs_of(*photo), (Texts{"A: a photo of a great dane.", "B: a photo of a pug."}));
  const auto pairs = open_captions(folder / "d", {.templates = {"one {}", "two {}"}});
  EXPECT_EQ(pairs->corpus(), (Texts{"one great dane", "two great dane", "one pug", "two pug"}));
  EXPECT_NE(pairs->concept_of(0), pairs->concept_of(1));
}

TEST(OpenCaptions, ListsTheClasses) {
  const TempFolder folder;
  folder.write("d/cat/1.jpg", "A");
  folder.write("d/dog/2.jpg", "B");
  const auto pairs =
      open_captions(folder / "d", {.dataset = {}, .templates = {"one {}", "two {}"}});
  for (std::uint64_t draw = 0; draw < 4; ++draw) {
    const auto anchors = pairs->anchors(draw);
    ASSERT_EQ(anchors.size(), 2u);
    EXPECT_EQ(anchors[1].caption, draw % 2 == 0 ? "one dog" : "two dog");
    EXPECT_EQ(anchors[1].meaning, pairs->concept_of(1));
  }
}

TEST(OpenCaptions, TellsNamesAndWords) {
  const TempFolder folder;
  folder.write("d/great_dane/1.jpg", "A");
  folder.write("f/a.jpg", "A");
  folder.write("f/a.txt", "A cat, a CAT\nand 2 dogs\n");
  const auto labels = open_captions(folder / "d");
  EXPECT_EQ(labels->name_of(0), "great dane");
  EXPECT_EQ(labels->words_of(0), (Texts{"great", "dane"}));
  EXPECT_EQ(labels->weight(0), 1);
  const auto files = open_captions(folder / "f");
  EXPECT_EQ(files->name_of(0), "");
  EXPECT_EQ(files->words_of(0), (Texts{"a", "cat", "and", "2", "dogs"}));
  EXPECT_TRUE(files->has_caption(0));
  EXPECT_FALSE(files->pixels({1, 0, 0}));
}

TEST(OpenCaptions, ShowsImagesWithoutTheirNames) {
  const TempFolder folder;
  folder.write("d/cat/1.jpg", "A");
  folder.write("d/cat/2.jpg", "B");
  const auto pairs = open_captions(folder / "d", {.names = false});
  EXPECT_EQ(pairs_of(*pairs), (Texts{"A: ", "B: "}));
  EXPECT_FALSE(pairs->has_caption(0));
  EXPECT_EQ(pairs->name_of(1), "");
  EXPECT_TRUE(pairs->words_of(1).empty());
  EXPECT_TRUE(pairs->corpus().empty());
  EXPECT_TRUE(pairs->anchors(0).empty());
  EXPECT_NE(pairs->concept_of(0), pairs->concept_of(1));
  EXPECT_TRUE(pairs->description().ends_with(", without names"));
}

TEST(WordsIn, AreRunsOfLettersInLowerCase) {
  EXPECT_EQ(words_in("T-Shirt, a t shirt"), (Texts{"t", "shirt", "a"}));
  EXPECT_EQ(words_in("caf\xc3\xa9 24/7"), (Texts{"caf\xc3\xa9", "24", "7"}));
  EXPECT_TRUE(words_in(" .,- ").empty());
}

// Comparing every word with all before it would take minutes.
TEST(WordsIn, TakesManyWords) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i) + ' ';
  const std::clock_t start = std::clock();
  EXPECT_EQ(words_in(text + text).size(), 200'000u);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5);
}

std::string digest(const std::string& text) {
  return hex_text(sha256(std::as_bytes(std::span(text)))).substr(0, 16);
}

// Models are trained on these pairs: the same on every machine and from any thread.
TEST(DoodlePairs, AreTheSameForEver) {
  const auto pairs = open_captions("doodles:animals");
  ASSERT_EQ(pairs->size(), 52u * 50u);
  std::vector<std::string> captions(300), images(300);
  parallel_for(300, 4, [&](std::size_t i) {
    const PairName name{1, i % 3, 7 * i};
    captions[i] = pairs->caption(name) + "\n";
    images[i] = as_text(pairs->image(name).values);
  });
  std::string all_captions, all_images;
  for (std::size_t i = 0; i < 300; ++i) {
    all_captions += captions[i];
    all_images += images[i];
  }
  EXPECT_EQ(digest(all_captions), "432f70bf2a0f5f05");
  EXPECT_EQ(digest(all_images), "e00b21e71f416451");
}

TEST(DoodlePairs, ComeFromThePretrainingSplitAlone) {
  const auto pairs = open_captions("doodles");
  EXPECT_EQ(pairs->size(), 345u * 50u);
  EXPECT_EQ(pairs->place(0), "doodles/pretrain/The Eiffel Tower/000.png");
  EXPECT_EQ(pairs->place(pairs->size() - 1), "doodles/pretrain/zigzag/049.png");
  EXPECT_EQ(pairs->concept_of(49), 0u);
  EXPECT_EQ(pairs->concept_of(50), 1u);
}

TEST(DoodlePairs, SaysEveryNameAndShowsEveryLook) {
  const auto pairs = open_captions("doodles:shapes");
  std::set<std::string> images;
  std::string words;
  for (std::uint64_t epoch = 0; epoch < 30; ++epoch) {
    const Bytes image = pairs->image({1, epoch, 3});
    images.insert(std::string(as_text(image.values)));
    words += pairs->caption({1, epoch, 3}) + "\n";
  }
  EXPECT_GT(images.size(), 15u);
  EXPECT_NE(words.find("circle"), std::string::npos);
  EXPECT_EQ(pairs->anchors(1)[0].caption, "a doodle of a circle.");
  EXPECT_EQ(pairs->anchors(3)[0].caption, "a doodle of a circle, a simple shape.");
}

TEST(DoodlePairs, AreALabelledDatasetToWhoAsksForOne) {
  const auto pairs = open_captions("doodles:shapes@chalk",
                                   {.dataset = {.split = "train"}, .templates = {"my {}"}});
  EXPECT_EQ(pairs->size(), 10u * 20u);
  EXPECT_EQ(pairs->caption({1, 0, 0}), "my circle");
  EXPECT_ERROR(open_captions("doodles:shapes@chalk"), "expected doodles:NAME");
  EXPECT_ERROR(open_captions("doodles:cutlery"), "cutlery");
}

TEST(OpenCaptions, SaysWhatIsWrong) {
  const TempFolder folder;
  folder.write("a.jpg", "A");
  const auto open = [&](const std::string& name, const std::string& text) {
    open_captions(folder.write(name, text));
  };
  EXPECT_ERROR(open("t.csv", "path,caption\na.jpg,\n"), "row 1 has an empty caption");
  EXPECT_ERROR(open("t.csv", "x,caption\na.jpg,hello\n"), "none of images; expected one of path");
  EXPECT_ERROR(open("t.csv", "path,caption\n"), "has no rows");
  EXPECT_ERROR(open("t.jsonl", "{\"file_name\": \"a.jpg\"}\n"), "line 1 is");
  EXPECT_ERROR(open("t.jsonl", "[]\n"), "expected a JSON object");
  EXPECT_ERROR(open("t.jsonl", "{\"file_name\": \"a.jpg\", \"text\": \"x\"}\n{"),
               "line 2: is not valid JSON");
  EXPECT_ERROR(open("u/t.csv", "path,caption\nnowhere.jpg,hello\n"), "nowhere.jpg");
  folder.write("e/a.jpg", "A");
  folder.write("e/a.txt", " \n");
  EXPECT_ERROR(open_captions(folder / "e"), "a.txt: is empty");
  folder.write("e/a.txt", "\xff");
  EXPECT_ERROR(open_captions(folder / "e"), "a.txt: the caption of the image is not UTF-8");
  EXPECT_ERROR(open_captions(folder / "absent"), "does not exist");
}

// Nothing is told about a drawing.
TEST(DoodlePairs, CanBeShownWithoutTheirNames) {
  const auto named = open_captions("doodles:animals");
  const auto pairs = open_captions("doodles:animals", {.names = false});
  ASSERT_EQ(pairs->size(), named->size());
  for (std::size_t i = 0; i < pairs->size(); i += 7) {
    EXPECT_EQ(pairs->name_of(i), "");
    EXPECT_FALSE(pairs->has_caption(i));
    EXPECT_EQ(pairs->caption({1, i % 5, i}), "");
    EXPECT_TRUE(pairs->words_of(i).empty());
    EXPECT_EQ(pairs->concept_of(i), i);
  }
  EXPECT_TRUE(pairs->corpus().empty());
  EXPECT_TRUE(pairs->anchors(0).empty());
  EXPECT_EQ(pairs->place(0), named->place(0));
  EXPECT_EQ(pairs->description(), "doodles:animals: 2600 drawings without their names (pretrain)");
  // The same pixels in every epoch: the plain look has no random numbers.
  EXPECT_EQ(pairs->pixels({1, 0, 3})->rgb, pairs->pixels({1, 4, 3})->rgb);
  const auto chalk = open_captions("doodles:animals@chalk", {.names = false});
  EXPECT_NE(chalk->pixels({1, 0, 3})->rgb, chalk->pixels({1, 4, 3})->rgb);
  EXPECT_ERROR(open_captions("doodles#2", {.names = false}), "has a seed; expected doodles:NAME");
}

}  // namespace
}  // namespace openworld
