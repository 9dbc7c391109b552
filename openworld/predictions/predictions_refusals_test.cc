// Errors of load_predictions.

#include <cmath>
#include <limits>

#include "openworld/predictions/predictions_parts.h"
#include "openworld/predictions/test_predictions.h"

namespace openworld {
namespace {

using testing::Arrays;
using testing::npy;
using testing::raw;
using testing::TempFolder;
using testing::testdata;
using testing::with_logits;

TEST(LoadPredictions, RefusesArraysThatDoNotFit) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  const std::string labels = npy("<i4", "(3,)", raw<std::int32_t>({2, 0, 0}));
  struct Bad {
    Arrays arrays;
    std::string message;
  };
  const std::vector<Bad> table = {
      {Arrays().drop("side"), "no side; expected side, 0 (base), 1 (new) or -1 (unknown)"},
      {Arrays().drop("side").set("features", npy("<f4", "(3, 1)", raw<float>({1, 2, 3}))),
       "no side; expected side, 0 (base), 1 (new) or -1 (unknown) for each sample. It has "
       "features, of which `openworld score` makes predictions"},
      {Arrays().drop("score"), "no score; expected score, or base_logits and new_logits"},
      {Arrays().drop("correct"), "no correct; expected correct, or base_logits, new_logits and"},
      {with_logits().drop("label"), "no label; expected label, which is needed to derive correct"},
      {with_logits().drop("new_logits"), "no score; expected score, or base_logits and new_logits"},
      {with_logits().drop("new_logits").set("score", npy("<f4", "(3,)", raw<float>({1, 2, 3}))),
       "no new_logits, but side[1] is 1; expected correct, or new_logits"},
      {with_logits().drop("base_logits").set("score", npy("<f4", "(3,)", raw<float>({1, 2, 3}))),
       "no base_logits, but side[0] is 0; expected correct, or base_logits"},
      {Arrays()
           .set("side", npy("|i1", "(0,)", ""))
           .set("score", npy("<f4", "(0,)", ""))
           .set("correct", npy("|b1", "(0,)", "")),
       "no samples; expected at least one row"},
      {Arrays().set("side", npy("|i1", "(1, 3)", std::string(3, '\0'))),
       "side has shape (1, 3); expected 1 dimension"},
      {Arrays().set("side", npy("|i1", "(3,)", std::string("\x00\x02\x00", 3))),
       "side[1] is 2; expected 0 (base), 1 (new) or -1 (unknown)"},
      {Arrays().set("side", npy("<i8", "(3,)", raw<std::int64_t>({0, 1, 1000}))),
       "side[2] is 1000; expected 0 (base), 1 (new) or -1 (unknown)"},
      {Arrays().set("side", npy("<f4", "(3,)", raw<float>({0, 1, 1}))),
       "side has dtype <f4; expected bool or an integer dtype"},
      {Arrays().set("side", npy("|S4", "(3,)", "base newbsae")),
       R"(side[1] is " new"; expected 0 or base, 1 or new, -1 or unknown)"},
      {Arrays().set("correct", npy("|S4", "(3,)", "TrueyesyTrue")),
       R"(correct[1] is "yesy"; expected 0 or 1, false or true)"},
      {Arrays().set("score", npy("<f4", "(3,)", raw<float>({0, nan, 1}))),
       "score[1] is NaN; scores must be finite"},
      {Arrays().set("score", npy("<f8", "(3,)", raw<double>({0, 0, -inf}))),
       "score[2] is -inf; scores must be finite"},
      {Arrays().set("score", npy("<f4", "(2,)", raw<float>({0, 0}))),
       "score has 2 rows; expected 3, one per row of side"},
      {Arrays().set("score", npy("<f4", "(3, 1)", raw<float>({0, 0, 0}))),
       "score has shape (3, 1); expected 1 dimension"},
      {Arrays().set("score", npy("<c8", "(3,)", raw<double>({0, 0, 0}))),
       "score has dtype \"<c8\"; expected bool, an integer"},
      {Arrays().set("score", npy("|S1", "(3,)", "abc")), "score has dtype |S1; expected a float"},
      {Arrays().set("correct", npy("|u1", "(3,)", std::string("\x00\x00\x02", 3))),
       "correct[2] is 2; expected 0 or 1"},
      {Arrays().set("correct", npy("<i2", "(3,)", raw<std::int16_t>({0, -1, 0}))),
       "correct[1] is -1; expected 0 or 1"},
      {Arrays().set("correct", npy("|b1", "(4,)", std::string(4, '\1'))),
       "correct has 4 rows; expected 3"},
      {Arrays().set("overall_correct", npy("|b1", "(2,)", std::string(2, '\1'))),
       "overall_correct has 2 rows; expected 3"},
      {Arrays().set("predicted", npy("<i4", "(3,)", raw<std::int32_t>({0, -1, 0}))),
       "predicted[1] is -1; expected 0 or more"},
      {Arrays().set("label", npy("<i4", "(3,)", raw<std::int32_t>({-1, 0, 0}))),
       "label[0] is -1; expected 0 or more, an index into the base names"},
      {Arrays().set("label", npy("<i8", "(3,)", raw<std::int64_t>({0, 1L << 40, 0}))),
       "label[1] is 1099511627776; expected an index of a name"},
      {Arrays().set("label", npy("<i4", "(1,)", raw<std::int32_t>({0}))),
       "label has 1 rows; expected 3"},
      {with_logits().set("label", labels), "label[0] is 2; expected 0 to 1"},
      {with_logits().set("base_logits", npy("<f4", "(2, 2)", raw<float>({1, 2, 3, 4}))),
       "base_logits has 2 rows; expected 3"},
      {with_logits().set("new_logits", npy("<f4", "(4, 1)", raw<float>({1, 2, 3, 4}))),
       "new_logits has 4 rows; expected 3"},
      {with_logits().set("base_logits", npy("<f4", "(3, 0)", "")),
       "base_logits has shape (3, 0); expected at least one column"},
      {with_logits().set("base_logits", npy("<f4", "(3,)", raw<float>({1, 2, 3}))),
       "base_logits has shape (3,); expected 2 dimensions"},
      {with_logits().set("new_logits", npy("<f4", "(3, 1)", raw<float>({0, 0, inf}))),
       "new_logits[2, 0] is inf; logits must be finite"},
      {with_logits().set("base_logits",
                         npy("<f4", "(3, 2)", raw<float>({0, 0, 0, nan, 0, 0}), true)),
       "base_logits[0, 1] is NaN; logits must be finite"},
      {with_logits().set("classes", npy("|S1", "(2,)", "ab")), "classes has 2 names; expected 3"},
      {with_logits().set("classes", npy("|S1", "()", "a")), "classes has shape ()"},
      {with_logits().set("classes", npy("|u1", "(3,)", "abc")),
       "classes has dtype |u1; expected te"},
      {with_logits().set("base_classes", npy("<i4", "()", raw<std::int32_t>({5}))),
       "base_classes is 5; expected 2, the columns of base_logits"},
      {Arrays().set("new_classes", npy("<i4", "()", raw<std::int32_t>({-5}))),
       "new_classes is -5; expected a number of names, 0 or more"},
      {Arrays().set("meta", npy("|S2", "()", "{x")), "meta: is not valid JSON: error at byte 2"},
      {Arrays().set("meta", npy("|S2", "(1,)", "{}")),
       "meta has shape (1,); expected 0 dimensions"},
  };
  const TempFolder folder;
  for (const Bad& bad : table) {
    const std::string path = folder.write("bad.npz", bad.arrays.npz());
    EXPECT_ERROR(load_predictions(path), "[load_predictions] " + path + ": " + bad.message);
  }
  EXPECT_NO_THROW(load_predictions(folder.write("good.npz", Arrays().npz())));
  EXPECT_NO_THROW(load_predictions(folder.write("good.npz", with_logits().npz())));
}

TEST(LoadPredictions, RefusesBadFiles) {
  struct Bad {
    std::string name;
    std::string bytes;
    std::string message;
  };
  const std::vector<Bad> table = {
      {"a.npz", "", "the zip archive has no end record"},
      {"a.csv", "", "is empty; expected a header line"},
      {"a.npy", npy("<f4", "(1,)", "abcd"), "is a single array; expected an .npz, a folder"},
      {"a", npy("<f4", "(1,)", "abcd"), "is a single array"},
      {"a.csv", "score,correct\n1,1\n", "no side; expected side"},
      {"a.csv", "side,score,correct\n", "no samples; expected at least one row"},
      {"a.csv", "side,score,correct\n2,1,1\n",
       "line 2, column \"side\": got \"2\"; expected 0 or base, 1 or new, -1 or unknown"},
      {"a.csv", "side,score,correct\n0,x,1\n",
       "line 2, column \"score\": got \"x\"; expected a finite number"},
      {"a.csv", "side,score,correct\n0,1,yes\n",
       "line 2, column \"correct\": got \"yes\"; expected 0 or 1, false or true"},
      {"a.csv", "side,score,correct,label\n0,1,1,3000000000\n",
       "line 2, column \"label\": got \"3000000000\"; expected an index"},
      {"a.csv", "side,score,correct,label\n0,1,1,-1\n", "label[0] is -1; expected 0 or more"},
      {"a.csv", "side,score,correct,base_logits_1\n0,1,1,1\n", "no column base_logits_0; expected"},
      {"a.csv", "side,score,correct,base_logits_x\n0,1,1,1\n",
       "column \"base_logits_x\"; expected base_logits_0, base_logits_1, ... without gaps"},
      {"a.csv", "side,score,correct,base_logits_00\n0,1,1,1\n", "column \"base_logits_00\""},
      {"a.csv", "side,score,correct,base_logits_99999999999\n0,1,1,1\n",
       "column \"base_logits_99999999999\"; exp"},
      {"a.csv", "side,label,base_logits_0,new_logits_0\n0,0,1,nan\n",
       "line 2, column \"new_logits_0\": got \"nan\"; expected a finite number"},
  };
  const TempFolder folder;
  for (const Bad& bad : table) {
    const std::string path = folder.write(bad.name, bad.bytes);
    EXPECT_ERROR(load_predictions(path), "[load_predictions] " + path + ": " + bad.message);
  }
  EXPECT_ERROR(load_predictions(folder / "none.npz"), "none.npz: cannot open: No such file");
  std::filesystem::create_directory(folder / "empty");
  EXPECT_ERROR(load_predictions(folder / "empty"), "empty: no side; expected side");
  folder.write("bad/side.npy", "x");
  EXPECT_ERROR(load_predictions(folder / "bad"), "bad/side.npy: side is not in npy format");
  std::filesystem::create_directories(folder / "odd/side.npy");
  EXPECT_ERROR(load_predictions(folder / "odd"), "odd/side.npy: is a directory; expected a file");
}

// Loads arbitrary bytes. Must not throw anything but Error.
bool loads(const std::string& bytes) {
  const Origin origin{"load", "a.npz"};
  try {
    make_predictions(read_npz_parts(ZipArchive(make_bytes(bytes), origin)), origin);
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(LoadPredictions, EveryPrefixIsRefused) {
  for (const char* name : {"compact.npz", "compact_deflated.npz", "logits.npz", "streamed.npz"}) {
    const std::string whole = testing::read_file(testdata(name));
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(loads(whole.substr(0, size))) << name << " cut to " << size;
    }
    EXPECT_TRUE(loads(whole));
  }
}

TEST(LoadPredictions, EveryChangedByteIsRefusedOrHarmless) {
  for (const std::string& whole :
       {with_logits().npz(), testing::read_file(testdata("streamed.npz"))}) {
    std::size_t refused = 0;
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const int change : {0x01, 0x80, 0xff}) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ change);
        refused += !loads(bytes);
      }
    }
    // Times, versions and attributes of zip are free; the rest is guarded.
    EXPECT_GT(refused, 2 * whole.size());
  }
}

}  // namespace
}  // namespace openworld
