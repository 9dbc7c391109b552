#include "openworld/predictions/derive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "openworld/base/threads.h"

namespace openworld {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// Calls f(row, its logits) for rows [first, last) until it returns false. Rows of a matrix stored
// by columns are gathered 16 at a time, so that the cache lines a column brings in are used whole.
template <class F>
void for_rows(const Matrix& matrix, std::size_t first, std::size_t last, F&& f) {
  const auto run = [&]<class T>(const Column<T>& column) {
    const T* data = column.values.data();
    const std::size_t width = matrix.columns;
    if (!matrix.fortran_order) {
      for (std::size_t r = first; r < last; ++r) {
        if (!f(r, std::span<const T>(data + r * width, width))) return;
      }
      return;
    }
    constexpr std::size_t kBlock = 16;
    std::vector<T> gathered(kBlock * width);
    for (std::size_t begin = first; begin < last; begin += kBlock) {
      const std::size_t rows = std::min(kBlock, last - begin);
      for (std::size_t c = 0; c < width; ++c) {
        const T* from = data + c * matrix.rows + begin;
        for (std::size_t r = 0; r < rows; ++r) gathered[r * width + c] = from[r];
      }
      for (std::size_t r = 0; r < rows; ++r) {
        if (!f(begin + r, std::span<const T>(gathered.data() + r * width, width))) return;
      }
    }
  };
  std::visit(run, matrix.values);
}

// The largest logit of each row, from row `first` on, and where it is; `flag` is set in `tied`
// where it occurs again. Returns the first row with a logit that is not finite, or kNone.
std::size_t find_largest(const Matrix& matrix, std::size_t first, std::size_t last,
                         std::vector<std::int32_t>& index, std::span<double> largest,
                         std::uint8_t flag, std::vector<std::uint8_t>& tied) {
  std::size_t refused = kNone;
  for_rows(matrix, first, last, [&](std::size_t r, const auto& row) {
    auto top = row[0];
    bool finite = true;
    for (const auto z : row) {
      finite &= std::isfinite(z);
      top = z > top ? z : top;
    }
    if (!finite) {
      refused = r;
      return false;
    }
    const auto at = std::find(row.begin(), row.end(), top);
    index[r] = static_cast<std::int32_t>(at - row.begin());
    if (std::find(at + 1, row.end(), top) != row.end()) tied[r] |= flag;
    largest[r - first] = top;
    return true;
  });
  return refused;
}

// The unit of a sum of `terms` numbers up to 1 that fits 63 bits: for a thousand names 2^-52.
double unit_of(std::size_t terms) {
  return std::ldexp(1.0, static_cast<int>(std::bit_width(terms)) - 62);
}

// sum += sum of exp(z - shift) over each row, in units. Sums of integers do not depend on the
// order.
void add_exp(const Matrix& matrix, std::size_t first, std::size_t last,
             std::span<const double> shift, double unit, std::span<std::int64_t> sum) {
  const double scale = 1 / unit;
  for_rows(matrix, first, last, [&](std::size_t r, const auto& row) {
    std::int64_t total = sum[r - first];
    for (const auto z : row) {
      const double term = std::exp(static_cast<double>(z) - shift[r - first]);
      total += static_cast<std::int64_t>(term * scale + 0.5);
    }
    sum[r - first] = total;
    return true;
  });
}

// Rows that one thread takes at a time: of a thousand classes, milliseconds of work.
constexpr std::size_t kPiece = 1024;

std::size_t answer_piece(const Logits& logits, std::size_t first, std::size_t last,
                         Answers& answers) {
  std::array<double, kPiece> base_top, new_top, shift;
  std::size_t refused = kNone;
  if (logits.base != nullptr) {
    refused =
        find_largest(*logits.base, first, last, answers.base, base_top, kTiedBase, answers.tied);
  }
  if (logits.new_side != nullptr) {
    refused = std::min(refused, find_largest(*logits.new_side, first, last, answers.new_side,
                                             new_top, kTiedNew, answers.tied));
  }
  if (refused != kNone || answers.overall.empty()) return refused;

  const auto base_width = static_cast<std::int32_t>(logits.base->columns);
  for (std::size_t r = first; r < last; ++r) {
    const std::size_t i = r - first;
    answers.overall[r] =
        new_top[i] > base_top[i] ? base_width + answers.new_side[r] : answers.base[r];
    shift[i] = std::max(base_top[i], new_top[i]);
    const std::uint8_t own = new_top[i] > base_top[i] ? kTiedNew : kTiedBase;
    if (new_top[i] == base_top[i] || (answers.tied[r] & own) != 0) answers.tied[r] |= kTiedOverall;
  }
  if (answers.score.empty()) return kNone;
  std::array<std::int64_t, kPiece> sum{};
  const double unit = unit_of(logits.base->columns + logits.new_side->columns);
  add_exp(*logits.base, first, last, shift, unit, sum);
  add_exp(*logits.new_side, first, last, shift, unit, sum);
  for (std::size_t r = first; r < last; ++r) {
    const std::size_t i = r - first;
    answers.score[r] = std::exp(base_top[i] - shift[i]) / (static_cast<double>(sum[i]) * unit);
  }
  return kNone;
}

// Throws Error at the first logit of the row that is not finite, if there is one.
void refuse_row(const Matrix* matrix, std::string_view name, std::size_t row,
                const Origin& origin) {
  if (matrix == nullptr) return;
  for_rows(*matrix, row, row + 1, [&](std::size_t, const auto& logits) {
    for (std::size_t c = 0; c < logits.size(); ++c) {
      if (std::isfinite(logits[c])) continue;
      const char* value = std::isnan(logits[c]) ? "NaN" : logits[c] > 0 ? "inf" : "-inf";
      origin.fail(fmt::format("{}[{}, {}] is {}; logits must be finite", name, row, c, value));
    }
    return true;
  });
}

// Calls f(first, last) for pieces of rows, on all cores; f returns the first row with a logit that
// is not finite, or kNone. Throws Error for that logit.
template <class F>
void for_pieces(const Logits& logits, const Origin& origin, F&& f) {
  const Matrix* any = logits.base != nullptr ? logits.base : logits.new_side;
  const std::size_t rows = any->rows;
  const std::size_t pieces = (rows + kPiece - 1) / kPiece;
  std::vector<std::size_t> refused(pieces, kNone);
  parallel_for(pieces, 0, [&](std::size_t piece) {
    const std::size_t first = piece * kPiece;
    refused[piece] = f(first, std::min(rows, first + kPiece));
  });
  for (const std::size_t row : refused) {
    if (row == kNone) continue;
    refuse_row(logits.base, "base_logits", row, origin);
    refuse_row(logits.new_side, "new_logits", row, origin);
  }
}

}  // namespace

Answers answer(const Logits& logits, bool with_score, const Origin& origin) {
  const Matrix* any = logits.base != nullptr ? logits.base : logits.new_side;
  const bool both = logits.base != nullptr && logits.new_side != nullptr;
  assert(!both || logits.base->rows == logits.new_side->rows);
  Answers answers;
  if (any == nullptr) return answers;
  const std::size_t rows = any->rows;
  answers.tied.resize(rows);
  if (logits.base != nullptr) answers.base.resize(rows);
  if (logits.new_side != nullptr) answers.new_side.resize(rows);
  if (both) answers.overall.resize(rows);
  if (both && with_score) answers.score.resize(rows);

  for_pieces(logits, origin, [&](std::size_t first, std::size_t last) {
    return answer_piece(logits, first, last, answers);
  });
  return answers;
}

std::vector<double> name_fit(const Logits& logits, const Origin& origin) {
  const Matrix* any = logits.base != nullptr ? logits.base : logits.new_side;
  std::vector<double> fit(any->rows, -std::numeric_limits<double>::infinity());
  for_pieces(logits, origin, [&](std::size_t first, std::size_t last) {
    std::size_t refused = kNone;
    for (const Matrix* matrix : {logits.base, logits.new_side}) {
      if (matrix == nullptr) continue;
      for_rows(*matrix, first, last, [&](std::size_t r, const auto& row) {
        for (const auto z : row) {
          if (!std::isfinite(z)) {
            refused = std::min(refused, r);
            return false;
          }
          fit[r] = std::max(fit[r], static_cast<double>(z));
        }
        return true;
      });
    }
    return refused;
  });
  return fit;
}

}  // namespace openworld
