#include "openworld/tuning/view_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "openworld/base/error.h"
#include "openworld/predictions/derive.h"
#include "openworld/tuning/score_images.h"

namespace openworld {
namespace {

// The arrays of a view as they grow.
struct Arrays {
  std::vector<std::int8_t> side;
  std::vector<std::int32_t> label, predicted;
  std::vector<float> score;
  std::vector<std::uint8_t> correct, overall_correct;

  Predictions finish(const View& view) && {
    Predictions predictions{.side = make_column(std::move(side)),
                            .score = make_column(std::move(score)),
                            .correct = make_column(std::move(correct)),
                            .overall_correct = make_column(std::move(overall_correct)),
                            .label = make_column(std::move(label)),
                            .predicted = {},
                            .fit = {},
                            .base_classes = static_cast<std::int32_t>(view.base.size()),
                            .new_classes = static_cast<std::int32_t>(view.new_classes.size()),
                            .classes = {},
                            .meta = "",
                            .path = ""};
    if (!view.base.empty()) predictions.predicted = make_column(std::move(predicted));
    return predictions;
  }
};

// Scores of some images among the names of a view, and what they answer.
class Scored {
 public:
  Scored(Scores scores, const NameColumns& columns)
      : scores_(std::move(scores)),
        base_(static_cast<std::int32_t>(columns.base.size())),
        answers_(answers_of(scores_)) {}

  void append(std::size_t row, const ViewImage& image, Arrays& to) const {
    const bool is_base = image.side == Side::kBase, is_new = image.side == Side::kNew;
    const std::int32_t label = std::max(image.label, 0);
    const std::int32_t g = base_ > 0 ? answers_.base[row] : -1;
    const std::int32_t h = answers_.new_side.empty() ? -1 : answers_.new_side[row];
    // Among all names; answer() says it where there are names of both sides.
    const std::int32_t overall = !answers_.overall.empty() ? answers_.overall[row]
                                 : base_ > 0               ? g
                                                           : h;
    to.side.push_back(static_cast<std::int8_t>(image.side));
    to.label.push_back(label);
    to.predicted.push_back(g);
    to.score.push_back(scores_.r.data_ptr<float>()[row]);
    to.correct.push_back((is_base && g == label) || (is_new && h == label));
    to.overall_correct.push_back((is_base && overall == label) ||
                                 (is_new && overall == base_ + label));
  }

 private:
  static Answers answers_of(const Scores& scores) {
    const auto matrix = [](const at::Tensor& logits) -> std::optional<Matrix> {
      if (logits.size(1) == 0) return std::nullopt;
      return Matrix{Column<float>{floats_of(logits), {}}, static_cast<std::size_t>(logits.size(0)),
                    static_cast<std::size_t>(logits.size(1)), false};
    };
    const std::optional<Matrix> base = matrix(scores.base_logits), news = matrix(scores.new_logits);
    return answer({base ? &*base : nullptr, news ? &*news : nullptr}, false, {"tune", ""});
  }

  Scores scores_;
  std::int32_t base_;
  Answers answers_;
};

// The images of one dataset that a view shows.
struct Shown {
  std::size_t view = 0;
  std::size_t names = 0;  // the first view that has the same names
  std::span<const ViewImage> images;
};

std::vector<Shown> views_of(const TestViews& test, std::size_t dataset) {
  std::vector<Shown> views;
  for (std::size_t v = 0; v < test.plan->views.size(); ++v) {
    const auto images = std::ranges::equal_range(
        test.plan->views[v].images, static_cast<std::uint32_t>(dataset), {}, &ViewImage::dataset);
    if (images.empty()) continue;
    std::size_t names = 0;
    while (test.columns[names] != test.columns[v]) ++names;
    views.push_back({v, names, {images.begin(), images.end()}});
  }
  return views;
}

// Scores the images of a dataset that some view shows, and adds them to the arrays of those views.
// Returns how many there are.
std::int64_t score_dataset(const ViewScorer& scorer, ImageInput input, const TestViews& test,
                           std::size_t dataset, std::vector<Arrays>& arrays) {
  std::vector<Shown> views = views_of(test, dataset);
  std::set<std::uint32_t> shown;
  std::vector<std::size_t> distinct;  // names
  for (const Shown& view : views) {
    for (const ViewImage& image : view.images) shown.insert(image.sample);
    if (std::ranges::find(distinct, view.names) == distinct.end()) distinct.push_back(view.names);
  }
  std::vector<NameColumns> columns;
  for (const std::size_t names : distinct) columns.push_back(test.columns[names]);

  const TestImages& images = *test.datasets[dataset];
  const auto is_shown = [&](std::size_t sample) {
    return shown.contains(static_cast<std::uint32_t>(sample)) &&
           !(dataset == 0 && test.tuned_on.contains(sample));
  };
  // Whole blocks in which some image is shown: products of matrices round by their size, and which
  // images stand beside one must not depend on the views.
  const std::size_t block = rows_at_once(input);
  std::vector<std::size_t> rows;
  std::int64_t count = 0;
  for (std::size_t begin = 0; begin < images.samples.size(); begin += block) {
    const auto some =
        std::span(images.samples).subspan(begin, std::min(block, images.samples.size() - begin));
    const auto here = std::ranges::count_if(some, is_shown);
    count += here;
    for (std::size_t i = 0; here > 0 && i < some.size(); ++i) rows.push_back(begin + i);
  }
  const auto take = [&](std::span<const std::size_t> some, std::vector<Scores> scores) {
    std::vector<Scored> scored;
    for (std::size_t n = 0; n < distinct.size(); ++n) {
      scored.emplace_back(std::move(scores[n]), columns[n]);
    }
    for (Shown& view : views) {
      const auto names = std::ranges::find(distinct, view.names) - distinct.begin();
      for (std::size_t i = 0; i < some.size() && !view.images.empty(); ++i) {
        const std::size_t sample = images.samples[some[i]];
        if (!is_shown(sample)) continue;
        // Those before it could not be read, or were tuned on.
        while (!view.images.empty() && view.images[0].sample < sample) {
          view.images = view.images.subspan(1);
        }
        if (view.images.empty() || view.images[0].sample != sample) continue;
        scored[static_cast<std::size_t>(names)].append(i, view.images[0], arrays[view.view]);
      }
    }
  };
  score_rows(scorer, input, images, rows, columns, take);
  return count;
}

}  // namespace

ScoredViews score_views(const ViewScorer& scorer, ImageInput input, const TestViews& test) {
  std::vector<Arrays> arrays(test.plan->views.size());
  ScoredViews scored;
  for (std::size_t d = 0; d < test.datasets.size(); ++d) {
    scored.images += score_dataset(scorer, input, test, d, arrays);
  }
  for (std::size_t v = 0; v < arrays.size(); ++v) {
    const View& view = test.plan->views[v];
    if (arrays[v].side.empty()) {
      fail("tune", fmt::format("{}: level {} has no images beside those that were tuned on or "
                               "could not be read; expected one or more",
                               view.world, view.level));
    }
    scored.views.push_back(std::move(arrays[v]).finish(view));
  }
  return scored;
}

}  // namespace openworld
