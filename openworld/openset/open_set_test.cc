#include "openworld/openset/open_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "openworld/base/error.h"
#include "openworld/openset/test_open_set.h"

namespace openworld {
namespace {

const Origin kOrigin{"openset", "x.npz"};

std::vector<std::int32_t> range(std::int32_t begin, std::int32_t end) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(end - begin));
  std::iota(numbers.begin(), numbers.end(), begin);
  return numbers;
}

// One test of the result against the definition, image by image.
template <class T>
void expect_like_definition(const OpenSetTest& test, const std::vector<std::int32_t>& on,
                            const OpenSetPlan& plan, const std::vector<T>& logits,
                            const std::vector<std::int32_t>& label) {
  const std::size_t columns = logits.size() / label.size();
  const auto rejects = [&](std::int32_t answer) {
    return plan.role == ExtraRole::kNegative && answer >= plan.classes;
  };
  const auto expect_scores = [&](const std::vector<std::vector<double>>& scores, std::size_t place,
                                 const NaiveAnswer& naive) {
    for (std::size_t m = 0; m < plan.measures.size(); ++m) {
      const auto expected = static_cast<double>(naive.score[m]);
      if (std::isinf(expected)) continue;
      EXPECT_NEAR(scores[m][place], expected, 1e-11 * std::max(1e-280, std::abs(expected)))
          << plan.measures[m]->name << " of image " << test.images[place];
    }
  };
  std::size_t place = 0;
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (std::find(on.begin(), on.end(), label[i]) == on.end()) continue;
    ASSERT_EQ(test.images[place], i);
    const T* row = logits.data() + i * columns;
    const NaiveAnswer closed = naive_answer(row, on, plan.form);
    std::vector<std::int32_t> others = on;
    std::erase(others, label[i]);
    const NaiveAnswer open = naive_answer(row, others, plan.form);
    const ClosedOutcome closed_outcome = closed.argmax == label[i] ? ClosedOutcome::kRight
                                         : rejects(closed.argmax)  ? ClosedOutcome::kRejected
                                                                   : ClosedOutcome::kWrong;
    const OpenOutcome open_outcome = open.argmax < 0        ? OpenOutcome::kNone
                                     : rejects(open.argmax) ? OpenOutcome::kRejected
                                                            : OpenOutcome::kError;
    EXPECT_EQ(test.closed[place], closed_outcome) << i;
    EXPECT_EQ(test.open[place], open_outcome) << i;
    if (closed_outcome != ClosedOutcome::kRejected) expect_scores(test.closed_score, place, closed);
    if (open_outcome == OpenOutcome::kError) expect_scores(test.open_score, place, open);
    ++place;
  }
  EXPECT_EQ(place, test.images.size());
}

struct Case {
  std::int32_t classes, extra;
  double spread;
  ExtraRole role;
};

template <class T>
void check_case(const Case& c) {
  constexpr std::size_t kImages = 60;
  const auto columns = static_cast<std::size_t>(c.classes + c.extra);
  auto logits = random_logits<T>(kImages, columns, c.spread, columns);
  const auto label = random_labels(kImages, c.classes, 5);
  // Some images whose true class holds all of the mass, some with ties.
  for (std::size_t i = 0; i < kImages; i += 3) {
    const auto truth = static_cast<std::size_t>(label[i]);
    logits[i * columns + truth] = static_cast<T>(i % 2 == 0 ? 20 + 10 * c.spread : 200);
  }
  for (std::size_t i = 1; i < kImages; i += 7) {
    std::fill_n(logits.begin() + static_cast<std::ptrdiff_t>(i * columns), columns, T{7});
  }
  OpenSetPlan plan;
  plan.measures = every_measure();
  plan.classes = c.classes;
  plan.role = c.role;
  if (c.extra > 4) plan.counts = {c.extra / 2, 1, 3};
  plan.sizes = {1, std::max(1, c.classes / 2), c.classes};
  plan.seeds = {0, 3};
  plan.threads = 2;
  const auto source = stored_logits(matrix_of(logits, columns), "logits", kOrigin);
  const OpenSetScores scores = run_open_set(*source, label, plan, kOrigin);
  for (const OpenSetTest& test : scores.by_extra) {
    expect_like_definition(test, range(0, c.classes + test.extra), plan, logits, label);
  }
  for (const OpenSetTest& test : scores.by_subset) {
    auto order = subset_order(c.classes, test.seed);
    std::vector<std::int32_t> on(order.begin(), order.begin() + test.classes);
    std::sort(on.begin(), on.end());
    expect_like_definition(test, on, plan, logits, label);
  }
  EXPECT_EQ(scores.by_extra.front().extra, 0);
  EXPECT_EQ(scores.all().extra, c.extra);
}

TEST(OpenSet, IsTheTwoPassesOfItsDefinition) {
  for (const Case& c :
       {Case{10, 0, 3, ExtraRole::kNegative}, Case{37, 21, 2, ExtraRole::kNegative},
        Case{37, 21, 2, ExtraRole::kClass}, Case{5, 100, 0.01, ExtraRole::kNegative},
        Case{2, 0, 1, ExtraRole::kNegative}, Case{1, 3, 1, ExtraRole::kNegative},
        Case{1, 0, 1, ExtraRole::kNegative}, Case{19, 6, 300, ExtraRole::kNegative}}) {
    SCOPED_TRACE(testing::Message() << c.classes << " classes, " << c.extra << " more");
    check_case<float>(c);
    check_case<double>(c);
  }
}

TEST(OpenSet, HasTheSameBitsForAnyNumberOfThreads) {
  const auto logits = random_logits<float>(1000, 300, 3, 1);
  const auto label = random_labels(1000, 200, 1);
  OpenSetPlan plan;
  plan.measures = every_measure();
  plan.classes = 200;
  plan.counts = {10, 50};
  plan.sizes = {5, 50, 200};
  plan.seeds = {0, 1};
  const auto source = stored_logits(matrix_of(logits, 300), "logits", kOrigin);
  plan.threads = 1;
  const OpenSetScores one = run_open_set(*source, label, plan, kOrigin);
  for (const int threads : {2, 3, 7}) {
    plan.threads = threads;
    const OpenSetScores many = run_open_set(*source, label, plan, kOrigin);
    EXPECT_EQ(many.closed_answer, one.closed_answer);
    EXPECT_EQ(many.open_answer, one.open_answer);
    for (std::size_t t = 0; t < one.by_extra.size(); ++t) {
      EXPECT_EQ(many.by_extra[t].closed_score, one.by_extra[t].closed_score);
      EXPECT_EQ(many.by_extra[t].open_score, one.by_extra[t].open_score);
    }
    for (std::size_t t = 0; t < one.by_subset.size(); ++t) {
      EXPECT_EQ(many.by_subset[t].images, one.by_subset[t].images);
      EXPECT_EQ(many.by_subset[t].open_score, one.by_subset[t].open_score);
    }
  }
}

TEST(OpenSet, ColumnOrderIsRowOrder) {
  const auto logits = random_logits<float>(70, 9, 3, 1);
  const auto label = random_labels(70, 9, 1);
  std::vector<float> transposed(logits.size());
  for (std::size_t i = 0; i < 70; ++i) {
    for (std::size_t j = 0; j < 9; ++j) transposed[j * 70 + i] = logits[i * 9 + j];
  }
  Matrix by_columns = matrix_of(transposed, 9);
  by_columns.fortran_order = true;
  OpenSetPlan plan;
  plan.measures = every_measure();
  plan.classes = 9;
  const auto a = stored_logits(matrix_of(logits, 9), "logits", kOrigin);
  const auto b = stored_logits(by_columns, "logits", kOrigin);
  EXPECT_EQ(run_open_set(*a, label, plan, kOrigin).all().open_score,
            run_open_set(*b, label, plan, kOrigin).all().open_score);
}

TEST(OpenSet, CountsWhatEachNegativeCatches) {
  // Two classes, two negatives; the answers can be read off.
  const std::vector<float> logits = {9, 1, 5, 2,   // right; without class 0 negative 0 is chosen
                                     4, 1, 5, 2,   // a true positive lost to negative 0
                                     1, 9, 0, 2,   // wrong; without class 0 class 1 is chosen
                                     3, 4, 0, 7};  // negative 1 in both tests, was wrong before
  OpenSetPlan plan;
  plan.measures = find_uncertainties("softmax", OutputActivation::kSoftmax);
  plan.classes = 2;
  const auto source = stored_logits(matrix_of(logits, 4), "logits", kOrigin);
  const std::vector<std::int32_t> label = {0, 0, 0, 0};
  const OpenSetScores scores = run_open_set(*source, label, plan, kOrigin);
  const auto found = efficacies(scores);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].closed, 1);
  EXPECT_EQ(found[0].open, 2);
  EXPECT_EQ(found[0].tp_lost, 1);
  EXPECT_EQ(found[1].closed, 1);
  EXPECT_EQ(found[1].open, 1);
  EXPECT_EQ(found[1].tp_lost, 0);
  EXPECT_EQ(scores.by_extra.front().count(ClosedOutcome::kRight), 2);
  EXPECT_EQ(scores.by_extra.front().count(OpenOutcome::kError), 4);
  EXPECT_EQ(scores.all().count(ClosedOutcome::kRight), 1);
  EXPECT_EQ(scores.all().count(ClosedOutcome::kWrong), 1);
  EXPECT_EQ(scores.all().count(OpenOutcome::kError), 1);
}

TEST(OpenSet, PublishedSubsets) {
  // numpy.random.seed(s); sorted(numpy.random.choice(numpy.arange(K), n, replace=False))
  const auto subset = [](std::int32_t classes, std::size_t size, std::uint32_t seed) {
    auto order = subset_order(classes, seed);
    order.resize(size);
    std::sort(order.begin(), order.end());
    return order;
  };
  using List = std::vector<std::uint32_t>;
  EXPECT_EQ(subset(10, 5, 0), (List{1, 2, 4, 8, 9}));
  EXPECT_EQ(subset(10, 5, 1), (List{0, 2, 4, 6, 9}));
  EXPECT_EQ(subset(43, 5, 0), (List{4, 10, 27, 30, 36}));
  EXPECT_EQ(subset(101, 10, 1), (List{17, 36, 52, 55, 78, 82, 83, 85, 94, 100}));
  EXPECT_EQ(subset(1000, 5, 0), (List{298, 553, 672, 859, 993}));
  EXPECT_EQ(published_sizes(43), (std::vector<std::int32_t>{5, 10, 15, 20, 30, 43}));
  EXPECT_EQ(published_sizes(3), (std::vector<std::int32_t>{3}));
  EXPECT_EQ(published_counts(600), (std::vector<std::int32_t>{10, 50, 100, 250, 500}));
}

void expect_refused(const std::vector<float>& logits, const std::vector<std::int32_t>& label,
                    const OpenSetPlan& plan, const std::string& says) {
  const auto source =
      stored_logits(matrix_of(logits, logits.size() / label.size()), "logits", kOrigin);
  try {
    run_open_set(*source, label, plan, kOrigin);
    FAIL() << "accepted; expected: " << says;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
  }
}

TEST(OpenSet, Refuses) {
  OpenSetPlan plan;
  plan.measures = find_uncertainties("all", OutputActivation::kSoftmax);
  plan.classes = 3;
  const auto logits = random_logits<float>(500, 4, 1, 1);
  const auto label = random_labels(500, 3, 1);
  auto bad = logits;
  bad[4 * 400 + 3] = NAN;
  bad[4 * 17 + 2] = INFINITY;
  expect_refused(bad, label, plan, "logits[17, 2] is inf");
  auto off = label;
  off[3] = 3;
  expect_refused(logits, off, plan, "label[3] is 3; expected 0 to 2");
  off[3] = -1;
  expect_refused(logits, off, plan, "label[3] is -1");
  plan.counts = {2};
  expect_refused(logits, label, plan, "further queries is 2; expected 1 to 1");
  plan.counts = {};
  plan.sizes = {4};
  plan.seeds = {0};
  expect_refused(logits, label, plan, "size of a query set is 4; expected 1 to 3");
}

}  // namespace
}  // namespace openworld
