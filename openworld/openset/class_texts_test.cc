#include "openworld/openset/class_texts.h"

#include <cmath>

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::npy;
using testing::raw;

const Origin kOrigin{"test", "t.npz"};

NpyArray array(const std::string& descr, const std::string& shape, const std::string& data,
               bool fortran_order = false) {
  return parse_npy(make_bytes(npy(descr, shape, data, fortran_order)), "features", kOrigin);
}

// Two classes of two prompts in three dimensions.
const std::vector<float> kPrompts = {3, 4, 0, 0, 0, 2, 1, 0, 0, 0, 5, 0};

std::vector<float> values_of(const ClassTexts& texts) {
  const auto& values = std::get<Column<float>>(texts.features.features.values).values;
  return {values.begin(), values.end()};
}

ClassLabels by_index(std::vector<std::int32_t> label) {
  return make_column(std::move(label));
}

ClassTexts average(const NpyArray& prompts, const std::optional<ClassLabels>& label = {},
                   std::vector<std::string> names = {}, bool normalize = true) {
  return class_texts(prompts, label, std::move(names), TextEnsemble::kLogits, normalize, kOrigin);
}

TEST(ClassTexts, AveragesPromptsOfLengthOne) {
  const std::vector<float> mean = {0.3F, 0.4F, 0.5F, 0.5F, 0.5F, 0};
  const ClassTexts texts = average(array("<f4", "(2, 2, 3)", raw(kPrompts)));
  ASSERT_EQ(texts.features.features.rows, 2u);
  const std::vector<float> got = values_of(texts);
  for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_FLOAT_EQ(got[i], mean[i]);
  EXPECT_EQ(texts.prompts, 4u);
  EXPECT_EQ(texts.ensemble, TextEnsemble::kLogits);
  // The same prompts as rows with the class of each, and in Fortran order.
  const ClassTexts rows =
      average(array("<f4", "(4, 3)", raw(kPrompts)), by_index({0, 0, 1, 1}), {"a", "b"});
  EXPECT_EQ(values_of(rows), got);
  std::vector<float> fortran(12);
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t t = 0; t < 2; ++t) {
      for (std::size_t j = 0; j < 3; ++j)
        fortran[c + 2 * (t + 2 * j)] = kPrompts[(c * 2 + t) * 3 + j];
    }
  }
  EXPECT_EQ(values_of(average(array("<f4", "(2, 2, 3)", raw(fortran), true))), got);
}

TEST(ClassTexts, KeepsLengthsIfAsked) {
  const ClassTexts texts = average(array("<f4", "(2, 2, 3)", raw(kPrompts)), {}, {}, false);
  EXPECT_EQ(values_of(texts), (std::vector<float>{1.5, 2, 1, 0.5, 2.5, 0}));
}

TEST(ClassTexts, OnePromptOfAClassStaysAsItIs) {
  const ClassTexts texts = average(array("<f4", "(4, 3)", raw(kPrompts)));
  EXPECT_EQ(values_of(texts), kPrompts);
  EXPECT_EQ(texts.ensemble, TextEnsemble::kFeatures);
}

TEST(ClassTexts, ClassesByName) {
  const ClassLabels label = std::vector<std::string>{"cat", "dog", "cat", "dog"};
  const ClassTexts texts = average(array("<f4", "(4, 3)", raw(kPrompts)), label);
  EXPECT_EQ(texts.names, (std::vector<std::string>{"cat", "dog"}));
  const ClassTexts given = average(array("<f4", "(4, 3)", raw(kPrompts)), label, {"dog", "cat"});
  const std::vector<float> one = values_of(texts), other = values_of(given);
  EXPECT_EQ(std::vector<float>(one.begin(), one.begin() + 3),
            std::vector<float>(other.begin() + 3, other.end()));
  EXPECT_ERROR(average(array("<f4", "(4, 3)", raw(kPrompts)), label, {"dog", "bird"}),
               "t.npz: label[0] is \"cat\"; expected one of the names");
}

TEST(ClassTexts, DoublesStayDoubles) {
  const ClassTexts texts = average(array("<f8", "(1, 2)", raw<double>({1.0 / 3, 2})));
  EXPECT_EQ(std::get<Column<double>>(texts.features.features.values).values[0], 1.0 / 3);
}

TEST(ClassTexts, Refusals) {
  const NpyArray rows = array("<f4", "(4, 3)", raw(kPrompts));
  EXPECT_ERROR(average(rows, {}, {"a", "b", "c"}), "it seems transposed");
  EXPECT_ERROR(average(rows, {}, {"a", "b"}), "names has 2 entries; expected 4");
  EXPECT_ERROR(average(rows, by_index({0, 1})), "label has 2 entries; expected 4");
  EXPECT_ERROR(average(rows, by_index({0, 1, 2, -1})), "label[3] is -1; expected the index");
  EXPECT_ERROR(average(rows, by_index({0, 1, 2, 4})), "label[3] is 4");
  EXPECT_ERROR(average(rows, by_index({0, 0, 2, 2}), {"a", "b", "c"}),
               "class 1, \"b\", has no row; expected one or more for each of 3 classes");
  EXPECT_ERROR(average(array("<f4", "(2, 2, 3)", raw(kPrompts)), by_index({0, 1})),
               "beside the class of each row");
  EXPECT_ERROR(average(array("<f4", "(0, 3)", "")), "one or more rows");
  std::vector<float> bad = kPrompts;
  bad[4] = std::nanf("");
  EXPECT_ERROR(average(array("<f4", "(2, 2, 3)", raw(bad))),
               "row 1 has a value that is not finite");
  std::vector<float> zero = kPrompts;
  zero[5] = 0;
  EXPECT_ERROR(average(array("<f4", "(2, 2, 3)", raw(zero))), "row 1 has length 0 or infinity");
}

}  // namespace
}  // namespace openworld
