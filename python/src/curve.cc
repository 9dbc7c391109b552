#include "openworld/analysis/curve.h"

#include "arrays.h"
#include "bind.h"
#include "evaluate.h"
#include "openworld/predictions/predictions.h"
#include "options.h"
#include "table.h"

namespace openworld::python {
namespace {

py::dict to_dict(const Curve& curve) {
  std::vector<double> x, y, threshold;
  for (const CurvePoint& point : curve.points) {
    x.push_back(point.x);
    y.push_back(point.y);
    threshold.push_back(point.threshold);
  }
  py::dict d;
  d["name"] = curve.row->name;
  d["x"] = to_array(std::move(x));
  d["y"] = to_array(std::move(y));
  d["threshold"] = to_array(std::move(threshold));
  d["x_title"] = curve.row->x_title;
  d["y_title"] = curve.row->y_title;
  d["area_name"] = curve.row->metric->info.name;
  d["area"] = to_object(curve.area);
  d["why"] = curve.area.why;
  d["max_error"] = curve.max_error;
  return d;
}

// For each distinct score, descending: itself, and how many base and how many new samples score at
// least that.
py::tuple threshold_counts(const Predictions& predictions) {
  std::vector<double> scores;
  std::vector<std::int64_t> base, new_side;
  {
    const py::gil_scoped_release release;
    const RankedScores ranked(predictions.outcomes());
    KindCounts below;
    Ranking(ranked).for_each_group([&](std::size_t rank, const KindCounts& group) {
      scores.push_back(ranked.score(rank));
      base.push_back(ranked.totals().base() - below.base());
      new_side.push_back(ranked.totals().new_samples() - below.new_samples());
      below += group;
    });
    std::reverse(scores.begin(), scores.end());
    std::reverse(base.begin(), base.end());
    std::reverse(new_side.begin(), new_side.end());
  }
  return py::make_tuple(to_array(std::move(scores)), to_array(std::move(base)),
                        to_array(std::move(new_side)));
}

}  // namespace

void bind_curve(py::module_& m) {
  m.def("curve_table", [] {
    py::list rows;
    for (const CurveRow& row : curve_table()) {
      py::dict d;
      d["name"] = row.name;
      d["brief"] = row.brief;
      d["metric"] = row.metric->info.name;
      d["needs_correct"] = reads_correct(*row.metric);
      rows.append(d);
    }
    return rows;
  });

  m.def(
      "curve",
      [](const Predictions& predictions, const std::string& kind, const py::object& open,
         std::size_t max_points) {
        const CurveRow& row = find_curve(kind);
        const MetricOptions options{.open = parse_open(open, "curve")};
        return to_dict(without_gil([&] {
          const RankedScores ranked(predictions.outcomes());
          return make_curve(Ranking(ranked), row.kind, options, max_points);
        }));
      },
      py::arg("predictions"), py::arg("kind"), py::arg("open"), py::arg("max_points"));

  m.def("threshold_counts", threshold_counts, py::arg("predictions"));
}

}  // namespace openworld::python
