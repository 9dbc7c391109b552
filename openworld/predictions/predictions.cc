#include "openworld/predictions/predictions.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>

#include "openworld/base/error.h"
#include "openworld/io/mapped_file.h"
#include "openworld/predictions/derive.h"
#include "openworld/predictions/named_classes.h"
#include "openworld/predictions/predictions_parts.h"

namespace openworld {
namespace {

void require_rows(std::string_view name, std::size_t rows, std::size_t expected,
                  const Origin& origin) {
  if (rows == expected) return;
  origin.fail(
      fmt::format("{} has {} rows; expected {}, one per row of side", name, rows, expected));
}

// The number of names: of the logits, or as the file says.
std::int32_t count_classes(std::string_view name, const std::optional<Matrix>& logits,
                           std::optional<std::int32_t> said, const Origin& origin) {
  if (!logits) return said.value_or(0);
  // So that an index over base and new names together is an int32.
  constexpr std::size_t kMax = std::numeric_limits<std::int32_t>::max() / 2;
  if (logits->columns > kMax) {
    origin.fail(
        fmt::format("{}_logits has {} columns; expected at most {}", name, logits->columns, kMax));
  }
  const auto columns = static_cast<std::int32_t>(logits->columns);
  if (said && *said != columns) {
    origin.fail(fmt::format("{}_classes is {}; expected {}, the columns of {}_logits", name, *said,
                            columns, name));
  }
  return columns;
}

void check_classes(const Parts& parts, const Predictions& result, const Origin& origin) {
  if (!parts.classes || result.base_classes == 0 || result.new_classes == 0) return;
  const std::int64_t expected = std::int64_t{result.base_classes} + result.new_classes;
  if (std::cmp_not_equal(parts.classes->size(), expected)) {
    origin.fail(fmt::format("classes has {} names; expected {}, the base names and then the new",
                            parts.classes->size(), expected));
  }
}

// Throws Error unless the samples of `side` can be evaluated with the logits given.
void require_judges(const Parts& parts, const Origin& origin) {
  if (!parts.base_logits && !parts.new_logits) {
    origin.fail("no correct; expected correct, or base_logits, new_logits and label");
  }
  if (!parts.label) {
    origin.fail("no label; expected label, which is needed to derive correct from the logits");
  }
  const auto& side = parts.side->values;
  const auto require = [&](const std::optional<Matrix>& logits, std::string_view name, int which) {
    const auto row = std::find(side.begin(), side.end(), which) - side.begin();
    if (logits || static_cast<std::size_t>(row) == side.size()) return;
    origin.fail(
        fmt::format("no {}_logits, but side[{}] is {}; expected correct, or {}_logits from "
                    "which it is derived",
                    name, row, which, name));
  };
  require(parts.base_logits, "base", 0);
  require(parts.new_logits, "new", 1);
}

Column<std::uint8_t> derive_correct(const Parts& parts, const Answers& answers) {
  const auto side = parts.side->values;
  const auto label = parts.label->values;
  std::vector<std::uint8_t> correct(side.size());
  for (std::size_t i = 0; i < side.size(); ++i) {
    correct[i] = (side[i] == 0 && answers.base[i] == label[i]) ||
                 (side[i] == 1 && answers.new_side[i] == label[i]);
  }
  return make_column(std::move(correct));
}

Column<std::uint8_t> derive_overall_correct(const Parts& parts, const Answers& answers) {
  const auto side = parts.side->values;
  const auto label = parts.label->values;
  const auto base_classes = static_cast<std::int64_t>(parts.base_logits->columns);
  std::vector<std::uint8_t> correct(side.size());
  for (std::size_t i = 0; i < side.size(); ++i) {
    const std::int64_t truth = label[i] + (side[i] == 1 ? base_classes : 0);
    correct[i] = side[i] != -1 && answers.overall[i] == truth;
  }
  return make_column(std::move(correct));
}

// Samples whose own classifier, or the one over all names, has several largest logits. Unknown
// samples have no answer of their own.
std::int64_t count_tied(const Parts& parts, const Answers& answers) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < answers.tied.size() && i < parts.side->values.size(); ++i) {
    const std::int8_t side = parts.side->values[i];
    const int own = side == 0 ? kTiedBase : side == 1 ? kTiedNew : 0;
    count += (answers.tied[i] & (own | (side >= 0 ? kTiedOverall : 0))) != 0 ? 1 : 0;
  }
  return count;
}

// Returns how many answers are ties.
std::int64_t derive_missing(Parts& parts, const Origin& origin) {
  const bool both = parts.base_logits && parts.new_logits;
  if (!parts.score && !both) {
    origin.fail("no score; expected score, or base_logits and new_logits from which it is derived");
  }
  if (!parts.correct) require_judges(parts, origin);
  const Logits logits{parts.base_logits ? &*parts.base_logits : nullptr,
                      parts.new_logits ? &*parts.new_logits : nullptr};
  Answers answers = answer(logits, !parts.score, origin);
  const std::int64_t tied = count_tied(parts, answers);
  if (!parts.correct) parts.correct = derive_correct(parts, answers);
  if (!parts.overall_correct && both && parts.label) {
    parts.overall_correct = derive_overall_correct(parts, answers);
  }
  if (!parts.predicted && parts.base_logits) {
    parts.predicted = make_column(std::move(answers.base));
  }
  if (!parts.score) parts.score = make_column(std::move(answers.score));
  return tied;
}

Parts read_parts(const Origin& origin) {
  struct stat status;
  if (::stat(origin.file.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return read_folder_parts(origin);
  }
  const Bytes bytes = map_file(origin);
  const std::string_view text = as_text(bytes.values);
  if (text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06") ||
      origin.file.ends_with(".npz")) {
    return read_npz_parts(ZipArchive(bytes, origin));
  }
  if (text.starts_with("\x93NUMPY") || origin.file.ends_with(".npy")) {
    origin.fail("is a single array; expected an .npz, a folder of .npy files, or a .csv");
  }
  return read_csv_parts(CsvTable(bytes, origin));
}

}  // namespace

void validate_from(const Outcomes& outcomes, const Origin& origin) {
  try {
    validate(outcomes);
  } catch (const Error& error) {
    origin.fail(error.message());
  }
}

Predictions make_predictions(Parts parts, const Origin& origin) {
  if (!parts.side) {
    origin.fail(fmt::format(
        "no side; expected side, 0 (base), 1 (new) or -1 (unknown) for each sample{}",
        parts.has_features ? ". It has features, of which `openworld score` makes predictions"
                           : ""));
  }
  const std::size_t n = parts.side->size();
  Predictions result;
  result.base_classes = count_classes("base", parts.base_logits, parts.base_classes, origin);
  result.new_classes = count_classes("new", parts.new_logits, parts.new_classes, origin);
  check_classes(parts, result, origin);
  if (parts.base_logits) require_rows("base_logits", parts.base_logits->rows, n, origin);
  if (parts.new_logits) require_rows("new_logits", parts.new_logits->rows, n, origin);
  if (parts.label) require_rows("label", parts.label->size(), n, origin);
  if (parts.fit) require_rows("fit", size_of(*parts.fit), n, origin);
  result.tied_answers = derive_missing(parts, origin);

  result.side = *std::move(parts.side);
  result.score = *std::move(parts.score);
  result.correct = *std::move(parts.correct);
  result.overall_correct = std::move(parts.overall_correct).value_or(Column<std::uint8_t>{});
  result.label = std::move(parts.label).value_or(Column<std::int32_t>{});
  result.predicted = std::move(parts.predicted).value_or(Column<std::int32_t>{});
  result.fit = std::move(parts.fit).value_or(FloatColumn{});
  result.classes = std::move(parts.classes).value_or(std::vector<std::string>{});
  result.meta = std::move(parts.meta).value_or("");
  result.path = origin.file;
  validate_from(result.outcomes(), origin);
  return result;
}

Outcomes Predictions::outcomes() const {
  Outcomes o;
  o.side = side.values;
  o.score = std::visit([](const auto& r) { return BaseScores::larger_is_base(r.values); }, score);
  o.correct = correct.values;
  o.overall_correct = overall_correct.values;
  o.label = label.values;
  o.predicted = predicted.values;
  o.base_classes = base_classes;
  o.new_classes = new_classes;
  return o;
}

Predictions load_predictions(const std::string& path) {
  const Origin origin{"load_predictions", path};
  return make_predictions(read_parts(origin), origin);
}

NamedClasses load_named_classes(const std::string& path) {
  const Origin origin{"load_predictions", path};
  const Parts parts = read_parts(origin);
  const Predictions checked = make_predictions(parts, origin);
  Answers answers = answer({.base = parts.base_logits ? &*parts.base_logits : nullptr,
                            .new_side = parts.new_logits ? &*parts.new_logits : nullptr},
                           false, origin);
  const std::vector<std::int32_t> none(checked.side.size(), -1);
  NamedClasses named{none, none, none};
  if (!checked.predicted.empty()) {
    named.base.assign(checked.predicted.values.begin(), checked.predicted.values.end());
  }
  // Without the number of base names nothing says where the new ones begin.
  if (!answers.new_side.empty() && checked.base_classes > 0) {
    for (std::size_t i = 0; i < none.size(); ++i) {
      named.new_side[i] = checked.base_classes + answers.new_side[i];
    }
  }
  if (!answers.overall.empty()) named.overall = std::move(answers.overall);
  return named;
}

std::vector<std::int32_t> load_answers(const std::string& path) {
  const NamedClasses classes = load_named_classes(path);
  const Column<std::int8_t> side = load_predictions(path).side;
  std::vector<std::int32_t> named(side.size(), -1);
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (side.values[i] == 0) named[i] = classes.base[i];
    if (side.values[i] == 1) named[i] = classes.new_side[i];
  }
  return named;
}

std::vector<double> load_fit(const std::string& path) {
  const Origin origin{"load_predictions", path};
  const Parts parts = read_parts(origin);
  const Predictions checked = make_predictions(parts, origin);
  if (parts.fit) return to_doubles(*parts.fit);
  const bool has_new = std::ranges::find(checked.side.values, 1) != checked.side.values.end();
  if (!parts.base_logits || (has_new && !parts.new_logits)) {
    origin.fail(
        "no fit, which says how well any listed name fits; expected fit, or base_logits and "
        "new_logits from which it is derived");
  }
  return name_fit(
      {.base = &*parts.base_logits, .new_side = parts.new_logits ? &*parts.new_logits : nullptr},
      origin);
}

}  // namespace openworld
