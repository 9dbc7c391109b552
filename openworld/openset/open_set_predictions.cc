#include "openworld/openset/open_set_predictions.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "openworld/io/atomic_file.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/npz.h"
#include "openworld/io/text_array.h"

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

}  // namespace

void save_open_set_predictions(const OpenSetScores& scores, std::size_t measure,
                               std::span<const std::int32_t> label,
                               std::span<const std::string> names, const std::string& path) {
  const Origin origin{kSave, path};
  if (!path.ends_with(".npz")) origin.fail("unknown ending; expected .npz");
  const Rows rows = rows_of(scores, measure, label);
  if (rows.side.empty()) origin.fail("neither a true positive nor an open-set error is left");
  const auto images = static_cast<std::int32_t>(scores.images);
  const auto classes = scores.plan.classes;
  const std::vector<std::string> meta = {
      nlohmann::ordered_json(
          {{"protocol", "open-set, leave one class out"},
           {"measure", scores.plan.measures[measure]->name},
           {"images", images},
           {"classes", classes},
           {"extra_queries", scores.extra},
           {"extra_role", scores.plan.role == ExtraRole::kNegative ? "negative" : "class"},
           {"activation", activation_name(scores.plan.form.activation)}})
          .dump()};
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
