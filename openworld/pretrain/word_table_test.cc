#include "openworld/pretrain/word_table.h"

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using Texts = std::vector<std::string>;

// Pairs that have a name and words and nothing else.
class Named : public CaptionSource {
 public:
  struct Pair {
    std::string name;
    Texts words = {};
    double weight = 1;
  };
  explicit Named(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {}

  std::size_t size() const override { return pairs_.size(); }
  Bytes image(const PairName&) const override { return {}; }
  std::string caption(const PairName& name) const override { return pairs_[name.index].name; }
  std::uint64_t concept_of(std::size_t index) const override { return index; }
  std::string name_of(std::size_t index) const override { return pairs_[index].name; }
  Texts words_of(std::size_t index) const override { return pairs_[index].words; }
  double weight(std::size_t index) const override { return pairs_[index].weight; }
  std::string place(std::size_t) const override { return ""; }
  Texts corpus() const override { return {}; }
  std::string description() const override { return ""; }

 private:
  std::vector<Pair> pairs_;
};

WordTable table_of(const std::vector<const CaptionSource*>& sources, std::int64_t min_names,
                   std::int64_t min_words) {
  return WordTable(sources, {.min_names = min_names, .min_words = min_words, .name_share = 0.6});
}

// "word share" of each target.
std::string targets_text(const WordTable& table, const CaptionSource& source, std::size_t index) {
  std::string text;
  for (const auto& [word, share] : table.targets(source, index)) {
    text +=
        (text.empty() ? "" : ", ") + table.words()[word] + " " + std::to_string(share).substr(0, 4);
  }
  return text;
}

// Many that say nothing, so that no word is in a quarter of them.
std::vector<Named::Pair> with_others(std::vector<Named::Pair> pairs) {
  pairs.resize(pairs.size() + 40);
  return pairs;
}

TEST(WordTable, HasWhatIsSaidOftenEnough) {
  const Named icons(with_others({{"Traffic_light", {"traffic", "light"}},
                                 {"traffic light", {"traffic", "light", "road"}},
                                 {"light", {"light"}},
                                 {"cat", {"cat", "pet"}},
                                 {"rare", {"rare"}}}));
  const Named more({{"cat", {"pet"}}, {"cat", {"pet"}, 0}});
  const WordTable table = table_of({&icons, &more}, 2, 3);
  EXPECT_EQ(table.words(), (Texts{"cat", "light", "traffic light"}));
  EXPECT_EQ(table.count(*table.find("CAT")), 2u);  // the third is never drawn
  EXPECT_EQ(table.count(*table.find("light")), 3u);
  EXPECT_FALSE(table.find("rare"));
  EXPECT_FALSE(table.find("pet"));
}

TEST(WordTable, SharesATargetAmongNameAndWords) {
  const Named icons(with_others({{"traffic light", {"traffic", "light"}},
                                 {"traffic light", {"traffic", "light"}},
                                 {"light", {"light"}},
                                 {"cat", {"cat", "pet", "animal"}},
                                 {"cat", {"pet", "animal"}},
                                 {"dog", {"pet", "animal", "pet"}},
                                 {"dog", {}},
                                 {"", {"animal"}}}));
  const WordTable table = table_of({&icons}, 2, 2);
  EXPECT_EQ(table.words(),
            (Texts{"animal", "cat", "dog", "light", "pet", "traffic", "traffic light"}));
  EXPECT_EQ(targets_text(table, icons, 0), "traffic light 0.60, traffic 0.20, light 0.20");
  EXPECT_EQ(targets_text(table, icons, 2), "light 1.00");
  EXPECT_EQ(targets_text(table, icons, 3), "cat 0.60, pet 0.20, animal 0.20");
  EXPECT_EQ(targets_text(table, icons, 5), "dog 0.60, pet 0.20, animal 0.20");
  EXPECT_EQ(targets_text(table, icons, 6), "dog 1.00");
  EXPECT_EQ(targets_text(table, icons, 7), "animal 1.00");
  EXPECT_EQ(targets_text(table, icons, 8), "");
  const Named other({{"bird", {"pet", "wing", "animal"}}});
  EXPECT_EQ(targets_text(table, other, 0), "pet 0.50, animal 0.50");
}

TEST(WordTable, LeavesOutWordsOfNearlyEverything) {
  std::vector<Named::Pair> pairs(20, {"", {"a", "thing"}});
  for (std::size_t i = 0; i < 4; ++i) pairs[i].words.push_back("cat");
  const Named source(pairs);
  EXPECT_EQ(table_of({&source}, 2, 2).words(), (Texts{"cat"}));
  EXPECT_ERROR(table_of({&source}, 2, 5), "no name is said of 2 images and no word of 5");
}

}  // namespace
}  // namespace openworld
