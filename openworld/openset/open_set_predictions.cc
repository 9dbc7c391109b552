#include "openworld/openset/open_set_predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "openworld/io/atomic_file.h"
#include "openworld/io/dump_line.h"
#include "openworld/io/json_file.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/npz.h"
#include "openworld/io/text_array.h"
#include "openworld/openset/open_set_protocol.h"
#include "openworld/predictions/result_json.h"

namespace openworld {
namespace {

constexpr const char* kSave = "save_open_set_predictions";
constexpr const char* kLoad = "load_open_set_predictions";

template <class T>
NpzEntry entry(const char* name, const std::vector<T>& values) {
  const Dtype::Kind kind = std::is_floating_point_v<T> ? Dtype::Kind::kFloat : Dtype::Kind::kInt;
  return {name, Dtype{kind, sizeof(T)}, {values.size()}, std::as_bytes(std::span(values))};
}

NpzEntry entry(const char* name, const std::int32_t& value) {
  return {name, Dtype{Dtype::Kind::kInt, 4}, {}, std::as_bytes(std::span(&value, 1))};
}

struct Rows {
  std::vector<std::int8_t> side;
  std::vector<double> score;
  std::vector<std::int8_t> correct;
  std::vector<std::int32_t> label, predicted, image;
};

Rows rows_of(const OpenSetScores& scores, std::size_t measure,
             std::span<const std::int32_t> label) {
  const OpenSetTest& test = scores.all();
  Rows rows;
  const auto add = [&](std::size_t i, bool positive, double score, std::int32_t answer) {
    rows.side.push_back(positive ? 0 : -1);
    rows.score.push_back(score);
    rows.correct.push_back(positive ? 1 : 0);
    rows.label.push_back(label[i]);
    rows.predicted.push_back(answer);
    rows.image.push_back(static_cast<std::int32_t>(i));
  };
  for (std::size_t i = 0; i < scores.images; ++i) {
    if (test.closed[i] == ClosedOutcome::kRight) {
      add(i, true, test.closed_score[measure][i], label[i]);
    }
  }
  for (std::size_t i = 0; i < scores.images; ++i) {
    if (test.open[i] == OpenOutcome::kError) {
      add(i, false, test.open_score[measure][i], scores.open_answer[i]);
    }
  }
  return rows;
}

NpyArray required(const ZipArchive& archive, const char* name) {
  auto array = read_npz_array(archive, name);
  if (!array) {
    archive.origin().fail(
        fmt::format("no {}; expected predictions of an open-set test, with side, score, label, "
                    "image and images",
                    name));
  }
  return std::move(*array);
}

Column<std::int32_t> integers(const ZipArchive& archive, const char* name) {
  const NpyArray array = required(archive, name);
  require_dimensions(array, 1, archive.origin());
  return to_integers<std::int32_t>(array, "an index", archive.origin());
}

std::string meta_of(const OpenSetScores& scores, std::size_t measure,
                    const nlohmann::ordered_json& result) {
  nlohmann::ordered_json meta = {
      {"protocol", kLeaveOneOutProtocol},
      {"measure", scores.plan.measures[measure]->name},
      {"images", scores.images},
      {"classes", scores.plan.classes},
      {"extra_queries", scores.extra},
      {"extra_role", scores.plan.role == ExtraRole::kNegative ? "negative" : "class"},
      {"activation", activation_name(scores.plan.form.activation)},
      {"result", result}};
  std::string text = dump_line(meta);
  if (text.size() <= kMostResultBytes) return text;
  meta.erase("result");
  return dump_line(meta);
}

// Throws Error unless the result is of the test that has these rows.
void expect_same_test(const OpenSetOrigin& found, const Predictions& predictions,
                      const Origin& origin) {
  const OutcomeCounts& counts = found.result->report.all.counts;
  const auto side = predictions.side.values;
  const auto right = std::ranges::count(side, static_cast<std::int8_t>(Side::kBase));
  const auto errors = std::ranges::count(side, static_cast<std::int8_t>(Side::kUnknown));
  if (right != counts.tp || errors != counts.ose) {
    origin.fail(
        fmt::format("meta.result has {} true positives and {} open-set errors; expected {} "
                    "and {}, the rows of side 0 and -1",
                    counts.tp, counts.ose, right, errors));
  }
}

}  // namespace

std::optional<OpenSetOrigin> open_set_origin(const Predictions& predictions) {
  if (predictions.meta.empty()) return std::nullopt;
  const Origin origin{kLoad, predictions.path};
  // With room for what other writers put beside the result.
  const nlohmann::ordered_json meta = parse_ordered_json(
      predictions.meta, origin,
      {.bytes = 4 * kMostResultBytes, .depth = 100, .values = kMetaLimits.values});
  const auto protocol = meta.is_object() ? meta.find("protocol") : meta.end();
  if (protocol == meta.end()) return std::nullopt;
  if (*protocol != kLeaveOneOutProtocol && *protocol != kAbsentClassesProtocol) return std::nullopt;
  const auto measure = meta.find("measure");
  if (measure == meta.end() || !measure->is_string()) {
    origin.fail("meta has no measure; expected the name of the uncertainty that scores are");
  }
  OpenSetOrigin found{.protocol = protocol->get<std::string>(),
                      .measure = measure->get<std::string>()};
  const auto result = meta.find("result");
  if (result == meta.end() || result->is_null()) return found;
  found.result = read_open_set_json(*result, "meta.result", origin);
  const auto& measures = found.result->report.all.open_set;
  const auto at = std::ranges::find_if(
      measures, [&](const MeasureResult& m) { return m.measure->name == found.measure; });
  if (at == measures.end()) {
    origin.fail(fmt::format("meta.measure is {}; expected one of meta.result.measures",
                            in_quotes(found.measure)));
  }
  found.measure_at = static_cast<std::size_t>(at - measures.begin());
  expect_same_test(found, predictions, origin);
  return found;
}

void save_open_set_predictions(const OpenSetScores& scores, std::size_t measure,
                               std::span<const std::int32_t> label,
                               std::span<const std::string> names,
                               const nlohmann::ordered_json& result, const std::string& path) {
  const Origin origin{kSave, path};
  if (!path.ends_with(".npz")) origin.fail("unknown ending; expected .npz");
  const Rows rows = rows_of(scores, measure, label);
  if (rows.side.empty()) origin.fail("neither a true positive nor an open-set error is left");
  const auto images = static_cast<std::int32_t>(scores.images);
  const auto classes = scores.plan.classes;
  const std::vector<std::string> meta = {meta_of(scores, measure, result)};
  // More queries than classes may be answers, so the names stand for as many as there are.
  const std::int32_t answers =
      scores.plan.role == ExtraRole::kClass ? classes + scores.extra : classes;
  std::vector<NpzEntry> entries = {
      entry("side", rows.side),           entry("score", rows.score),
      entry("correct", rows.correct),     entry("label", rows.label),
      entry("predicted", rows.predicted), entry("base_classes", answers),
      entry("image", rows.image),         entry("images", images)};
  const TextArray texts(names, "classes", origin), about(meta, "meta", origin);
  if (!names.empty() && static_cast<std::int32_t>(names.size()) == answers) {
    entries.push_back(texts.entry("classes", {names.size()}));
  }
  entries.push_back(about.entry("meta", {}));
  write_file_atomically(path, make_npz(entries), kSave);
}

ImageRanking load_open_set_predictions(const std::string& path,
                                       std::span<const std::int32_t> label) {
  const Origin origin{kLoad, path};
  const ZipArchive archive(map_file(origin), origin);
  const NpyArray count = required(archive, "images");
  require_dimensions(count, 0, origin);
  const std::int32_t images = to_integers<std::int32_t>(count, "a number", origin).values[0];
  if (images < 0 || static_cast<std::size_t>(images) != label.size()) {
    origin.fail(fmt::format("these are predictions of {} images; expected the same {}", images,
                            label.size()));
  }
  const auto side = integers(archive, "side"), image = integers(archive, "image");
  const auto labels = integers(archive, "label");
  const NpyArray stored = required(archive, "score");
  require_dimensions(stored, 1, origin);
  const FloatColumn score = to_floats(stored, origin);
  const std::size_t rows = side.size();
  const std::size_t scored = std::visit([](const auto& s) { return s.size(); }, score);
  if (image.size() != rows || labels.size() != rows || scored != rows) {
    origin.fail(
        fmt::format("side, score, label and image have {}, {}, {} and {} rows; expected "
                    "equal numbers",
                    rows, scored, labels.size(), image.size()));
  }
  std::vector<std::uint8_t> positive(rows);
  std::vector<double> values(rows);
  std::vector<std::uint32_t> of_image(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::int32_t at = image.values[i];
    if (side.values[i] != 0 && side.values[i] != -1) {
      origin.fail(fmt::format("side[{}] is {}; expected 0 or -1", i, side.values[i]));
    }
    if (at < 0 || at >= images) {
      origin.fail(fmt::format("image[{}] is {}; expected 0 to {}", i, at, images - 1));
    }
    if (labels.values[i] != label[static_cast<std::size_t>(at)]) {
      origin.fail(fmt::format("image {} has label {}; expected {}, as the same image has here", at,
                              labels.values[i], label[static_cast<std::size_t>(at)]));
    }
    positive[i] = side.values[i] == 0;
    values[i] = std::visit([&](const auto& s) { return static_cast<double>(s.values[i]); }, score);
    if (!std::isfinite(values[i])) {
      origin.fail(fmt::format("score[{}] is not finite; expected a finite number", i));
    }
    of_image[i] = static_cast<std::uint32_t>(at);
  }
  return ImageRanking(std::move(positive), std::move(values), std::move(of_image), label.size());
}

}  // namespace openworld
