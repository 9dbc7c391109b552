// Random and WordNet queries.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "openworld/base/error.h"
#include "openworld/openset/random_queries.h"
#include "openworld/openset/test_open_set.h"
#include "openworld/openset/wordnet.h"

namespace openworld {
namespace {

TEST(RandomQueries, WordsAreThePublishedOnes) {
  const auto words = random_words(5000);
  const std::vector<std::string> first = {"pvaddh", "lmijlfp", "pn",    "yzdy",     "oxfb", "opgwq",
                                          "jduk",   "zwdtxh",  "urjfi", "vwywbwui", "epa",  "qrx"};
  EXPECT_TRUE(std::equal(first.begin(), first.end(), words.begin()));
  // From NumPy 1.24.2 in the same way.
  EXPECT_EQ(words[2499], "cny");
  EXPECT_EQ(words[4999], "jh");
}

TEST(RandomQueries, SamplesAListWithoutRepeats) {
  std::vector<std::string> list;
  for (int i = 0; i < 10; ++i) list.push_back(std::to_string(i));
  // numpy.random.RandomState(0).permutation(10)
  EXPECT_EQ(sample_words(list, 4, 0), (std::vector<std::string>{"2", "8", "4", "9"}));
  EXPECT_THROW(sample_words(list, 11, 0), Error);
}

TEST(RandomQueries, TokenIdsAreThoseOfTorch) {
  // torch.manual_seed(0); torch.randint(49407, (3, 77), dtype=torch.int32) of PyTorch 1.13.
  const auto ids = random_token_ids(3, 77, 49407, 0);
  ASSERT_EQ(ids.size(), 3u);
  EXPECT_EQ(std::vector(ids[0].begin(), ids[0].begin() + 5),
            (std::vector<std::int32_t>{26888, 9087, 32336, 15216, 20977}));
  EXPECT_EQ(std::vector(ids[2].end() - 3, ids[2].end()),
            (std::vector<std::int32_t>{35620, 32848, 18705}));
  EXPECT_EQ(random_token_ids(1, 77, 49407, 0)[0], ids[0]) << "nested";
  EXPECT_NE(random_token_ids(1, 77, 49407, 1)[0], ids[0]);
}

TEST(RandomQueries, EmbeddingsHaveTheSpreadOfTheQueries) {
  // Three dimensions with their own mean; after the scaling to length 1 the directions agree.
  const std::vector<float> texts = {3, 0.5F, 0.1F, 3, -0.5F, 0.1F, 3, 0.5F, -0.1F, 3, -0.5F, -0.1F};
  const Matrix drawn =
      random_embeddings(matrix_of(texts, 3), 4000, EmbeddingDistribution::kGaussian, 1);
  const auto& values = std::get<Column<float>>(drawn.values).values;
  double mean[3] = {}, square[3] = {};
  for (std::size_t i = 0; i < 4000; ++i) {
    double length = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      const double v = values[i * 3 + j];
      mean[j] += v / 4000;
      square[j] += v * v / 4000;
      length += v * v;
    }
    ASSERT_NEAR(length, 1, 1e-5);
  }
  const double norm = std::sqrt(9 + 0.25 + 0.01);
  EXPECT_NEAR(mean[0], 3 / norm, 0.02);
  EXPECT_NEAR(mean[1], 0, 0.02);
  EXPECT_NEAR(std::sqrt(square[1]), 0.5 / norm, 0.02);
  EXPECT_NEAR(std::sqrt(square[2]), 0.1 / norm, 0.02);
  // Nested: more of them start with the same.
  const Matrix fewer =
      random_embeddings(matrix_of(texts, 3), 10, EmbeddingDistribution::kGaussian, 1);
  const auto& few = std::get<Column<float>>(fewer.values).values;
  EXPECT_TRUE(std::equal(few.begin(), few.end(), values.begin()));
}

TEST(RandomQueries, IsotropicEmbeddingsHaveNoMean) {
  const std::vector<float> texts = {3, 1, 1, 3, 2, 1};
  const Matrix drawn =
      random_embeddings(matrix_of(texts, 3), 4000, EmbeddingDistribution::kIsotropic, 1);
  const auto& values = std::get<Column<float>>(drawn.values).values;
  double mean[3] = {};
  for (std::size_t i = 0; i < values.size(); ++i) mean[i % 3] += values[i] / 4000.0;
  for (const double m : mean) EXPECT_NEAR(m, 0, 0.03);
}

// A small tree: animal > {dog > {poodle, pug}, cat > {tabby, lion > cub}, bird > {wren}}.
class WordNetTest : public testing::Test {
 protected:
  WordNetTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("wordnet_test_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
    write(
        "data.noun",
        "  1 a licence\n"
        "00000100 03 n 01 animal 0 003 ~ 00000200 n 0000 ~ 00000300 n 0000 ~ 00000400 n 0000 | x\n"
        "00000200 03 n 02 dog 0 domestic_dog 0 003 @ 00000100 n 0000 ~ 00000500 n 0000 ~ 00000600 "
        "n 0000 | x\n"
        "00000300 03 n 01 cat 0 003 @ 00000100 n 0000 ~ 00000700 n 0000 ~ 00000800 n 0000 | x\n"
        "00000400 03 n 01 bird 0 002 @ 00000100 n 0000 ~i 00001000 n 0000 | x\n"
        "00000500 03 n 01 poodle 0 001 @ 00000200 n 0000 | x\n"
        "00000600 03 n 01 pug 0 001 @ 00000200 n 0000 | x\n"
        "00000700 03 n 01 tabby_cat 0 001 @ 00000300 n 0000 | x\n"
        "00000800 03 n 01 lion 0 002 @ 00000300 n 0000 ~ 00000900 n 0000 | x\n"
        "00000900 03 n 01 cub 0 001 @ 00000800 n 0000 | x\n"
        "00001000 03 n 01 wren 0 001 @i 00000400 n 0000 | x\n");
    write("index.noun",
          "  1 a licence\n"
          "poodle n 1 1 @ 1 0 00000500  \n"
          "domestic_dog n 1 2 @ ~ 1 0 00000200  \n"
          "tabby_cat n 2 1 @ 2 1 00000700 00000600  \n");
  }
  ~WordNetTest() override { std::filesystem::remove_all(folder_); }

  void write(const char* name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  std::filesystem::path folder_;
};

TEST_F(WordNetTest, FindsLeavesThatShareAGrandparentOnly) {
  const WordNet wordnet(folder_.string());
  EXPECT_EQ(wordnet.synsets(), 10u);
  ASSERT_EQ(wordnet.find("Poodle"), 500u);
  ASSERT_EQ(wordnet.find("Tabby cat"), 700u);
  ASSERT_EQ(wordnet.find("n00000600"), 600u);
  EXPECT_EQ(wordnet.find("unicorn"), std::nullopt);
  const std::vector<std::uint32_t> poodle = {500};
  // Not pug, which has the same parent, not lion, which is no leaf.
  EXPECT_EQ(wordnet.siblings(poodle), (std::vector<std::string>{"tabby cat", "wren"}));
  const std::vector<std::uint32_t> both = {500, 700};
  EXPECT_EQ(wordnet.siblings(both), (std::vector<std::string>{"wren"}));
}

// A synset that names its parent 30,000 times, which does the same: 1e9 steps unless each is looked
// at once.
TEST_F(WordNetTest, ListsThatRepeatThemselves) {
  constexpr int kTimes = 30'000;
  const auto synset = [&](int offset, const std::string& word, const std::string& pointer) {
    std::string line = fmt::format("{:08} 03 n 01 {} 0 {} ", offset, word, kTimes);
    for (int i = 0; i < kTimes; ++i) line += pointer;
    return line + "| x\n";
  };
  write("data.noun", synset(1, "root", "~ 00000002 n 0000 ") +
                         synset(2, "middle", "@ 00000001 n 0000 ") +
                         synset(3, "leaf", "@ 00000002 n 0000 "));
  write("index.noun", "leaf n 1 1 @ 1 1 00000003\n");
  const WordNet wordnet(folder_.string());
  const std::clock_t start = std::clock();
  const std::uint32_t leaf[] = {3};
  EXPECT_EQ(wordnet.siblings(leaf), std::vector<std::string>());
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 1);
}

TEST_F(WordNetTest, RefusesWhatIsNoDatabase) {
  const auto refused = [&](const std::string& says) {
    try {
      const WordNet wordnet(folder_.string());
      FAIL() << "accepted; expected " << says;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
    }
  };
  write("index.noun", "poodle n 1 1 @ 1 0 00000501\n");
  refused("line 1: synset 501 is not in data.noun");
  write("index.noun", "poodle n 1 1 @ 1\n");
  refused("line 1: the line ends too early");
  write("data.noun", "00000100 03 n 01 animal 0 001 ~ 00000200 n 0000 | x\n");
  refused("synset 100 points to 200");
  write("data.noun", "00000100 03 n zz animal 0 000\n");
  refused("\"zz\" is not a number");
  write("data.noun", "");
  refused("no synset");
  std::filesystem::remove(folder_ / "data.noun");
  refused("data.noun");
}

TEST(WordNetDatabase, HasTheNounsOfVersion3) {
  if (!std::filesystem::exists(std::string(kWordNetFolder) + "/data.noun")) {
    GTEST_SKIP() << "wordnet-base is not installed";
  }
  const WordNet wordnet(kWordNetFolder);
  EXPECT_EQ(wordnet.synsets(), 82115u);
  const auto poodle = wordnet.find("tench");
  ASSERT_TRUE(poodle);
  EXPECT_EQ(*poodle, 1440764u);  // n01440764, the first class of ImageNet
  EXPECT_EQ(wordnet.find("n01440764"), poodle);
  const std::vector<std::uint32_t> classes = {*poodle};
  const auto siblings = wordnet.siblings(classes);
  EXPECT_GT(siblings.size(), 3u);
  EXPECT_EQ(std::count(siblings.begin(), siblings.end(), "tench"), 0);
}

}  // namespace
}  // namespace openworld
