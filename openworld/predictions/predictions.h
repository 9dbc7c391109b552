#pragma once

// Predictions of any model, read from an .npz, a directory of .npy, or a CSV with a header.
//
//   array        shape   meaning
//   side         N       0 base, 1 new, -1 unknown
//   label        N       index into the base names or the new names (ignored where side is -1)
//   score        N       r, larger means more base-like; optional when both logits are given: then
//                        the largest base probability over base and new names together
//   base_logits  N x Cb  g's logits; optional when correct is given
//   new_logits   N x Cn  h's logits; optional when correct is given
//   correct      N       whether the right classifier was right; derived from logits when absent
//   fit          N       how well any listed name fits, larger is better; optional, for load_fit
//   overall_correct, predicted    N, optional; derived from logits when absent (see Outcomes)
//   base_classes, new_classes     scalars, optional: numbers of names, of the logits when absent
//   classes      names: base names then new names; optional
//   meta         free JSON text; optional
//
// side may also be the words base, new or unknown, and flags true or false. In a CSV, logits are
// the columns base_logits_0, base_logits_1, ..., and the last three rows of the table are not
// available. Other arrays and columns are ignored.
//
// Files are untrusted: every size and offset is checked before anything is allocated or read, and
// every Error names the file, the array and the row.

#include <cstdint>
#include <string>
#include <vector>

#include "openworld/io/column.h"
#include "openworld/metrics/outcomes.h"

namespace openworld {

struct Predictions {
  Column<std::int8_t> side;
  FloatColumn score;
  Column<std::uint8_t> correct;
  Column<std::uint8_t> overall_correct;  // may be empty
  Column<std::int32_t> label;            // may be empty
  Column<std::int32_t> predicted;        // may be empty
  FloatColumn fit;                       // as the file has it; may be empty
  std::int32_t base_classes = 0;
  std::int32_t new_classes = 0;
  std::vector<std::string> classes;  // base names, then new names; may be empty
  std::int64_t tied_answers = 0;     // samples whose answer is the first of several largest logits
  std::string meta;                  // JSON text; may be empty
  std::string path;                  // where they came from

  // A view that lives as long as this object; valid if load_predictions made it.
  Outcomes outcomes() const;
};

// Reads and validates predictions. Throws Error.
Predictions load_predictions(const std::string& path);

// The class that the right classifier names for each sample, as an index into base names, then new
// names: g's answer where side is 0, h's where it is 1. -1 for unknown samples and where the file
// has neither logits nor, for base samples, `predicted`. Throws Error as load_predictions does.
std::vector<std::int32_t> load_answers(const std::string& path);

// How well any listed name fits, by row: the array `fit`, else the largest logit of all names
// (name_fit in derive.h). Throws Error, also for a file without either, or without the logits of a
// side that it has samples of.
std::vector<double> load_fit(const std::string& path);

// Writes the compact arrays that `predictions` holds, atomically: a stored (not deflated) .npz with
// all of them, or a .csv with the columns, by the ending of `path`. Scores are written exactly.
// Throws Error.
void save_predictions(const Predictions& predictions, const std::string& path);

}  // namespace openworld
