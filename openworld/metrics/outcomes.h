#pragma once

// The input of evaluation. For each test sample: its side, the model's score of how base-like it
// is, and whether the classifier of its side was right.
//
// Everything here is a view. The caller keeps the arrays alive; nothing is copied.

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

namespace openworld {

// Which list the true class of a sample is on: tuned on, named at test time only, or on no list.
enum class Side : std::int8_t { kUnknown = -1, kBase = 0, kNew = 1 };

// Detection scores r, one per sample. LARGER MEANS MORE BASE-LIKE, everywhere, always: the only way
// to make a BaseScores says so. Scores of the other orientation are negated by the caller, which is
// exact. Scores are never transformed and never narrowed: double stays double.
class BaseScores {
 public:
  BaseScores() = default;
  static BaseScores larger_is_base(std::span<const float> r) { return BaseScores(r); }
  static BaseScores larger_is_base(std::span<const double> r) { return BaseScores(r); }

  std::size_t size() const {
    return std::visit([](const auto& r) { return r.size(); }, values_);
  }
  double operator[](std::size_t i) const {
    return std::visit([i](const auto& r) { return static_cast<double>(r[i]); }, values_);
  }
  // f(std::span<const float>) or f(std::span<const double>).
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(static_cast<F&&>(f), values_);
  }

 private:
  template <class T>
  explicit BaseScores(std::span<const T> r) : values_(r) {}

  std::variant<std::span<const float>, std::span<const double>> values_;
};

// The outcomes of one model on one test set, N samples. Optional arrays are empty when absent; the
// metrics that need them then say so instead of guessing.
struct Outcomes {
  std::span<const std::int8_t> side;      // Side as an integer: 0 base, 1 new, -1 unknown
  BaseScores score;                       // r
  std::span<const std::uint8_t> correct;  // 1 where the side's classifier was right: g for base
                                          // samples, h for new ones; ignored for unknown ones

  // Optional: 1 where the argmax over base and new names together is the true class.
  std::span<const std::uint8_t> overall_correct;
  // Optional: index of the true class among the base names or the new names; unread for unknown.
  std::span<const std::int32_t> label;
  // Optional: the base class that g predicts, for the samples of every side.
  std::span<const std::int32_t> predicted;
  // Numbers of base and new names; 0 when unknown. label and predicted lie below them.
  std::int32_t base_classes = 0;
  std::int32_t new_classes = 0;

  std::size_t size() const { return side.size(); }
};

// Throws Error unless every array has side.size() entries, sides are -1, 0 or 1, scores are finite,
// flags are 0 or 1, and labels and predictions are in range. The message names the array and row.
void validate(const Outcomes& outcomes);

}  // namespace openworld
