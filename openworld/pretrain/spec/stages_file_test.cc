#include "openworld/pretrain/spec/stages_file.h"

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;

constexpr auto kStages = R"({
  "sources": {
    "icons": {"data": "icons/mono", "augment": "redraw", "outline": 0.5, "zoom_low": 0.7},
    "drawings": {"data": "doodles", "unnamed": true, "views": 2, "word_weight": 0.5},
    "photos": {"data": "photos", "split": "train", "class_names": "names.txt",
               "templates": "a {}", "allow_duplicate_names": true}
  },
  "stages": [
    {"name": "words", "lock": "text", "pairs": 0, "words": 1, "agreement": 0.3,
     "steps": 20000, "batch": 120, "sources": {"icons": 0.8, "drawings": 0.2}},
    {"lock": "image", "texts": 1, "reuse": 10}
  ]})";

PretrainSpec read(const std::string& text, PretrainSpec spec = {}) {
  const TempFolder folder;
  read_stages(folder.write("stages.json", text), spec);
  return spec;
}

TEST(ReadStages, SetsSourcesAndStages) {
  PretrainSpec defaults;
  defaults.training.lr = 0.125;
  defaults.training.batch = 7;
  defaults.source.augmentation.redraw.rotate = 3;
  const PretrainSpec spec = read(kStages, defaults);
  spec.check();
  ASSERT_EQ(spec.sources.size(), 3u);  // by name
  const SourceSpec &drawings = spec.sources[0], &icons = spec.sources[1], &photos = spec.sources[2];
  EXPECT_EQ(drawings.name, "drawings");
  EXPECT_EQ(drawings.data, "doodles");
  EXPECT_TRUE(drawings.options.unnamed);
  EXPECT_EQ(drawings.options.views, 2);
  EXPECT_EQ(drawings.options.word_weight, 0.5);
  EXPECT_EQ(icons.data, "icons/mono");
  EXPECT_EQ(icons.options.augmentation.augment, ImageAugmentation::kRedraw);
  EXPECT_EQ(icons.options.augmentation.lines.outline, 0.5);
  EXPECT_EQ(icons.options.augmentation.redraw.low, 0.7);
  EXPECT_EQ(icons.options.augmentation.redraw.rotate, 3);
  EXPECT_EQ(drawings.options.augmentation.lines.outline, 0);
  EXPECT_EQ(photos.dataset.split, "train");
  EXPECT_EQ(photos.dataset.names, "names.txt");
  EXPECT_TRUE(photos.dataset.allow_duplicate_names);
  EXPECT_EQ(photos.options.templates, "a {}");
  ASSERT_EQ(spec.stages.size(), 2u);
  const StageSpec &words = spec.stages[0], &text = spec.stages[1];
  EXPECT_EQ(words.name, "words");
  ASSERT_EQ(words.sources.size(), 2u);
  EXPECT_EQ(words.sources[0].source, 0u);
  EXPECT_EQ(words.sources[0].weight, 0.2);
  EXPECT_EQ(words.sources[1].weight, 0.8);
  EXPECT_EQ(words.training.weights.pairs, 0);
  EXPECT_EQ(words.training.weights.agreement, 0.3);
  EXPECT_EQ(words.training.steps, 20000);
  EXPECT_EQ(words.training.batch, 120);
  EXPECT_EQ(words.training.lr, 0.125);
  EXPECT_EQ(text.name, "2");
  EXPECT_TRUE(text.sources.empty());
  EXPECT_EQ(text.training.locked, Tower::kImage);
  EXPECT_EQ(text.training.reuse, 10);
  EXPECT_EQ(text.training.batch, 7);
}

TEST(ReadStages, RefusesWhatItDoesNotKnow) {
  const auto with = [](const std::string& source, const std::string& stage) {
    return R"({"sources": {"a": {"data": "x")" + source + R"(}}, "stages": [{)" + stage + "}]}";
  };
  read(with("", ""));
  EXPECT_ERROR(read("[]"), "stages.json: is not a JSON object");
  EXPECT_ERROR(read("{}"), "stages.json: has no sources object");
  EXPECT_ERROR(read(R"({"sources": {}, "stages": [{}]})"), "sources is {}; expected at least one");
  EXPECT_ERROR(read(R"({"sources": {"a": {"data": "x"}}})"),
               "stages is null; expected a list of at least one stage");
  EXPECT_ERROR(read(R"({"sources": {"a": {}}, "stages": [{}]})"),
               "sources.a.data is null; expected images with captions");
  EXPECT_ERROR(read(R"({"sources": {"a": {"data": "x"}}, "stages": [{}], "seed": 2})"),
               "seed is 2; expected no such key");
  EXPECT_ERROR(read(with(R"(, "outlin": 1)", "")),
               "sources.a.outlin is 1; expected no such key; did you mean outline?");
  EXPECT_ERROR(read(with(R"(, "outline": 2)", "")),
               "sources.a.outline is 2; expected a number from 0 to 1");
  EXPECT_ERROR(read(with("", R"("epoch": 1)")),
               "stages[0].epoch is 1; expected no such key; did you mean epochs?");
  EXPECT_ERROR(read(with("", R"("batch": 1.5)")), "stages[0].batch is 1.5; expected an integer");
  EXPECT_ERROR(read(with("", R"("augment": "crop")")),
               "stages[0].augment is \"crop\"; expected no");
  EXPECT_ERROR(read(with("", R"("sources": {"b": 1})")),
               "stages[0].sources.b is 1; expected the name of a source: a");
  EXPECT_ERROR(read(with("", R"("sources": {"a": 0})")),
               "stages[0].sources.a is 0; expected a number above 0");
  EXPECT_ERROR(read(with("", R"("sources": {})")), "stages[0].sources is {}; expected names");
}

}  // namespace
}  // namespace openworld
