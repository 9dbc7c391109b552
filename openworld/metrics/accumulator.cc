#include "openworld/metrics/accumulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "openworld/base/error.h"

namespace openworld {
namespace {

template <class T>
void append(std::vector<T>& to, std::span<const T> from) {
  to.insert(to.end(), from.begin(), from.end());
}

void check_presence(std::string_view name, bool had, bool has) {
  if (had == has) return;
  fail("accumulator",
       fmt::format("{} {} in this batch but {} before; pass it in every batch or in none", name,
                   has ? "is given" : "is missing", had ? "was given" : "was not"));
}

std::int32_t same_classes(std::string_view name, std::int32_t had, std::int32_t has) {
  if (had != 0 && has != 0 && had != has) {
    fail("accumulator", fmt::format("{} is {} in this batch, got {} before", name, has, had));
  }
  return std::max(had, has);
}

}  // namespace

void Accumulator::update(const Outcomes& batch) {
  if (batch.size() == 0) return;
  validate(batch);
  if (size() > 0) {
    check_presence("overall_correct", !overall_correct_.empty(), !batch.overall_correct.empty());
    check_presence("label", !label_.empty(), !batch.label.empty());
    check_presence("predicted", !predicted_.empty(), !batch.predicted.empty());
  }
  const auto base_classes = same_classes("base_classes", base_classes_, batch.base_classes);
  const auto new_classes = same_classes("new_classes", new_classes_, batch.new_classes);
  base_classes_ = base_classes;
  new_classes_ = new_classes;

  append(side_, batch.side);
  append(correct_, batch.correct);
  append(overall_correct_, batch.overall_correct);
  append(label_, batch.label);
  append(predicted_, batch.predicted);
  batch.score.visit([this](const auto& scores) {
    using Score = std::remove_cvref_t<decltype(scores[0])>;
    if constexpr (std::is_same_v<Score, double>) {
      // From the first double on, all are doubles: widening is exact, narrowing is not.
      if (const auto* narrow = std::get_if<std::vector<float>>(&score_)) {
        score_ = std::vector<double>(narrow->begin(), narrow->end());
      }
    }
    std::visit([&](auto& all) { all.insert(all.end(), scores.begin(), scores.end()); }, score_);
  });
}

void Accumulator::merge(const Accumulator& other) {
  update(other.outcomes());
}

void Accumulator::reset() {
  *this = Accumulator();
}

Outcomes Accumulator::outcomes() const {
  Outcomes o;
  o.side = side_;
  std::visit(
      [&o](const auto& all) {
        using Score = typename std::remove_cvref_t<decltype(all)>::value_type;
        o.score = BaseScores::larger_is_base(std::span<const Score>(all));
      },
      score_);
  o.correct = correct_;
  o.overall_correct = overall_correct_;
  o.label = label_;
  o.predicted = predicted_;
  o.base_classes = base_classes_;
  o.new_classes = new_classes_;
  return o;
}

Evaluation Accumulator::compute(std::span<const MetricRequest> requests,
                                const EvalOptions& options) const {
  if (size() == 0) fail("accumulator", "no samples yet; call update first");
  return evaluate(outcomes(), requests, options);
}

}  // namespace openworld
