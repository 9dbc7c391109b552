// Detections: COCO's evaluation and the open-set test, from files, JSON text or arrays.

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cmath>

#include "arrays.h"
#include "bind.h"
#include "evaluate.h"
#include "openworld/base/error.h"
#include "openworld/detection/coco_reader.h"
#include "openworld/detection/detection_evaluation.h"
#include "openworld/detection/openset_eval.h"

namespace openworld::python {
namespace {

// A path, or bytes of JSON that messages call `name`.
JsonInput to_input(const py::object& source, const std::string& name, const std::string& function) {
  if (py::isinstance<py::bytes>(source)) {
    return {{function, name}, make_bytes(source.cast<std::string>())};
  }
  return {{function, py::str(source).cast<std::string>()}};
}

IouType to_type(const std::string& type, const std::string& function) {
  const auto found = find_iou_type(type);
  if (!found) fail(function, fmt::format("type is '{}'; expected 'bbox' or 'segm'", type));
  return *found;
}

// Rows of image_id, x, y, width, height, score, category_id, as pycocotools takes them.
CocoResults from_rows(const py::array_t<double, py::array::c_style | py::array::forcecast>& rows,
                      const CocoAnnotations& annotations, bool any_score,
                      const std::string& function) {
  if (rows.ndim() != 2 || rows.shape(1) != 7) {
    fail(function,
         "results is an array of another shape; expected [N, 7]: image_id, x, y, width, "
         "height, score, category_id");
  }
  CocoResults results;
  results.path = "results";
  for (py::ssize_t i = 0; i < rows.shape(0); ++i) {
    const double* row = rows.data(i, 0);
    const auto refuse = [&](const std::string& message) {
      fail(function, fmt::format("results[{}]: {}", i, message));
    };
    for (int k = 0; k < 7; ++k) {
      if (!std::isfinite(row[k])) refuse(fmt::format("column {} is {}", k, row[k]));
    }
    if (row[3] < 0 || row[4] < 0) {
      refuse(fmt::format("the box has the size {} x {}; expected 0 or more", row[3], row[4]));
    }
    if (!any_score && !(row[5] >= 0 && row[5] <= 1)) {
      refuse(fmt::format("score is {}; expected 0 to 1", row[5]));
    }
    const auto index = [&](const char* what, double id, auto find) {
      const auto found = std::floor(id) == id ? find(static_cast<std::int64_t>(id)) : std::nullopt;
      if (!found) refuse(fmt::format("{} {} is not in the annotations", what, id));
      return *found;
    };
    results.detections.push_back(
        {index("image_id", row[0], [&](std::int64_t id) { return annotations.image(id); }),
         index("category_id", row[6], [&](std::int64_t id) { return annotations.category(id); }),
         Box{row[1], row[2], row[3], row[4]}, row[5]});
  }
  return results;
}

py::dict metric_dict(const MeasuredValue& metric) {
  py::dict d;
  d["value"] = to_object(metric.value);
  d["why"] = metric.value.defined() ? "" : metric.value.why;
  d["interval"] = to_object(metric.interval);
  d["no_interval"] = metric.no_interval;
  return d;
}

py::dict evaluation_dict(const DetectionEvaluation& evaluation) {
  py::dict metrics;
  for (std::size_t s = 0; s < kCocoStats; ++s) {
    py::dict metric = metric_dict(evaluation.metrics[s]);
    metric["title"] = coco_stat_table()[s].info.title;
    metrics[py::str(coco_stat_table()[s].info.name)] = metric;
  }
  py::list categories;
  for (const CategoryEvaluation& category : evaluation.categories) {
    py::dict d;
    d["id"] = category.id;
    d["name"] = category.name;
    d["objects"] = category.objects;
    d["detections"] = category.detections;
    d["ap"] = metric_dict(category.ap);
    d["ap50"] = metric_dict(category.ap50);
    categories.append(d);
  }
  py::dict counts;
  counts["images"] = evaluation.images;
  counts["objects"] = evaluation.objects;
  counts["crowds"] = evaluation.crowds;
  counts["detections"] = evaluation.detections;
  py::dict d;
  d["stats"] = to_array(std::vector<double>(evaluation.stats.begin(), evaluation.stats.end()));
  d["metrics"] = metrics;
  d["categories"] = categories;
  d["counts"] = counts;
  d["notes"] = evaluation.notes;
  return d;
}

// Detections matched to their objects, with what they were matched from.
struct Matched {
  std::shared_ptr<const CocoAnnotations> annotations;
  CocoResults results;
  CocoParams params;
  std::vector<CategoryMatches> matches;
};

CocoResults to_results(const py::object& source, const CocoAnnotations& annotations, IouType type,
                       bool any_score, const std::string& function) {
  if (py::isinstance<py::array>(source)) {
    if (type == IouType::kMask) fail(function, "an array of results has boxes; type is 'segm'");
    return from_rows(source, annotations, any_score, function);
  }
  const JsonInput input = to_input(source, "results", function);
  return without_gil([&] { return read_coco_results(input, annotations, {type, any_score}); });
}

// Indices of ids; ids that the annotations do not have are left out, as pycocotools does.
template <class Find>
std::vector<std::uint32_t> to_indices(const std::vector<std::int64_t>& ids, const Find& find) {
  std::vector<std::uint32_t> indices;
  for (const std::int64_t id : ids) {
    if (const auto index = find(id)) indices.push_back(*index);
  }
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return indices;
}

py::array reshaped(std::vector<double> values, const std::vector<std::size_t>& shape) {
  return to_array(std::move(values)).reshape(shape);
}

py::dict eval_dict(const CocoEvaluation& e) {
  py::dict d;
  const std::vector<std::size_t> shape = {e.thresholds, e.recalls, e.categories, e.areas, e.limits};
  d["counts"] = shape;
  d["precision"] = reshaped(e.precision, shape);
  d["scores"] = reshaped(e.scores, shape);
  d["recall"] = reshaped(e.recall, {e.thresholds, e.categories, e.areas, e.limits});
  return d;
}

py::dict openset_dict(const OpenSetEvaluation& e) {
  py::dict d, measures, closed;
  for (const OpenSetMeasure& measure : e.measures) {
    py::dict open_set, closed_set;
    for (std::size_t m = 0; m < kOpenSetMetrics; ++m) {
      const py::str name(open_set_metric_table()[m].name);
      open_set[name] = metric_dict(measure.metrics[m]);
      closed_set[name] = metric_dict(measure.closed_set[m]);
    }
    measures[py::str(measure.uncertainty.name)] = open_set;
    closed[py::str(measure.uncertainty.name)] = closed_set;
  }
  d["tp"] = e.tp;
  d["ose"] = e.ose;
  d["images"] = e.images;
  d["missing_images"] = e.missing_images;
  d["crowd_matches"] = e.crowd;
  d["closed_set_errors"] = e.closed_errors;
  d["ap"] = metric_dict(e.ap[0]);
  d["ap50"] = metric_dict(e.ap[1]);
  d["stats"] = to_array(std::vector<double>(e.stats.begin(), e.stats.end()));
  d["measures"] = measures;
  d["closed_set_measures"] = closed;
  return d;
}

}  // namespace

void bind_detection(py::module_& m) {
  py::class_<CocoAnnotations, std::shared_ptr<CocoAnnotations>>(m, "CocoAnnotations",
                                                                "Ground truth in COCO's format.")
      .def(py::init(
               [](const py::object& source, const std::string& type, const std::string& function) {
                 const JsonInput input = to_input(source, "annotations", function);
                 const IouType iou = to_type(type, function);
                 return without_gil([&] {
                   return std::make_shared<CocoAnnotations>(read_coco_annotations(input, iou));
                 });
               }),
           py::arg("source"), py::arg("type"), py::arg("function"))
      .def("image_ids",
           [](const CocoAnnotations& self) {
             std::vector<std::int64_t> ids;
             for (const CocoImage& image : self.images) ids.push_back(image.id);
             return ids;
           })
      .def("category_ids", [](const CocoAnnotations& self) {
        std::vector<std::int64_t> ids;
        for (const CocoCategory& category : self.categories) ids.push_back(category.id);
        return ids;
      });

  py::class_<Matched, std::shared_ptr<Matched>>(m, "MatchedDetections",
                                                "Detections matched to objects.")
      .def(py::init([](const std::shared_ptr<CocoAnnotations>& annotations,
                       const py::object& results, const std::string& type, bool any_score,
                       int threads, const py::object& params, const std::string& function) {
             auto matched = std::make_shared<Matched>();
             matched->annotations = annotations;
             matched->params.type = to_type(type, function);
             matched->params.threads = threads;
             if (!params.is_none()) {
               const auto fields = params.cast<py::dict>();
               CocoParams& p = matched->params;
               p.iou_thresholds = fields["iou_thresholds"].cast<std::vector<double>>();
               p.recall_thresholds = fields["recall_thresholds"].cast<std::vector<double>>();
               p.area_ranges = fields["area_ranges"].cast<std::vector<std::array<double, 2>>>();
               p.max_dets = fields["max_dets"].cast<std::vector<std::int64_t>>();
               p.use_categories = fields["use_categories"].cast<bool>();
               const auto ids = [&](const char* key) {
                 return fields[key].cast<std::vector<std::int64_t>>();
               };
               p.images = to_indices(ids("image_ids"),
                                     [&](std::int64_t id) { return annotations->image(id); });
               p.categories = to_indices(
                   ids("category_ids"), [&](std::int64_t id) { return annotations->category(id); });
             }
             matched->results =
                 to_results(results, *annotations, matched->params.type, any_score, function);
             without_gil([&] {
               matched->matches = match_detections(*annotations, matched->results, matched->params);
               return 0;
             });
             return matched;
           }),
           py::arg("annotations"), py::arg("results"), py::arg("type"), py::kw_only(),
           py::arg("any_score"), py::arg("threads"), py::arg("params") = py::none(),
           py::arg("function"))
      .def("accumulate",
           [](const Matched& self) {
             return eval_dict(without_gil([&] { return accumulate(self.matches, self.params); }));
           })
      .def(
          "evaluate",
          [](const Matched& self, const EvalOptions& options) {
            return evaluation_dict(without_gil([&] {
              return evaluate_detections(
                  *self.annotations, self.results, self.matches, self.params,
                  options.ci == Ci::kNone ? std::optional<BootstrapOptions>() : options.bootstrap);
            }));
          },
          py::arg("options"))
      .def(
          "compare",
          [](const Matched& self, const Matched& other, const EvalOptions& options) {
            const auto differences = without_gil([&] {
              return coco_differences(CocoResampling(self.matches, self.params),
                                      CocoResampling(other.matches, other.params),
                                      self.annotations->images.size(), options.bootstrap);
            });
            py::dict d;
            for (std::size_t s = 0; s < kCocoStats; ++s) {
              py::dict entry;
              const CocoDifference& difference = differences[s];
              const bool defined = !std::isnan(difference.difference);
              const auto number = [&](double value) {
                return defined ? py::object(py::float_(value)) : py::object(py::none());
              };
              entry["first"] = number(difference.first);
              entry["second"] = number(difference.second);
              entry["difference"] = number(difference.difference);
              entry["p_value"] = number(difference.p_value);
              entry["interval"] = to_object(difference.bootstrap.interval);
              entry["why"] =
                  defined ? difference.bootstrap.why : coco_why_undefined(coco_stat_table()[s]);
              d[py::str(coco_stat_table()[s].info.name)] = entry;
            }
            return d;
          },
          py::arg("other"), py::arg("options"));

  m.def(
      "detect_openset",
      [](const std::shared_ptr<CocoAnnotations>& annotations, const py::object& source,
         const std::string& matching, bool ignore_crowds, bool any_score,
         const EvalOptions& options, const std::string& function) {
        OpenSetOptions with;
        if (matching == "published") {
          with.matching = OpenSetMatching::kPublished;
        } else if (matching != "corrected") {
          fail(function,
               fmt::format("matching is '{}'; expected 'corrected' or 'published'", matching));
        }
        with.ignore_crowds = ignore_crowds;
        with.intervals = options.ci != Ci::kNone;
        with.bootstrap = options.bootstrap;
        const JsonInput input = to_input(source, "detections", function);
        return openset_dict(without_gil([&] {
          return evaluate_openset(*annotations, read_openset_file(input, *annotations, any_score),
                                  with);
        }));
      },
      py::arg("annotations"), py::arg("source"), py::kw_only(), py::arg("matching"),
      py::arg("ignore_crowds"), py::arg("any_score"), py::arg("options"), py::arg("function"));

  m.def("detection_metric_table", [] {
    py::list rows;
    for (const MetricInfo* info : detection_metric_table()) {
      py::dict d;
      d["name"] = info->name;
      d["aliases"] = info->aliases;
      d["title"] = info->title;
      d["brief"] = info->brief;
      d["citation"] = info->citation;
      d["higher_is_better"] = info->higher_is_better;
      d["is_count"] = info->is_count;
      rows.append(d);
    }
    return rows;
  });
}

}  // namespace openworld::python
