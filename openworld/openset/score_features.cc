#include "openworld/openset/score_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "openworld/io/dump_line.h"
#include "openworld/io/text_lines.h"
#include "openworld/openset/tile_loop.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int32_t kUnknown = -1;
constexpr std::string_view kUnknownName = "unknown";

// Which classes are queries, in which order: base names, then new ones.
struct QueryList {
  std::vector<std::size_t> classes;
  std::vector<std::int32_t> column;  // of each class, or kUnknown
  std::size_t base = 0;
};

QueryList choose_queries(const ClassTexts& texts, const ScoreOptions& options) {
  const std::size_t count = texts.features.features.rows;
  if (count > std::size_t{std::numeric_limits<std::int32_t>::max() / 2}) {
    texts.features.origin.fail(fmt::format("{} classes are too many", count));
  }
  QueryList list;
  list.classes = choose_base(options.base, count, texts.names, options.function);
  list.base = list.classes.size();
  std::vector<bool> is_base(count);
  for (const std::size_t c : list.classes) is_base[c] = true;
  std::vector<std::size_t> new_side(count);
  std::iota(new_side.begin(), new_side.end(), std::size_t{0});
  if (options.new_names) {
    new_side = find_classes(*options.new_names, texts.names, "new", options.function);
    for (const std::size_t c : new_side) {
      if (!is_base[c]) continue;
      Origin{options.function, ""}.fail(fmt::format(
          "{} is a base name and a new name; expected one of them", in_quotes(texts.names[c])));
    }
  }
  std::ranges::copy_if(new_side, std::back_inserter(list.classes),
                       [&](std::size_t c) { return !is_base[c]; });
  list.column.assign(count, kUnknown);
  for (std::size_t j = 0; j < list.classes.size(); ++j) {
    list.column[list.classes[j]] = static_cast<std::int32_t>(j);
  }
  return list;
}

NamedFeatures queries_of(const ClassTexts& texts, const QueryList& list) {
  const Matrix& all = texts.features.features;
  const auto gather = [&]<class T>(const Column<T>& values) -> FloatColumn {
    std::vector<T> rows;
    rows.reserve(list.classes.size() * all.columns);
    for (const std::size_t c : list.classes) {
      const auto row = values.values.subspan(c * all.columns, all.columns);
      rows.insert(rows.end(), row.begin(), row.end());
    }
    return make_column(std::move(rows));
  };
  return {{std::visit(gather, all.values), list.classes.size(), all.columns, false},
          texts.features.name,
          texts.features.origin};
}

std::vector<std::int32_t> columns_of(const ClassLabels& label, const ClassTexts& texts,
                                     const QueryList& list, const Origin& origin) {
  std::vector<std::int32_t> columns;
  columns.reserve(label_count(label));
  const auto classes = list.column.size();
  if (const auto* index = std::get_if<Column<std::int32_t>>(&label)) {
    for (const std::int32_t c : index->values) {
      if (c < kUnknown || std::cmp_greater_equal(c, classes)) {
        origin.fail(fmt::format("label[{}] is {}; expected 0 to {}, or -1 for an unknown image",
                                columns.size(), c, classes - 1));
      }
      columns.push_back(c == kUnknown ? kUnknown : list.column[static_cast<std::size_t>(c)]);
    }
    return columns;
  }
  if (texts.names.empty()) {
    origin.fail("label is text, but the classes have no names; expected indices of classes");
  }
  const ClassFinder finder(texts.names);
  std::map<std::string, std::int32_t> known;
  for (const std::string& name : std::get<std::vector<std::string>>(label)) {
    const auto [entry, is_new] = known.try_emplace(name, kUnknown);
    if (is_new) {
      const std::vector<std::size_t> found = finder.find(name);
      if (found.size() > 1 || (found.empty() && name != kUnknownName)) {
        origin.fail(fmt::format(
            "label[{}] is {}, which is {}; {}expected the name of one class, "
            "or unknown",
            columns.size(), in_quotes(name),
            found.empty() ? "no class" : "the name of several classes", finder.suggestion(name)));
      }
      if (!found.empty()) entry->second = list.column[found[0]];
    }
    columns.push_back(entry->second);
  }
  return columns;
}

class FeaturePass {
 public:
  FeaturePass(std::size_t images, std::size_t base, std::size_t columns,
              std::vector<const DetectionScore*> scores, const ScoreOptions& options)
      : options_(options),
        scores_(std::move(scores)),
        base_(static_cast<std::int32_t>(base)),
        new_(static_cast<std::int32_t>(columns - base)),
        side_(images),
        correct_(images),
        overall_(images),
        label_(images),
        predicted_(images),
        fit_(images),
        r_(scores_.size(), std::vector<double>(images)) {
    const bool mild =
        std::ranges::any_of(scores_, [](const DetectionScore* s) { return s->needs_mild; });
    if (mild) beta_ = options.form.beta();
  }

  // `column` is that of each row's class.
  void scan(const LogitSource& source, std::span<const std::int32_t> column) {
    std::atomic<std::size_t> bad = kNoRow;
    for_each_tile(source, options_.threads, [&](auto* tile, std::size_t begin, std::size_t count) {
      std::int64_t tied = 0;
      for (std::size_t i = begin; i < begin + count; ++i, tile += source.columns()) {
        SideStats stats;
        if (scan_row(tile, stats)) {
          tied += record(first_ + i, column[i], stats, source.bias()) ? 1 : 0;
          continue;
        }
        std::size_t first = bad;
        while (i < first && !bad.compare_exchange_weak(first, i)) {
        }
      }
      finish_tile(count, tied);
    });
    if (bad != kNoRow) source.refuse_row(bad);
    first_ += source.rows();
  }

  void finish(ScoredFeatures& to) && {
    to.scores = std::move(scores_);
    to.common.side = make_column(std::move(side_));
    to.common.correct = make_column(std::move(correct_));
    if (new_ > 0) to.common.overall_correct = make_column(std::move(overall_));
    to.common.label = make_column(std::move(label_));
    to.common.predicted = make_column(std::move(predicted_));
    to.common.fit = make_column(std::move(fit_));
    to.common.base_classes = base_;
    to.common.new_classes = new_;
    to.common.tied_answers = tied_;
    for (std::vector<double>& r : r_) to.r.push_back(make_column(std::move(r)));
  }

 private:
  static constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

  // False if a logit is not finite.
  template <class T>
  bool scan_row(T* row, SideStats& stats) const {
    if (!scan_queries(row, base_, 0, beta_, stats.base)) return false;
    if (new_ > 0 && !scan_queries(row + base_, new_, base_, beta_, stats.new_side)) return false;
    stats.all = merge(stats.base, stats.new_side, beta_);
    return true;
  }

  // Whether an answer of the image is the first of several largest logits.
  bool record(std::size_t image, std::int32_t column, SideStats stats, double bias) {
    const bool is_base = column >= 0 && column < base_;
    const QueryStats& own = is_base ? stats.base : stats.new_side;
    side_[image] = static_cast<std::int8_t>(column < 0 ? -1 : is_base ? 0 : 1);
    label_[image] = column < 0 ? 0 : is_base ? column : column - base_;
    correct_[image] = column >= 0 && own.argmax == column;
    overall_[image] = column >= 0 && stats.all.argmax == column;
    predicted_[image] = stats.base.argmax;
    const bool tied = column >= 0 && (own.second == own.top || stats.all.second == stats.all.top);
    for (QueryStats* part : {&stats.base, &stats.new_side, &stats.all}) {
      part->top += bias;
      part->second += bias;
    }
    fit_[image] = stats.all.top;
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      r_[k][image] = scores_[k]->value(stats, options_.form);
    }
    return tied;
  }

  void finish_tile(std::size_t count, std::int64_t tied) {
    const std::lock_guard lock(mutex_);
    tied_ += tied;
    done_ += count;
    if (options_.progress) options_.progress(done_);
  }

  const ScoreOptions& options_;
  std::vector<const DetectionScore*> scores_;
  std::int32_t base_, new_;
  double beta_ = 0;
  std::size_t first_ = 0;  // image of the source that is scanned
  std::vector<std::int8_t> side_;
  std::vector<std::uint8_t> correct_, overall_;
  std::vector<std::int32_t> label_, predicted_;
  std::vector<double> fit_;
  std::vector<std::vector<double>> r_;
  std::mutex mutex_;
  std::int64_t tied_ = 0;  // these two guarded by mutex_
  std::size_t done_ = 0;
};

NamedFeatures image_features(const FeatureReader& reader) {
  const NpyArray array = reader.features();
  return {to_matrix(array, reader.origin()), array.name, reader.origin()};
}

}  // namespace

ScoreInput load_score_input(const ScoreFiles& files, const ScoreOptions& options) {
  const std::string& function = options.function;
  const FeatureReader images(files.images, function), texts(files.texts, function);
  std::vector<std::string> names =
      files.names.empty() ? texts.names() : read_text_lines({function, files.names});
  auto label = files.labels.empty() ? images.labels() : load_labels(files.labels, function);
  if (!label) {
    images.origin().fail(
        "no label; expected the index or the name of each image's class, -1 or \"unknown\" for "
        "images of none");
  }
  ScoreInput input{.images = image_features(images),
                   .label = *std::move(label),
                   .texts = class_texts(texts.features(), texts.labels(), std::move(names),
                                        options.ensemble, options.normalize, texts.origin())};
  if (!files.unknown.empty()) {
    input.unknown = image_features(FeatureReader(files.unknown, function));
  }
  return input;
}

ScoredFeatures score_features(ScoreInput input, const ScoreOptions& options) {
  const Origin origin = input.images.origin;
  const std::size_t listed = input.images.features.rows;
  const std::size_t further = input.unknown ? input.unknown->features.rows : 0;
  if (label_count(input.label) != listed) {
    origin.fail(fmt::format("label has {} rows; expected {}, one for each image",
                            label_count(input.label), listed));
  }
  if (listed + further > std::size_t{std::numeric_limits<std::uint32_t>::max()}) {
    origin.fail(fmt::format("{} images are too many; expected below 2^32", listed + further));
  }
  const QueryList list = choose_queries(input.texts, options);
  const NamedFeatures queries = queries_of(input.texts, list);
  const FeatureLogits form{.scale = options.form.scale,
                           .bias = options.form.bias,
                           .normalize = options.normalize,
                           .normalize_queries = input.texts.ensemble != TextEnsemble::kLogits};
  const SideSizes sizes{list.base, list.classes.size() - list.base};
  FeaturePass pass(
      listed + further, list.base, list.classes.size(),
      find_detection_scores(options.scores, options.form.activation, sizes, options.function),
      options);
  pass.scan(*feature_logits(std::move(input.images), {queries}, form),
            columns_of(input.label, input.texts, list, origin));
  if (input.unknown) {
    pass.scan(*feature_logits(*std::move(input.unknown), {queries}, form),
              std::vector<std::int32_t>(further, kUnknown));
  }
  ScoredFeatures scored;
  std::move(pass).finish(scored);
  scored.off_list_classes = list.column.size() - list.classes.size();
  scored.prompts = input.texts.prompts;
  for (std::size_t j = 0; j < list.classes.size() && !input.texts.names.empty(); ++j) {
    scored.common.classes.push_back(input.texts.names[list.classes[j]]);
  }
  return scored;
}

Predictions ScoredFeatures::predictions(std::size_t score, const ScoreOptions& options,
                                        const Source& source) const {
  Predictions predictions = common;
  predictions.score = r[score];
  Json meta = {{"method", "score"}, {"score", scores[score]->name}};
  for (const auto& [name, path] : source) meta[name] = path;
  meta["logit_scale"] = options.form.scale;
  meta["logit_bias"] = options.form.bias;
  meta["activation"] = activation_name(options.form.activation);
  meta["normalized"] = options.normalize;
  meta["base_classes"] = common.base_classes;
  meta["new_classes"] = common.new_classes;
  meta["off_list_classes"] = off_list_classes;
  meta["prompts"] = prompts;
  predictions.meta = dump_line(meta);
  return predictions;
}

}  // namespace openworld
