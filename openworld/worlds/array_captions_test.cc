#include <gtest/gtest.h>

#include "openworld/io/npz.h"
#include "openworld/worlds/captions.h"
#include "openworld/worlds/long_tail.h"
#include "openworld/worlds/test_worlds.h"

namespace openworld {
namespace {

using testing::TempFolder;
using Texts = std::vector<std::string>;

const Dtype kByte{Dtype::Kind::kUint, 1, true};

// Values 0, 1, 2, ... in the shape.
std::string npz(const std::vector<std::size_t>& shape, const Dtype& dtype = kByte,
                const std::string& name = "images") {
  std::size_t size = dtype.size;
  for (const std::size_t side : shape) size *= side;
  std::vector<std::byte> data(size);
  for (std::size_t i = 0; i < size; ++i) data[i] = static_cast<std::byte>(i);
  return make_npz(std::vector<NpzEntry>{{name, dtype, shape, data}});
}

constexpr auto kLines =
    "{\"name\": \"traffic light\", \"captions\": [\" one\", \"two\"], \"weight\": 0.5}\n"
    "{\"name\": \"cat\", \"captions\": [\"a cat\"], \"words\": [\"cat\", \"pet\"]}\n"
    "{\"name\": null, \"captions\": []}\n"
    "{\"name\": \"cat\"}\n"
    "{}\n"
    "{\"captions\": [\"a thing\"], \"weight\": 0}\n";

class ArrayPairs : public ::testing::Test {
 protected:
  std::unique_ptr<CaptionSource> open(const std::string& images, const std::string& lines) {
    folder.write("icons/images.npz", images);
    folder.write("icons/pairs.jsonl", lines);
    return open_captions(folder / "icons");
  }

  TempFolder folder;
};

TEST_F(ArrayPairs, HaveWhatTheLinesSay) {
  const auto pairs = open(npz({6, 2, 3}), kLines);
  ASSERT_EQ(pairs->size(), 6u);
  EXPECT_EQ(pairs->name_of(0), "traffic light");
  EXPECT_EQ(pairs->words_of(0), (Texts{"traffic", "light"}));
  EXPECT_EQ(pairs->words_of(1), (Texts{"cat", "pet"}));
  EXPECT_EQ(pairs->name_of(2), "");
  EXPECT_TRUE(pairs->words_of(2).empty());
  EXPECT_EQ(pairs->weight(0), 0.5);
  EXPECT_EQ(pairs->weight(1), 1);
  EXPECT_EQ(pairs->weight(5), 0);
  std::vector<bool> captions;
  for (std::size_t i = 0; i < 6; ++i) {
    captions.push_back(pairs->has_caption(i));
    EXPECT_EQ(pairs->caption({1, 0, i}).empty(), !pairs->has_caption(i));
  }
  EXPECT_EQ(captions, (std::vector<bool>{true, true, false, false, false, true}));
  EXPECT_EQ(pairs->corpus(), (Texts{"one", "two", "a cat", "a thing"}));
  EXPECT_EQ(pairs->concept_of(1), pairs->concept_of(3));
  EXPECT_NE(pairs->concept_of(2), pairs->concept_of(4));
  EXPECT_NE(pairs->concept_of(0), pairs->concept_of(1));
  EXPECT_EQ(pairs->description(), (folder / "icons") + ": 6 images of 3 x 2 with 2 names (arrays)");
  EXPECT_TRUE(pairs->place(4).ends_with("icons/images.npz[4]"));
  bool first = false, second = false;
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    first |= pairs->caption({1, epoch, 0}) == "one";
    second |= pairs->caption({1, epoch, 0}) == "two";
  }
  EXPECT_TRUE(first && second);
}

TEST_F(ArrayPairs, ArePixels) {
  const auto grey = open(npz({2, 1, 2}), "{}\n{}\n");
  const Image image = *grey->pixels({1, 0, 1});
  EXPECT_EQ(image.width, 2);
  EXPECT_EQ(image.height, 1);
  EXPECT_EQ(image.rgb, (std::vector<std::uint8_t>{2, 2, 2, 3, 3, 3}));
  const auto colour = open(npz({2, 1, 2, 3}), "{}\n{}");
  EXPECT_EQ(colour->pixels({1, 0, 1})->rgb, (std::vector<std::uint8_t>{6, 7, 8, 9, 10, 11}));
  EXPECT_TRUE(as_text(colour->image({1, 0, 1}).values).starts_with("\x89PNG"));
}

TEST_F(ArrayPairs, StaysTheSameInALongTail) {
  folder.write("icons/images.npz", npz({6, 2, 3}));
  folder.write("icons/pairs.jsonl", kLines);
  const auto tail = long_tail(open_captions(folder / "icons"), 1, 3);
  const auto pairs = open_captions(folder / "icons");
  ASSERT_EQ(tail->size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(tail->name_of(i), pairs->name_of(i));
    EXPECT_EQ(tail->words_of(i), pairs->words_of(i));
    EXPECT_EQ(tail->weight(i), pairs->weight(i));
    EXPECT_EQ(tail->has_caption(i), pairs->has_caption(i));
    EXPECT_EQ(tail->pixels({1, 0, i})->rgb, pairs->pixels({1, 0, i})->rgb);
  }
}

TEST_F(ArrayPairs, RefusesWhatDoesNotFit) {
  const std::string two = npz({2, 1, 2});
  EXPECT_ERROR(open(two, "{}\n"),
               "pairs.jsonl: has 1 lines; expected one for each of the 2 images of images.npz");
  EXPECT_ERROR(open(two, "{}\n{}\n{}\n"), "has 3 lines");
  std::string empty;
  for (int i = 0; i < 900'000; ++i) empty += "{}\n";
  EXPECT_ERROR(open(two, empty), "pairs.jsonl: a list of captions needs ");
  EXPECT_ERROR(open(two, "{}\n[]\n"), "pairs.jsonl: line 2: is not a JSON object");
  EXPECT_ERROR(open(two, "{}\n{\"nam\": 1}\n"),
               "line 2: nam is 1; expected no such key; the keys are name, captions, words and "
               "weight");
  EXPECT_ERROR(open(two, "{\"name\": 3}\n{}\n"), "line 1: name is 3; expected a string");
  EXPECT_ERROR(open(two, "{\"captions\": \"x\"}\n{}\n"), "captions is \"x\"; expected a list");
  EXPECT_ERROR(open(two, "{\"captions\": [\" \"]}\n{}\n"), "line 1 has an empty caption");
  EXPECT_ERROR(open(two, "{\"words\": [1]}\n{}\n"), "words is [1]; expected a list of texts");
  EXPECT_ERROR(open(two, "{\"weight\": -1}\n{}\n"), "weight is -1; expected a number of 0 or more");
  EXPECT_ERROR(open(two, "{\"weight\": 0}\n{\"weight\": 0}\n"), "no line with a weight above 0");
  EXPECT_ERROR(open(two, "{}\n\n"), "line 2");
  EXPECT_ERROR(open(npz({2, 2}), "{}\n{}\n"), "images.npz: images has dtype |u1 and shape (2, 2)");
  EXPECT_ERROR(open(npz({2, 2, 2, 4}), "{}\n{}\n"), "expected |u1 and (N, H, W) or (N, H, W, 3)");
  EXPECT_ERROR(open(npz({2, 0, 2}), "{}\n{}\n"), "with sides of 1 to 4096");
  const Dtype floats{Dtype::Kind::kFloat, 4, true};
  EXPECT_ERROR(open(npz({2, 2, 2}, floats), "{}\n{}\n"), "images has dtype <f4");
  EXPECT_ERROR(open(npz({2, 2, 2}, kByte, "x"), "{}\n{}\n"), "images.npz: has no array images");
  std::filesystem::remove(folder / "icons/pairs.jsonl");
  EXPECT_ERROR(open_captions(folder / "icons"), "pairs.jsonl: does not exist; expected a line for");
}

}  // namespace
}  // namespace openworld
