#include "predictions.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "arrays.h"
#include "bind.h"
#include "openworld/io/memory_limit.h"
#include "openworld/predictions/predictions_parts.h"

namespace openworld::python {
namespace {

std::optional<std::int32_t> to_count(const py::object& count, const char* name,
                                     const Origin& origin) {
  if (count.is_none()) return std::nullopt;
  const auto value = py::reinterpret_steal<py::object>(PyNumber_Index(count.ptr()));
  int overflow = 0;
  const long long number = value ? PyLong_AsLongLongAndOverflow(value.ptr(), &overflow) : -1;
  PyErr_Clear();
  if (overflow != 0 || !std::in_range<std::int32_t>(number) || number < 0) {
    origin.fail(fmt::format("{} is {}; expected a number of names, 0 or more", name,
                            std::string(py::repr(count))));
  }
  return static_cast<std::int32_t>(number);
}

// Sides by name, "base", "new" and "unknown", as numbers; anything else as it is.
py::object to_sides(const py::object& sides, const Origin& origin) {
  // Tensors hold no text.
  if (sides.is_none() || py::hasattr(sides, "detach")) return sides;
  if (!py::hasattr(sides, "__array__") && py::hasattr(sides, "__dlpack__")) return sides;
  const py::array array = py::module_::import("numpy").attr("asarray")(sides);
  const char kind = array.dtype().kind();
  const py::list items = kind == 'U' || kind == 'S' || kind == 'O'
                             ? py::list(array.attr("ravel")().attr("tolist")())
                             : py::list();
  const auto is_name = [](const py::handle& item) {
    return py::isinstance<py::str>(item) || py::isinstance<py::bytes>(item);
  };
  if (!std::any_of(items.begin(), items.end(), is_name)) return sides;
  std::vector<std::int8_t> values;
  for (const py::handle item : items) {
    const std::string text = is_name(item) ? item.cast<std::string>() : "";
    if (text != "base" && text != "new" && text != "unknown") {
      origin.fail(fmt::format("side[{}] is {}; expected base, new or unknown", values.size(),
                              std::string(py::repr(item))));
    }
    values.push_back(text == "base" ? 0 : text == "new" ? 1 : -1);
  }
  return to_array(std::move(values)).attr("reshape")(array.attr("shape"));
}

Parts to_parts(const ArrayArguments& a, const Origin& origin) {
  constexpr const char* kFlag = "0 or 1";
  constexpr const char* kIndex = "an index of a name";
  Parts parts;
  parts.side = to_column<std::int8_t>(to_sides(a.side, origin), "side",
                                      "0 (base), 1 (new) or -1 (unknown)", origin);
  parts.score = to_float_column(a.score, "score", origin);
  parts.correct = to_column<std::uint8_t>(a.correct, "correct", kFlag, origin);
  parts.overall_correct =
      to_column<std::uint8_t>(a.overall_correct, "overall_correct", kFlag, origin);
  parts.label = to_column<std::int32_t>(a.label, "label", kIndex, origin);
  parts.predicted = to_column<std::int32_t>(a.predicted, "predicted", kIndex, origin);
  parts.base_logits = to_matrix(a.base_logits, "base_logits", origin);
  parts.new_logits = to_matrix(a.new_logits, "new_logits", origin);
  parts.base_classes = to_count(a.base_classes, "base_classes", origin);
  parts.new_classes = to_count(a.new_classes, "new_classes", origin);
  if (!a.classes.is_none()) parts.classes = a.classes.cast<std::vector<std::string>>();
  if (!a.meta.is_none()) {
    parts.meta = py::module_::import("json").attr("dumps")(a.meta).cast<std::string>();
  }
  return parts;
}

py::object meta_of(const Predictions& predictions) {
  if (predictions.meta.empty()) return py::none();
  return py::module_::import("json").attr("loads")(predictions.meta);
}

Predictions from_state(const py::tuple& t) {
  const ArrayArguments arguments{.side = t[0],
                                 .score = t[1],
                                 .correct = t[2],
                                 .base_logits = py::none(),
                                 .new_logits = py::none(),
                                 .label = t[3],
                                 .overall_correct = t[4],
                                 .predicted = t[5],
                                 .base_classes = t[6],
                                 .new_classes = t[7],
                                 .classes = t[8],
                                 .meta = t[9]};
  Predictions predictions = to_predictions(arguments, "Predictions", true);
  predictions.path = t[10].cast<std::string>();
  predictions.fit = to_float_column(t[11], "fit", {"Predictions", ""}).value_or(FloatColumn{});
  return predictions;
}

py::tuple to_state(const Predictions& p) {
  const py::object classes = p.classes.empty() ? py::none() : py::object(py::cast(p.classes));
  return py::make_tuple(to_array(p.side), to_array(p.score), to_flag_array(p.correct),
                        to_array(p.label), to_flag_array(p.overall_correct), to_array(p.predicted),
                        p.base_classes, p.new_classes, classes, meta_of(p), p.path,
                        to_array(p.fit));
}

}  // namespace

Predictions to_predictions(const ArrayArguments& arguments, const std::string& function,
                           bool needs_correct) {
  const Origin origin{function, ""};
  Parts parts = to_parts(arguments, origin);
  const bool derivable = parts.label && (parts.base_logits || parts.new_logits);
  if (!needs_correct && parts.side && !parts.correct && !derivable) {
    parts.correct = make_column(std::vector<std::uint8_t>(parts.side->size()));
  }
  const py::gil_scoped_release release;
  return make_predictions(std::move(parts), origin);
}

void bind_predictions(py::module_& m) {
  py::class_<Predictions>(m, "Predictions", R"(Outcomes of one model on one test set.

Made by load(), or from arrays: Predictions(side, score, correct), or from logits:
Predictions(side, base_logits=g, new_logits=h, label=y). Contiguous arrays of side (int8), score
(float32 or float64), correct (bool or uint8), label and predicted (int32) are used where they are;
do not change them while the object lives. What is missing is derived as for files.)")
      .def(py::init([](py::object side, py::object score, py::object correct,
                       py::object base_logits, py::object new_logits, py::object label,
                       py::object overall_correct, py::object predicted, py::object base_classes,
                       py::object new_classes, py::object classes, py::object meta,
                       const std::string& function, bool needs_correct) {
             return to_predictions(
                 {side, score, correct, base_logits, new_logits, label, overall_correct, predicted,
                  base_classes, new_classes, classes, meta},
                 function, needs_correct);
           }),
           py::arg("side") = py::none(), py::arg("score") = py::none(),
           py::arg("correct") = py::none(), py::kw_only(), py::arg("base_logits") = py::none(),
           py::arg("new_logits") = py::none(), py::arg("label") = py::none(),
           py::arg("overall_correct") = py::none(), py::arg("predicted") = py::none(),
           py::arg("base_classes") = py::none(), py::arg("new_classes") = py::none(),
           py::arg("classes") = py::none(), py::arg("meta") = py::none(),
           py::arg("_function") = "Predictions", py::arg("_needs_correct") = true)
      .def_property_readonly(
          "side", [](const Predictions& p) { return to_array(p.side); },
          "int8: 0 base, 1 new, -1 unknown")
      .def_property_readonly(
          "score", [](const Predictions& p) { return to_array(p.score); },
          "float32 or float64: larger means more base-like")
      .def_property_readonly(
          "correct", [](const Predictions& p) { return to_flag_array(p.correct); },
          "bool: whether the classifier of the sample's side was right")
      .def_property_readonly(
          "overall_correct", [](const Predictions& p) { return to_flag_array(p.overall_correct); },
          "bool: whether the argmax over base and new names is right; None when absent")
      .def_property_readonly(
          "label", [](const Predictions& p) { return to_array(p.label); },
          "int32: index into the base or the new names; None when absent")
      .def_property_readonly(
          "predicted", [](const Predictions& p) { return to_array(p.predicted); },
          "int32: the base class that g predicts; None when absent")
      .def_property_readonly(
          "fit", [](const Predictions& p) { return to_array(p.fit); },
          "float32 or float64: how well any listed name fits; None when absent")
      .def_readonly("base_classes", &Predictions::base_classes, "number of base names, or 0")
      .def_readonly("new_classes", &Predictions::new_classes, "number of new names, or 0")
      .def_readonly("classes", &Predictions::classes, "base names, then new names, or []")
      .def_property_readonly("meta", meta_of, "the JSON value stored with them, or None")
      .def_readonly("path", &Predictions::path, "the file they came from, or ''")
      .def("__len__", [](const Predictions& p) { return p.side.size(); })
      .def("__repr__",
           [](const Predictions& p) {
             return fmt::format("<openworld.Predictions: {} samples{}{}>", p.side.size(),
                                p.path.empty() ? "" : " from ", p.path);
           })
      .def(py::pickle(&to_state, &from_state));

  m.def(
      "load_predictions",
      [](const std::string& path) {
        const py::gil_scoped_release release;
        return load_predictions(path);
      },
      py::arg("path"));
  m.def("set_memory_limit", &set_memory_limit, py::arg("bytes").none(true));
  m.def("memory_limit", &memory_limit);
  m.def(
      "save_predictions",
      [](const Predictions& predictions, const std::string& path) {
        const py::gil_scoped_release release;
        save_predictions(predictions, path);
      },
      py::arg("predictions"), py::arg("path"));
}

}  // namespace openworld::python
