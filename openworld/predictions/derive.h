#pragma once

// The arrays of Predictions that a file may omit, derived from logits.

#include <cstdint>
#include <span>
#include <vector>

#include "openworld/io/npy_values.h"
#include "openworld/io/origin.h"

namespace openworld {

// g's logits over the base names, h's over the new names, for the same samples. Either may be
// absent: null.
struct Logits {
  const Matrix* base = nullptr;
  const Matrix* new_side = nullptr;
};

// Per row. Argmax takes the first of equals, as numpy.argmax does; logits in fp16 often have
// equals.
struct Answers {
  std::vector<std::int32_t> base;      // argmax of the base logits; empty without them
  std::vector<std::int32_t> new_side;  // argmax of the new logits; empty without them
  std::vector<std::int32_t> overall;   // argmax over base names, then new names; needs both
  // Largest base probability of the softmax over base and new names, max_b p_b =
  // exp(max_b z_b - m) / sum_k exp(z_k - m) with m = max_k z_k, in double. The sum is of integers,
  // so that the order of the names changes no bit. Only if asked for; needs both.
  std::vector<double> score;
  // Whether the largest base logit, the largest new logit, the largest of all occurs twice: kTied*
  // flags.
  std::vector<std::uint8_t> tied;
};

inline constexpr std::uint8_t kTiedBase = 1, kTiedNew = 2, kTiedOverall = 4;

// O(rows * columns) on all cores, bitwise identical for any number of threads. Matrices are read in
// place, row-major or column-major. Throws Error at the first logit that is not finite.
// REQUIRES: matrices of the same number of rows, and of less than 2^31 columns together.
Answers answer(const Logits& logits, bool with_score, const Origin& origin);

// How well any name fits, per row: the largest logit of all names. On the drawings of Doodles and
// Icons it kept out more images of names that were left out than the largest probability or the
// energy did. Throws Error at the first logit that is not finite. REQUIRES: one matrix or both, as
// for answer().
std::vector<double> name_fit(const Logits& logits, const Origin& origin);

}  // namespace openworld
