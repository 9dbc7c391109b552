// Writes predictions to a file.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "openworld/io/atomic_file.h"
#include "openworld/io/npz.h"
#include "openworld/io/origin.h"
#include "openworld/io/text_array.h"
#include "openworld/predictions/predictions_parts.h"

namespace openworld {
namespace {

constexpr const char* kFunction = "save_predictions";

template <class T>
constexpr Dtype::Kind kKind = std::is_floating_point_v<T> ? Dtype::Kind::kFloat : Dtype::Kind::kInt;
template <>
constexpr Dtype::Kind kKind<std::uint8_t> = Dtype::Kind::kBool;

template <class T>
NpzEntry entry(const char* name, const Column<T>& column) {
  return {name, Dtype{kKind<T>, sizeof(T)}, {column.size()}, std::as_bytes(column.values)};
}

NpzEntry entry(const char* name, const std::int32_t& count) {
  return {name, Dtype{Dtype::Kind::kInt, 4}, {}, std::as_bytes(std::span(&count, 1))};
}

std::string make_npz(const Predictions& p, const Origin& origin) {
  std::vector<NpzEntry> entries = {entry("side", p.side)};
  const auto add_floats = [&](const char* name, const FloatColumn& column) {
    std::visit([&](const auto& values) { entries.push_back(entry(name, values)); }, column);
  };
  add_floats("score", p.score);
  entries.push_back(entry("correct", p.correct));
  if (!p.overall_correct.empty()) entries.push_back(entry("overall_correct", p.overall_correct));
  if (!p.label.empty()) entries.push_back(entry("label", p.label));
  if (!p.predicted.empty()) entries.push_back(entry("predicted", p.predicted));
  if (size_of(p.fit) > 0) add_floats("fit", p.fit);
  if (p.base_classes > 0) entries.push_back(entry("base_classes", p.base_classes));
  if (p.new_classes > 0) entries.push_back(entry("new_classes", p.new_classes));
  const TextArray classes(p.classes, "classes", origin);
  const TextArray meta(std::span(&p.meta, 1), "meta", origin);
  if (!p.classes.empty()) entries.push_back(classes.entry("classes", {p.classes.size()}));
  if (!p.meta.empty()) entries.push_back(meta.entry("meta", {}));
  return make_npz(entries);
}

// The shortest text that reads back as the same double.
void append_number(std::string& text, double value) {
  char buffer[32];
  text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

void append_number(std::string& text, std::int32_t value) {
  char buffer[16];
  text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

std::string make_csv(const Predictions& p) {
  const Outcomes o = p.outcomes();
  std::string text = "side,score,correct";
  if (!o.overall_correct.empty()) text += ",overall_correct";
  if (!o.label.empty()) text += ",label";
  if (!o.predicted.empty()) text += ",predicted";
  const std::vector<double> fit = to_doubles(p.fit);
  if (!fit.empty()) text += ",fit";
  text += '\n';
  const auto append_optional = [&](const auto& column, std::size_t row) {
    if (column.empty()) return;
    text += ',';
    append_number(text, std::int32_t{column[row]});
  };
  for (std::size_t i = 0; i < o.size(); ++i) {
    append_number(text, std::int32_t{o.side[i]});
    text += ',';
    append_number(text, o.score[i]);
    append_optional(o.correct, i);
    append_optional(o.overall_correct, i);
    append_optional(o.label, i);
    append_optional(o.predicted, i);
    if (!fit.empty()) {
      text += ',';
      append_number(text, fit[i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

void save_predictions(const Predictions& predictions, const std::string& path) {
  const Origin origin{kFunction, path};
  validate_from(predictions.outcomes(), origin);
  if (path.ends_with(".npz")) {
    write_file_atomically(path, make_npz(predictions, origin), kFunction);
  } else if (path.ends_with(".csv")) {
    write_file_atomically(path, make_csv(predictions), kFunction);
  } else {
    origin.fail("unknown ending; expected .npz or .csv");
  }
}

}  // namespace openworld
