#include "openworld/predictions/predictions.h"

#include "openworld/io/mapped_file.h"
#include "openworld/io/npy_values.h"
#include "openworld/io/npz.h"
#include "openworld/predictions/logit_predictions.h"
#include "openworld/predictions/named_classes.h"
#include "openworld/predictions/test_predictions.h"

namespace openworld {
namespace {

using testing::Arrays;
using testing::npy;
using testing::raw;
using testing::TempFolder;
using testing::testdata;
using testing::with_logits;

template <class T>
std::vector<T> to_vector(const Column<T>& column) {
  return {column.values.begin(), column.values.end()};
}

std::vector<double> scores(const Predictions& p) {
  return std::visit(
      [](const auto& c) { return std::vector<double>(c.values.begin(), c.values.end()); }, p.score);
}

void expect_same(const Predictions& a, const Predictions& b) {
  EXPECT_EQ(to_vector(a.side), to_vector(b.side));
  EXPECT_EQ(scores(a), scores(b));
  EXPECT_EQ(to_vector(a.correct), to_vector(b.correct));
  EXPECT_EQ(to_vector(a.overall_correct), to_vector(b.overall_correct));
  EXPECT_EQ(to_vector(a.label), to_vector(b.label));
  EXPECT_EQ(to_vector(a.predicted), to_vector(b.predicted));
}

TEST(LoadPredictions, ReadsEveryFormatThatNumpyWrites) {
  const Predictions npz = load_predictions(testdata("compact.npz"));
  EXPECT_EQ(npz.outcomes().size(), 40u);
  EXPECT_TRUE(std::holds_alternative<Column<float>>(npz.score));
  EXPECT_EQ(npz.label.size(), 40u);
  EXPECT_EQ(npz.base_classes, 0);
  EXPECT_TRUE(npz.overall_correct.empty());
  for (const char* name : {"compact_deflated.npz", "folder", "compact.csv"}) {
    SCOPED_TRACE(name);
    expect_same(load_predictions(testdata(name)), npz);
  }
  EXPECT_EQ(scores(load_predictions(testdata("streamed.npz"))), (std::vector<double>{0.5, 0.25}));
}

TEST(LoadPredictions, SidesAndFlagsMayBeWords) {
  const TempFolder folder;
  const std::string points = [] {
    std::u32string text;
    for (const std::u32string_view word : {U"base", U"new", U"unknown"}) {
      text += word;
      text.resize((text.size() + 6) / 7 * 7);
    }
    return raw<char32_t>({text.begin(), text.end()});
  }();
  const std::string side = npy("<U7", "(3,)", points);
  const std::string correct = npy("|S5", "(3,)", std::string("True\0False0\0\0\0\0", 15));
  const Predictions numbers = load_predictions(folder.write("numbers.npz", Arrays().npz()));
  const Arrays words = Arrays().set("side", side).set("correct", correct);
  expect_same(load_predictions(folder.write("words.npz", words.npz())), numbers);
  const std::string bytes = npy("|S4", "(3,)", std::string("0\0\0\0new\0-1\0\0", 12));
  expect_same(load_predictions(folder.write("bytes.npz", Arrays().set("side", bytes).npz())),
              numbers);
  folder.write("arrays/side.npy", side);
  folder.write("arrays/score.npy", npy("<f4", "(3,)", raw<float>({3, 2, 1})));
  folder.write("arrays/correct.npy", correct);
  expect_same(load_predictions(folder / "arrays"), numbers);
}

TEST(LoadPredictions, DerivesFromLogitsWhatNumpyDerives) {
  const Origin origin{"test", testdata("logits.npz")};
  const ZipArchive archive(map_file(origin), origin);
  const auto expected = [&](const char* name) {
    const FloatColumn column = to_floats(*read_npz_array(archive, name), origin);
    return to_vector(std::get<Column<double>>(column));
  };
  const auto as_double = [](const auto& c) {
    return std::vector<double>(c.values.begin(), c.values.end());
  };
  const Predictions p = load_predictions(origin.file);
  EXPECT_EQ(p.base_classes, 5);
  EXPECT_EQ(p.new_classes, 3);
  EXPECT_EQ(as_double(p.correct), expected("expected_correct"));
  EXPECT_EQ(as_double(p.overall_correct), expected("expected_overall_correct"));
  EXPECT_EQ(as_double(p.predicted), expected("expected_predicted"));
  const auto score = expected("expected_score");
  for (std::size_t i = 0; i < score.size(); ++i) EXPECT_NEAR(scores(p)[i], score[i], 1e-15);
  EXPECT_EQ(p.classes[2], "épée");
  EXPECT_EQ(p.classes[4], "🦊 fox");
  EXPECT_EQ(p.meta, R"({"method": "clip", "seed": 1})");
}

TEST(SavePredictions, RoundTrips) {
  const TempFolder folder;
  for (const char* name : {"compact.npz", "logits.npz", "compact.csv"}) {
    SCOPED_TRACE(name);
    const Predictions p = load_predictions(testdata(name));
    save_predictions(p, folder / "a.csv");
    expect_same(load_predictions(folder / "a.csv"), p);
    save_predictions(p, folder / "a.npz");
    const Predictions again = load_predictions(folder / "a.npz");
    expect_same(again, p);
    EXPECT_EQ(again.score.index(), p.score.index());
    EXPECT_EQ(again.base_classes, p.base_classes);
    EXPECT_EQ(again.new_classes, p.new_classes);
    EXPECT_EQ(again.classes, p.classes);
    EXPECT_EQ(again.meta, p.meta);
  }
}

TEST(SavePredictions, KeepsTheFit) {
  const TempFolder folder;
  Predictions p = load_predictions(testdata("compact.npz"));
  EXPECT_EQ(size_of(p.fit), 0u);
  std::vector<double> fit(p.side.size());
  for (std::size_t i = 0; i < fit.size(); ++i) fit[i] = 1 / (1.0 + static_cast<double>(i));
  p.fit = make_column(fit);
  for (const char* name : {"a.npz", "a.csv"}) {
    save_predictions(p, folder / name);
    EXPECT_EQ(to_doubles(load_predictions(folder / name).fit), fit) << name;
    EXPECT_EQ(load_fit(folder / name), fit) << name;
  }
}

TEST(SaveLogitPredictions, RoundTripsWithAndWithoutMeta) {
  const TempFolder folder;
  const std::vector<float> score = {3, 1, 2}, base_logits = {1, 0, 0, 1, 1, 0},
                           new_logits = {0, 0, 2};
  for (const char* meta : {"", R"({"seed": 1})"}) {
    LogitPredictions predictions{{}, {}, score,           base_logits, new_logits,
                                 2,  1,  {"a", "b", "c"}, meta};
    set_sides(predictions, std::vector<std::int32_t>{0, 0, 2}, 2);
    save_logit_predictions(predictions, folder / "a.npz", "test");
    const Predictions p = load_predictions(folder / "a.npz");
    EXPECT_EQ(scores(p), (std::vector<double>{3, 1, 2}));
    EXPECT_EQ(to_vector(p.side), (std::vector<std::int8_t>{0, 0, 1}));
    EXPECT_EQ(to_vector(p.correct), (std::vector<std::uint8_t>{1, 0, 1}));
    EXPECT_EQ(p.meta, meta);
  }
}

TEST(SavePredictions, ArraysOfTheFileAreUsedInPlace) {
  const TempFolder folder;
  save_predictions(load_predictions(testdata("logits.npz")), folder / "a.npz");
  const Predictions p = load_predictions(folder / "a.npz");
  EXPECT_EQ(p.side.owner, p.correct.owner);
  EXPECT_EQ(p.side.owner, p.label.owner);
  EXPECT_EQ(p.side.owner, std::get<Column<double>>(p.score).owner);
}

TEST(SavePredictions, RefusesWhatItCannotWrite) {
  const TempFolder folder;
  Predictions p = load_predictions(testdata("logits.npz"));
  EXPECT_ERROR(save_predictions(p, folder / "a.txt"), "a.txt: unknown ending; expected .npz or");
  EXPECT_ERROR(save_predictions(p, folder / "no/a.npz"), "[save_predictions] " + (folder / "no/a"));
  p.classes[1] = "\xff";
  EXPECT_ERROR(save_predictions(p, folder / "a.npz"), "classes[1] is \"\\xff\"; expected UTF-8");
  p.classes[1] = std::string("a\0", 2);
  EXPECT_ERROR(save_predictions(p, folder / "a.npz"), "classes[1] ends in NUL");
  p.correct = make_column(std::vector<std::uint8_t>{1});
  EXPECT_ERROR(save_predictions(p, folder / "a.npz"),
               "[save_predictions] " + (folder / "a.npz") + ": correct has 1 rows; expected 40");
}

TEST(LoadPredictions, WhatIsGivenWinsOverWhatCouldBeDerived) {
  const TempFolder folder;
  const Arrays arrays = with_logits()
                            .set("correct", npy("|b1", "(3,)", std::string("\x00\x00\x01", 3)))
                            .set("score", npy("<f8", "(3,)", raw<double>({7, 8, 9})))
                            .set("predicted", npy("<i4", "(3,)", raw<std::int32_t>({0, 0, 0})));
  const Predictions p = load_predictions(folder.write("a.npz", arrays.npz()));
  EXPECT_EQ(to_vector(p.correct), (std::vector<std::uint8_t>{0, 0, 1}));
  EXPECT_EQ(scores(p), (std::vector<double>{7, 8, 9}));
  EXPECT_EQ(to_vector(p.predicted), (std::vector<std::int32_t>{0, 0, 0}));
  EXPECT_EQ(to_vector(p.overall_correct), (std::vector<std::uint8_t>{1, 1, 0}));
}

// g's answer to base samples, h's to new ones after the base names, none to unknown ones.
TEST(LoadAnswers, TakesTheClassifierOfTheSide) {
  TempFolder folder;
  using Answers = std::vector<std::int32_t>;
  EXPECT_EQ(load_answers(folder.write("logits.npz", with_logits().npz())), (Answers{1, 2, -1}));
  EXPECT_EQ(load_answers(folder.write("none.npz", Arrays().npz())), (Answers{-1, -1, -1}));
  EXPECT_ERROR(load_answers(folder.write("bad.npz", Arrays().drop("side").npz())), "no side");
}

TEST(LoadFit, TakesTheArrayOrDerivesIt) {
  const TempFolder folder;
  const auto own = npy("<f4", "(3,)", raw<float>({0.5f, 2, -3}));
  EXPECT_EQ(load_fit(folder.write("own.npz", with_logits().set("fit", own).npz())),
            (std::vector<double>{0.5, 2, -3}));
  // Of either side, for each row.
  const std::string csv =
      "side,label,base_logits_0,base_logits_1,new_logits_0\n0,0,3,1,2\n1,0,1,2,5\n-1,0,-4,-7,-5\n";
  EXPECT_EQ(load_fit(folder.write("logits.csv", csv)), (std::vector<double>{3, 5, -4}));
  EXPECT_EQ(load_fit(folder.write("a.csv", "side,score,correct,fit\n0,1,1,7\n1,2,0,8\n")),
            (std::vector<double>{7, 8}));
  EXPECT_ERROR(load_fit(folder.write("none.npz", Arrays().npz())), "no fit, which says how well");
  EXPECT_ERROR(
      load_fit(folder.write(
          "short.npz", with_logits().set("fit", npy("<f4", "(2,)", raw<float>({1, 2}))).npz())),
      "fit has 2 rows; expected 3");
}

// Both classifiers answer to samples of every side; new names come after the base names.
TEST(LoadNamedClasses, OfEveryClassifier) {
  TempFolder folder;
  using Answers = std::vector<std::int32_t>;
  const NamedClasses found = load_named_classes(folder.write("logits.npz", with_logits().npz()));
  EXPECT_EQ(found.base, (Answers{1, 1, 1}));
  EXPECT_EQ(found.new_side, (Answers{2, 2, 2}));
  EXPECT_EQ(found.overall, (Answers{1, 2, 1}));
  const NamedClasses none = load_named_classes(folder.write("none.npz", Arrays().npz()));
  for (const auto* answers : {&none.base, &none.new_side, &none.overall}) {
    EXPECT_EQ(*answers, (Answers{-1, -1, -1}));
  }
}

TEST(LoadPredictions, BaseSamplesNeedNoNewLogits) {
  const TempFolder folder;
  const Arrays arrays = with_logits()
                            .drop("new_logits")
                            .set("side", npy("|i1", "(3,)", std::string("\x00\x00\xff", 3)))
                            .set("score", npy("<f8", "(3,)", raw<double>({7, 8, 9})));
  const Predictions p = load_predictions(folder.write("a.npz", arrays.npz()));
  EXPECT_EQ(to_vector(p.correct), (std::vector<std::uint8_t>{1, 0, 0}));
  EXPECT_EQ(p.base_classes, 2);
  EXPECT_EQ(p.new_classes, 0);
}

TEST(LoadPredictions, ReadsCsvInWordsAndWithLogits) {
  const TempFolder folder;
  const Predictions p = load_predictions(folder.write(
      "a.csv",
      "side,label,new_logits_0,base_logits_1,base_logits_0\nbase,1,0,2,1\nnew,0,9,4,3\n"
      "unknown,-1,0,6,5\n"));
  const Predictions q = load_predictions(folder.write("a.npz", with_logits().npz()));
  EXPECT_EQ(to_vector(p.correct), (std::vector<std::uint8_t>{1, 1, 0}));
  EXPECT_EQ(to_vector(p.side), to_vector(q.side));
  EXPECT_EQ(to_vector(p.correct), to_vector(q.correct));
  EXPECT_EQ(to_vector(p.overall_correct), to_vector(q.overall_correct));
  EXPECT_EQ(to_vector(p.predicted), to_vector(q.predicted));
  EXPECT_EQ(scores(p), scores(q));
  const Predictions t =
      load_predictions(folder.write("a.tsv", "side\tscore\tcorrect\n0\t1\ttrue\n1\t0\tFalse\n"));
  EXPECT_EQ(to_vector(t.correct), (std::vector<std::uint8_t>{1, 0}));
}

}  // namespace
}  // namespace openworld
