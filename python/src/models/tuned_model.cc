#include "openworld/tuning/tuned_model.h"

#include <pybind11/stl.h>

#include "../fs_text.h"
#include "bind.h"
#include "images.h"
#include "keywords.h"
#include "openworld/metrics/metric.h"
#include "watch.h"

namespace openworld::python {
namespace {

// One thread at a time: libtorch's settings are the process's.
struct LockedModel {
  TunedModel model;
  std::mutex mutex = {};
};

py::dict to_dict(const Answer& answer) {
  const auto text = [](const std::string& name) {
    return name.empty() ? py::object(py::none()) : py::object(py::str(name));
  };
  py::dict d;
  d["path"] = to_path(answer.path);
  d["side"] = std::string(side_name(answer.side));
  d["label"] = text(answer.class_name());
  d["r"] = answer.r;
  d["fit"] = answer.fit;
  d["base_class"] = answer.base_class;
  d["base_probability"] = answer.base_probability;
  d["new_class"] = text(answer.new_class);
  d["new_probability"] = answer.new_class.empty() ? py::object(py::none())
                                                  : py::object(py::float_(answer.new_probability));
  return d;
}

py::tuple predict(LockedModel& locked, const py::list& images, const py::object& reporter) {
  const Dataset dataset = to_images(images, "predict");
  Watch watch(reporter);
  const Observer observer = watch.observer();
  const PredictedImages predicted = watch.run([&] {
    const std::lock_guard lock(locked.mutex);
    return locked.model.predict(dataset, observer);
  });
  py::list answers;
  for (const Answer& answer : predicted.answers) answers.append(to_dict(answer));
  return py::make_tuple(answers, predicted.skipped);
}

}  // namespace

void bind_tuned_model(py::module_& m) {
  py::class_<LockedModel>(m, "TunedModel")
      .def(py::init([](const std::string& folder, const std::string& path,
                       const Keywords& keywords) {
             const ModelSpec spec = model_spec(path, keywords, "predict");
             const py::gil_scoped_release release;
             const KeepTorchThreads threads;
             return call_torch([&] {
               return std::unique_ptr<LockedModel>(new LockedModel{TunedModel::open(folder, spec)});
             });
           }),
           py::arg("folder"), py::arg("path"), py::arg("keywords"))
      .def_property_readonly(
          "assumptions",
          [](const LockedModel& locked) { return locked.model.spec().model.assumptions; })
      .def("predict", &predict, py::arg("images"), py::arg("reporter"),
           "(answers as dicts, how many images were skipped)");
}

}  // namespace openworld::python
