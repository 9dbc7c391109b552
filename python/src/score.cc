#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.h"
#include "bind.h"
#include "evaluate.h"
#include "openworld/base/error.h"
#include "openworld/io/text_lines.h"
#include "openworld/openset/score_features.h"

namespace py = pybind11;

namespace openworld::python {
namespace {

constexpr const char* kFunction = "score";
const Origin kOrigin{kFunction, ""};

bool is_second(const std::string& got, const char* name, const char* first, const char* second) {
  if (got != first && got != second) {
    fail(kFunction, fmt::format("{} is '{}'; expected '{}' or '{}'", name, got, first, second));
  }
  return got == second;
}

// Indices, or names, or a file of them; nothing for None.
std::optional<ClassLabels> labels_of(const py::object& label, const char* name) {
  if (label.is_none()) return std::nullopt;
  if (py::isinstance<py::str>(label)) return load_labels(label.cast<std::string>(), kFunction);
  const py::array array = py::module_::import("numpy").attr("asarray")(label);
  const auto is_text = [](const py::handle& item) {
    return py::isinstance<py::str>(item) || py::isinstance<py::bytes>(item);
  };
  const char kind = array.dtype().kind();
  const bool may_be_text = kind == 'U' || kind == 'S' || kind == 'O';
  const py::list items =
      may_be_text ? py::list(array.attr("ravel")().attr("tolist")()) : py::list();
  if (items.empty() || !is_text(items[0])) {
    return *to_column<std::int32_t>(array, name, "the index of a class", kOrigin);
  }
  std::vector<std::string> names;
  for (const py::handle item : items) {
    if (!is_text(item)) {
      fail(kFunction, fmt::format("{}[{}] is {}; expected the name of a class, or unknown", name,
                                  names.size(), std::string(py::repr(item))));
    }
    names.push_back(item.cast<std::string>());
  }
  return names;
}

// Features of images: an array, or a path, whose labels are added where there are none.
NamedFeatures images_of(const py::object& images, const char* name,
                        std::optional<ClassLabels>* label) {
  if (!py::isinstance<py::str>(images)) {
    Matrix matrix = to_given_matrix(images, name, kOrigin);
    if (matrix.rows == 0) fail(kFunction, fmt::format("{} has no rows", name));
    return {std::move(matrix), name, kOrigin};
  }
  const FeatureReader reader(images.cast<std::string>(), kFunction);
  if (label != nullptr && !*label) *label = reader.labels();
  const NpyArray array = reader.features();
  return {openworld::to_matrix(array, reader.origin()), array.name, reader.origin()};
}

// Names, or those in a file; nothing for None.
std::optional<std::vector<std::string>> names_of(const py::object& names) {
  if (names.is_none()) return std::nullopt;
  if (!py::isinstance<py::str>(names)) return names.cast<std::vector<std::string>>();
  return read_text_lines({kFunction, names.cast<std::string>()});
}

ClassTexts texts_of(const py::object& texts, std::optional<ClassLabels> label,
                    std::optional<std::vector<std::string>> names, const ScoreOptions& options) {
  if (!py::isinstance<py::str>(texts)) {
    expect_given(texts, "texts", kOrigin);
    const NpyArray array = to_npy(texts, "texts", Numbers::kFloats, kOrigin);
    const std::size_t dimensions = array.header.shape.size();
    if (dimensions != 2 && dimensions != 3) {
      fail(kFunction, fmt::format("texts has shape {}; expected [classes, dimensions] or [classes, "
                                  "prompts, dimensions]",
                                  shape_text(array.header.shape)));
    }
    return class_texts(array, label, std::move(names).value_or(std::vector<std::string>{}),
                       options.ensemble, options.normalize, kOrigin);
  }
  const FeatureReader reader(texts.cast<std::string>(), kFunction);
  if (!label) label = reader.labels();
  return class_texts(reader.features(), label, names ? *std::move(names) : reader.names(),
                     options.ensemble, options.normalize, reader.origin());
}

}  // namespace

void bind_score(py::module_& m) {
  m.def(
      "score",
      [](const py::object& images, const py::object& texts, const py::object& label,
         const py::object& text_label, const py::object& names, const ClassSelection& base,
         const std::optional<ClassSelection>& new_names, const py::object& unknown,
         const std::string& scores, double logit_scale, double logit_bias,
         const std::string& activation, const std::string& ensemble, bool normalize,
         double mcm_temperature, int threads) {
        if (!(logit_scale > 0) || !(mcm_temperature > 0)) {
          fail(kFunction, fmt::format("logit_scale is {} and mcm_temperature {}; expected positive "
                                      "numbers",
                                      logit_scale, mcm_temperature));
        }
        if (threads < 0) fail(kFunction, fmt::format("threads is {}; expected 0 or more", threads));
        ScoreOptions options;
        options.base = base;
        options.new_names = new_names;
        options.scores = scores;
        options.form = {is_second(activation, "activation", "softmax", "sigmoid")
                            ? OutputActivation::kSigmoid
                            : OutputActivation::kSoftmax,
                        logit_scale, logit_bias, mcm_temperature};
        options.normalize = normalize;
        options.ensemble = is_second(ensemble, "ensemble", "features", "logits")
                               ? TextEnsemble::kLogits
                               : TextEnsemble::kFeatures;
        options.threads = threads;
        auto labels = labels_of(label, "label");
        NamedFeatures of_images = images_of(images, "images", &labels);
        if (!labels) {
          of_images.origin.fail(
              "no label; expected the index or the name of each image's class, -1 or 'unknown' for "
              "images of none");
        }
        ScoreInput input{.images = std::move(of_images),
                         .label = *std::move(labels),
                         .texts = texts_of(texts, labels_of(text_label, "text_label"),
                                           names_of(names), options)};
        if (!unknown.is_none()) input.unknown = images_of(unknown, "unknown", nullptr);
        return without_gil([&] {
          const ScoredFeatures scored = score_features(std::move(input), options);
          std::vector<std::pair<std::string, Predictions>> predictions;
          for (std::size_t k = 0; k < scored.scores.size(); ++k) {
            predictions.emplace_back(scored.scores[k]->name, scored.predictions(k, options));
          }
          return predictions;
        });
      },
      py::kw_only(), py::arg("images"), py::arg("texts"), py::arg("label"), py::arg("text_label"),
      py::arg("names"), py::arg("base"), py::arg("new"), py::arg("unknown"), py::arg("scores"),
      py::arg("logit_scale"), py::arg("logit_bias"), py::arg("activation"), py::arg("ensemble"),
      py::arg("normalize"), py::arg("mcm_temperature"), py::arg("threads"));
}

}  // namespace openworld::python
