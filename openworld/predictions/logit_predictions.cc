#include "openworld/predictions/logit_predictions.h"

#include <algorithm>

#include "openworld/io/atomic_file.h"
#include "openworld/io/npz.h"
#include "openworld/io/text_array.h"
#include "openworld/predictions/predictions_parts.h"

namespace openworld {

void set_sides(LogitPredictions& predictions, std::span<const std::int32_t> labels,
               std::int32_t base) {
  for (const std::int32_t c : labels) {
    predictions.side.push_back(static_cast<std::int8_t>(c < 0 ? -1 : c < base ? 0 : 1));
    predictions.label.push_back(c < base ? std::max(c, 0) : c - base);
  }
}

Predictions view_predictions(const LogitPredictions& p, const std::string& path,
                             const std::string& function) {
  const auto view = [](auto values) {
    return Column<std::remove_const_t<typename decltype(values)::element_type>>{values, {}};
  };
  const auto matrix = [&](std::span<const float> values, std::size_t columns) {
    return Matrix{view(values), p.side.size(), columns, false};
  };
  Parts parts;
  parts.side = view(std::span(p.side));
  parts.label = view(std::span(p.label));
  parts.score = view(p.score);
  parts.base_logits = matrix(p.base_logits, p.base_classes);
  if (p.new_classes > 0) parts.new_logits = matrix(p.new_logits, p.new_classes);
  parts.classes = p.classes;
  parts.meta = p.meta;
  return make_predictions(std::move(parts), {function, path});
}

void save_logit_predictions(const LogitPredictions& p, const std::string& path,
                            const std::string& function) {
  const std::size_t rows = p.side.size();
  const Origin origin = {function, path};
  const TextArray names(p.classes, "classes", origin);
  const TextArray meta(std::span(&p.meta, 1), "meta", origin);
  const auto floats = [](const char* name, std::span<const float> values,
                         std::vector<std::size_t> shape) {
    return NpzEntry{name, {Dtype::Kind::kFloat, 4}, std::move(shape), std::as_bytes(values)};
  };
  std::vector<NpzEntry> entries = {
      {"side", {Dtype::Kind::kInt, 1}, {rows}, std::as_bytes(std::span(p.side))},
      {"label", {Dtype::Kind::kInt, 4}, {rows}, std::as_bytes(std::span(p.label))},
      floats("score", p.score, {rows}),
      floats("base_logits", p.base_logits, {rows, p.base_classes})};
  if (p.new_classes > 0) {
    entries.push_back(floats("new_logits", p.new_logits, {rows, p.new_classes}));
  }
  entries.push_back(names.entry("classes", {p.classes.size()}));
  if (!p.meta.empty()) entries.push_back(meta.entry("meta", {}));
  write_file_atomically(path, make_npz(entries), function);
}

}  // namespace openworld
