#include "openworld/metrics/accumulator.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "arrays.h"
#include "bind.h"
#include "evaluate.h"
#include "openworld/base/error.h"
#include "options.h"
#include "predictions.h"
#include "table.h"

namespace openworld::python {
namespace {

// An Accumulator for Python threads, which compute without the GIL: updates wait for computations.
class SharedAccumulator {
 public:
  void update(const Outcomes& batch, bool has_correct) {
    if (batch.size() == 0) return;
    const std::unique_lock lock(mutex_);
    if (accumulator_.size() > 0 && has_correct != has_correct_) {
      fail("accumulator", has_correct
                              ? "correct is given in this batch but was not before; pass it in "
                                "every batch or in none"
                              : "correct is missing in this batch but was given before; pass it in "
                                "every batch or in none");
    }
    accumulator_.update(batch);
    has_correct_ = has_correct;
  }

  void merge(const SharedAccumulator& other) {
    // A copy, so that two accumulators may merge each other, and one itself.
    const auto [copy, has_correct] = other.snapshot();
    update(copy.outcomes(), has_correct);
  }

  void reset() {
    const std::unique_lock lock(mutex_);
    accumulator_.reset();
  }

  std::size_t size() const {
    const std::shared_lock lock(mutex_);
    return accumulator_.size();
  }

  Evaluation compute(std::span<const MetricRequest> requests, const EvalOptions& options) const {
    const std::shared_lock lock(mutex_);
    const auto blind = std::find_if(requests.begin(), requests.end(),
                                    [](const auto& r) { return reads_correct(*r.row); });
    if (accumulator_.size() > 0 && !has_correct_ && blind != requests.end()) {
      fail("accumulator", blind->name + " needs correct, which was not given with the batches");
    }
    return accumulator_.compute(requests, options);
  }

  std::pair<Accumulator, bool> snapshot() const {
    const std::shared_lock lock(mutex_);
    return {accumulator_, has_correct_};
  }

 private:
  mutable std::shared_mutex mutex_;
  Accumulator accumulator_;
  bool has_correct_ = true;
};

template <class T>
py::object copy_of(std::span<const T> values) {
  if (values.empty()) return py::none();
  return to_array(std::vector<T>(values.begin(), values.end()));
}

py::tuple to_state(const SharedAccumulator& shared) {
  const auto [accumulator, has_correct] = without_gil([&] { return shared.snapshot(); });
  const Outcomes o = accumulator.outcomes();
  const py::object score = o.score.visit([](const auto& r) { return copy_of(r); });
  return py::make_tuple(has_correct, copy_of(o.side), score, copy_of(o.correct),
                        copy_of(o.overall_correct), copy_of(o.label), copy_of(o.predicted),
                        o.base_classes, o.new_classes);
}

// As in C++, a batch without samples adds nothing.
bool is_empty(const py::object& side) {
  const py::ssize_t size = PyObject_Size(side.ptr());
  PyErr_Clear();  // what has no size is refused further down
  return size == 0;
}

void update(SharedAccumulator& shared, const ArrayArguments& arguments) {
  if (is_empty(arguments.side)) return;
  const Predictions batch = to_predictions(arguments, "update", false);
  const bool judged = !arguments.base_logits.is_none() || !arguments.new_logits.is_none();
  const bool has_correct = !arguments.correct.is_none() || (judged && !arguments.label.is_none());
  without_gil([&] { shared.update(batch.outcomes(), has_correct); });
}

std::unique_ptr<SharedAccumulator> from_state(const py::tuple& t) {
  auto shared = std::make_unique<SharedAccumulator>();
  if (t[1].is_none()) return shared;
  const py::object correct = t[0].cast<bool>() ? py::object(t[3]) : py::object(py::none());
  update(*shared, {.side = t[1],
                   .score = t[2],
                   .correct = correct,
                   .base_logits = py::none(),
                   .new_logits = py::none(),
                   .label = t[5],
                   .overall_correct = t[4],
                   .predicted = t[6],
                   .base_classes = t[7],
                   .new_classes = t[8],
                   .classes = py::none(),
                   .meta = py::none()});
  return shared;
}

}  // namespace

void bind_accumulator(py::module_& m) {
  py::class_<SharedAccumulator>(m, "Accumulator")
      .def(py::init<>())
      .def(
          "update",
          [](SharedAccumulator& self, py::object side, py::object score, py::object correct,
             py::object base_logits, py::object new_logits, py::object label,
             py::object overall_correct, py::object predicted, py::object base_classes,
             py::object new_classes) {
            update(self, {side, score, correct, base_logits, new_logits, label, overall_correct,
                          predicted, base_classes, new_classes, py::none(), py::none()});
          },
          py::arg("side"), py::arg("score") = py::none(), py::arg("correct") = py::none(),
          py::kw_only(), py::arg("base_logits") = py::none(), py::arg("new_logits") = py::none(),
          py::arg("label") = py::none(), py::arg("overall_correct") = py::none(),
          py::arg("predicted") = py::none(), py::arg("base_classes") = py::none(),
          py::arg("new_classes") = py::none())
      .def("merge", &SharedAccumulator::merge, py::arg("other"),
           py::call_guard<py::gil_scoped_release>())
      .def("reset", &SharedAccumulator::reset, py::call_guard<py::gil_scoped_release>())
      .def("__len__", &SharedAccumulator::size, py::call_guard<py::gil_scoped_release>())
      .def(
          "compute",
          [](const SharedAccumulator& self, const py::object& metrics, const EvalOptions& options) {
            const auto requests = parse_metrics(metrics);
            const Evaluation evaluation =
                without_gil([&] { return self.compute(requests, options); });
            return to_dict(evaluation, options, {});
          },
          py::arg("metrics"), py::arg("options"))
      .def(py::pickle(&to_state, &from_state));
}

}  // namespace openworld::python
