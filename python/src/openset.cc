#include <fmt/format.h>
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "arrays.h"
#include "bind.h"
#include "evaluate.h"
#include "openworld/base/error.h"
#include "openworld/io/dump_line.h"
#include "openworld/openset/open_set_arrays.h"
#include "openworld/openset/open_set_json.h"
#include "openworld/openset/random_queries.h"
#include "openworld/openset/wordnet.h"

namespace py = pybind11;

namespace openworld::python {
namespace {

const Origin kOrigin{"openset", ""};

// One of two words.
bool is_first(const std::string& got, const char* name, const char* first, const char* second) {
  if (got != first && got != second) {
    fail("openset", fmt::format("{} is '{}'; expected '{}' or '{}'", name, got, first, second));
  }
  return got == first;
}

FeatureArrays feature_arrays(const py::object& features, const char* name) {
  FeatureArrays arrays;
  arrays.features = {to_given_matrix(features, name, kOrigin), name, kOrigin};
  if (arrays.features.features.rows == 0) {
    fail("openset", fmt::format("{} has no rows; expected one or more", name));
  }
  return arrays;
}

OpenSetInput make_input(const py::object& logits, const py::object& label,
                        const py::object& negatives, const py::object& images,
                        const py::object& texts, const py::object& extra,
                        const FeatureLogits& options) {
  auto labels = to_column<std::int32_t>(label, "label", "the index of a class", kOrigin);
  if (!labels) fail("openset", "no label; expected the index of each image's class");
  if (!logits.is_none()) {
    if (!images.is_none() || !texts.is_none() || !extra.is_none()) {
      fail("openset", "got logits and features; expected one of them");
    }
    if (!py::isinstance<py::int_>(negatives) && !negatives.is_none()) {
      fail("openset",
           "negatives of logits is not a number; expected how many of the last columns "
           "are negative queries");
    }
    const std::int64_t count = negatives.is_none() ? 0 : negatives.cast<std::int64_t>();
    Matrix matrix = to_given_matrix(logits, "logits", kOrigin);
    if (matrix.rows == 0) fail("openset", "logits has no rows; expected one or more");
    return logits_input(std::move(matrix), std::move(*labels), count, kOrigin);
  }
  if (images.is_none() || texts.is_none()) {
    fail("openset", "no input; expected logits, or features of images and of texts");
  }
  FeatureArrays of_images = feature_arrays(images, "images");
  of_images.label = std::move(*labels);
  std::optional<FeatureArrays> further;
  if (!negatives.is_none() && !extra.is_none()) {
    fail("openset", "got negatives and extra; expected one of them");
  }
  if (!negatives.is_none()) further = feature_arrays(negatives, "negatives");
  if (!extra.is_none()) further = feature_arrays(extra, "extra");
  return features_input(std::move(of_images), feature_arrays(texts, "texts"), std::move(further),
                        options);
}

OpenSetCiOptions ci_options(const py::object& ci, const std::string& bootstrap, double level,
                            int resamples, std::uint64_t seed, int threads) {
  OpenSetCiOptions options;
  options.kind = OpenSetCi::kNone;
  if (!ci.is_none()) {
    options.kind = is_first(ci.cast<std::string>(), "ci", "auto", "bootstrap")
                       ? OpenSetCi::kAuto
                       : OpenSetCi::kBootstrap;
  }
  options.bootstrap.kind = is_first(bootstrap, "bootstrap", "bca", "percentile")
                               ? BootstrapKind::kBca
                               : BootstrapKind::kPercentile;
  if (!(level > 0 && level < 1)) {
    fail("openset", fmt::format("level is {}; expected a number between 0 and 1", level));
  }
  if (resamples < 2) fail("openset", fmt::format("resamples is {}; expected 2 or more", resamples));
  if (threads < 0) fail("openset", fmt::format("threads is {}; expected 0 or more", threads));
  options.bootstrap.level = level;
  options.bootstrap.resamples = resamples;
  options.bootstrap.seed = seed;
  options.bootstrap.threads = threads;
  return options;
}

template <class Outcome>
py::array flags_of(const std::vector<Outcome>& outcomes, Outcome wanted) {
  py::array_t<bool> flags(static_cast<py::ssize_t>(outcomes.size()));
  bool* to = flags.mutable_data();
  for (std::size_t i = 0; i < outcomes.size(); ++i) to[i] = outcomes[i] == wanted;
  return flags;
}

py::dict scores_by_name(const OpenSetScores& scores, std::vector<std::vector<double>> values) {
  py::dict d;
  for (std::size_t m = 0; m < values.size(); ++m) {
    d[py::str(std::string(scores.plan.measures[m]->name))] = to_array(std::move(values[m]));
  }
  return d;
}

ImageRanking ranking_of(const py::array_t<bool>& right, const py::array_t<double>& closed,
                        const py::array_t<bool>& error, const py::array_t<double>& open) {
  const py::ssize_t n = right.size();
  if (closed.size() != n || error.size() != n || open.size() != n) {
    fail("openset", "arrays of different lengths; expected one entry for each image");
  }
  std::vector<std::uint8_t> positive;
  std::vector<double> score;
  std::vector<std::uint32_t> image;
  for (const bool is_right : {true, false}) {
    const auto& flags = is_right ? right : error;
    const auto& values = is_right ? closed : open;
    for (py::ssize_t i = 0; i < n; ++i) {
      if (!flags.at(i)) continue;
      positive.push_back(is_right);
      score.push_back(values.at(i));
      image.push_back(static_cast<std::uint32_t>(i));
    }
  }
  return ImageRanking(std::move(positive), std::move(score), std::move(image),
                      static_cast<std::size_t>(n));
}

void bind_test(py::module_& m) {
  m.def(
      "openset",
      [](const py::object& logits, const py::object& label, const py::object& negatives,
         const py::object& images, const py::object& texts, const py::object& extra,
         double logit_scale, double logit_bias, const std::string& activation, bool normalize,
         double mcm_temperature, const std::string& measures,
         const std::optional<std::vector<std::int32_t>>& counts,
         const std::optional<std::vector<std::int32_t>>& sizes,
         const std::vector<std::uint32_t>& seeds, const py::object& ci,
         const std::string& bootstrap, double level, int resamples, std::uint64_t seed,
         int threads) {
        if (!(logit_scale > 0) || !(mcm_temperature > 0)) {
          fail("openset", fmt::format("logit_scale is {} and mcm_temperature {}; expected positive "
                                      "numbers",
                                      logit_scale, mcm_temperature));
        }
        const OpenSetCiOptions options = ci_options(ci, bootstrap, level, resamples, seed, threads);
        const OpenSetInput input = make_input(logits, label, negatives, images, texts, extra,
                                              {logit_scale, logit_bias, normalize});
        OpenSetPlan plan;
        plan.form = {is_first(activation, "activation", "softmax", "sigmoid")
                         ? OutputActivation::kSoftmax
                         : OutputActivation::kSigmoid,
                     logit_scale, logit_bias, mcm_temperature};
        plan.measures = find_uncertainties(measures, plan.form.activation);
        plan.classes = input.classes;
        plan.role = extra.is_none() ? ExtraRole::kNegative : ExtraRole::kClass;
        const auto further = static_cast<std::int32_t>(input.source->columns()) - input.classes;
        plan.counts = counts ? *counts : published_counts(further);
        if (sizes) {
          plan.sizes = sizes->empty() ? published_sizes(input.classes) : *sizes;
          plan.seeds = seeds;
        }
        plan.threads = threads;
        OpenSetScores scores;
        std::string json;
        without_gil([&] {
          scores = run_open_set(*input.source, input.label.values, plan, input.origin);
          const OpenSetReport report = report_open_set(scores, options);
          OpenSetContext context;
          if (options.kind != OpenSetCi::kNone) {
            context.bootstrap = {options.bootstrap.resamples, options.bootstrap.seed};
          }
          json = dump_line(open_set_json(report, context));
        });
        OpenSetTest& all = scores.by_extra.back();
        py::dict d;
        d["json"] = json;
        d["right"] = flags_of(all.closed, ClosedOutcome::kRight);
        d["wrong"] = flags_of(all.closed, ClosedOutcome::kWrong);
        d["error"] = flags_of(all.open, OpenOutcome::kError);
        d["closed_score"] = scores_by_name(scores, std::move(all.closed_score));
        d["open_score"] = scores_by_name(scores, std::move(all.open_score));
        d["closed_answer"] = to_array(std::move(scores.closed_answer));
        d["open_answer"] = to_array(std::move(scores.open_answer));
        return d;
      },
      py::kw_only(), py::arg("logits"), py::arg("label"), py::arg("negatives"), py::arg("images"),
      py::arg("texts"), py::arg("extra"), py::arg("logit_scale"), py::arg("logit_bias"),
      py::arg("activation"), py::arg("normalize"), py::arg("mcm_temperature"), py::arg("measures"),
      py::arg("counts"), py::arg("sizes"), py::arg("seeds"), py::arg("ci"), py::arg("bootstrap"),
      py::arg("level"), py::arg("resamples"), py::arg("seed"), py::arg("threads"));
}

void bind_pairs(py::module_& m) {
  using Flags = py::array_t<bool>;
  using Numbers = py::array_t<double>;
  m.def(
      "compare_openset",
      [](const Flags& right_a, const Numbers& closed_a, const Flags& error_a, const Numbers& open_a,
         const Flags& right_b, const Numbers& closed_b, const Flags& error_b, const Numbers& open_b,
         const py::object& ci, const std::string& bootstrap, double level, int resamples,
         std::uint64_t seed, int threads) {
        const OpenSetCiOptions options = ci_options(ci, bootstrap, level, resamples, seed, threads);
        const ImageRanking a = ranking_of(right_a, closed_a, error_a, open_a);
        const ImageRanking b = ranking_of(right_b, closed_b, error_b, open_b);
        if (a.images() != b.images()) {
          fail("openset",
               fmt::format("{} and {} images; expected the same ones", a.images(), b.images()));
        }
        const auto results = without_gil([&] { return compare_rankings(a, b, options); });
        py::list list;
        for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
          const PairedDifference& result = results[k];
          const bool both = result.a.defined() && result.b.defined();
          py::dict d;
          d["name"] = open_set_metric_table()[k].name;
          d["first"] = to_object(result.a);
          d["second"] = to_object(result.b);
          d["difference"] = both ? py::object(py::float_(result.difference)) : py::none();
          d["interval"] = to_object(result.interval);
          d["p_value"] = result.p_value;
          d["test"] = result.test;
          d["why"] = result.why;
          list.append(d);
        }
        return list;
      },
      py::arg("right_a"), py::arg("closed_a"), py::arg("error_a"), py::arg("open_a"),
      py::arg("right_b"), py::arg("closed_b"), py::arg("error_b"), py::arg("open_b"), py::kw_only(),
      py::arg("ci"), py::arg("bootstrap"), py::arg("level"), py::arg("resamples"), py::arg("seed"),
      py::arg("threads"));
}

}  // namespace

void bind_openset(py::module_& m) {
  bind_test(m);
  bind_pairs(m);
  m.def("random_words", &random_words, py::arg("count"));
  m.def(
      "random_embeddings",
      [](const py::object& texts, std::size_t count, const std::string& distribution,
         std::uint64_t seed) {
        const Matrix queries = to_given_matrix(texts, "texts", {"random_embeddings", ""});
        const auto kind = is_first(distribution, "distribution", "gaussian", "isotropic")
                              ? EmbeddingDistribution::kGaussian
                              : EmbeddingDistribution::kIsotropic;
        const Matrix drawn = random_embeddings(queries, count, kind, seed);
        const auto& values = std::get<Column<float>>(drawn.values).values;
        py::array_t<float> array(
            {static_cast<py::ssize_t>(drawn.rows), static_cast<py::ssize_t>(drawn.columns)});
        std::copy(values.begin(), values.end(), array.mutable_data());
        return array;
      },
      py::arg("texts"), py::arg("count"), py::arg("distribution"), py::arg("seed"));
  m.def(
      "wordnet_siblings",
      [](const std::vector<std::string>& names, const std::string& folder) {
        const auto found = siblings_of(WordNet(folder.empty() ? kWordNetFolder : folder), names);
        return py::make_tuple(found.siblings, found.unknown);
      },
      py::arg("names"), py::arg("folder"));
}

}  // namespace openworld::python
