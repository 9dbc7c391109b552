#include "openworld/metrics/per_class.h"

#include "bind.h"
#include "evaluate.h"
#include "openworld/predictions/predictions.h"

namespace openworld::python {

void bind_per_class(py::module_& m) {
  m.def(
      "per_class",
      [](const Predictions& predictions, double level) {
        const auto classes = without_gil([&] {
          const RankedScores ranked(predictions.outcomes(), RankedScores::Keep::kOrder);
          return per_class_accuracy(Ranking(ranked), level);
        });
        py::list list;
        for (const ClassAccuracy& c : classes) {
          py::dict d;
          d["side"] = side_name(c.side);
          d["label"] = c.label;
          d["right"] = c.right;
          d["total"] = c.total;
          d["accuracy"] = c.accuracy;
          d["interval"] = to_object(std::optional(c.interval));
          list.append(d);
        }
        return list;
      },
      py::arg("predictions"), py::arg("level"));
}

}  // namespace openworld::python
