// Models that encode images and texts.

#include <pybind11/stl.h>

#include "../arrays.h"
#include "bind.h"
#include "images.h"
#include "keywords.h"
#include "openworld/tuning/encoder.h"
#include "watch.h"

namespace openworld::python {
namespace {

py::object to_array(FeatureMatrix features) {
  const auto rows = static_cast<py::ssize_t>(features.rows);
  const auto columns = static_cast<py::ssize_t>(features.columns);
  return python::to_array(std::move(features.values)).attr("reshape")(rows, columns);
}

}  // namespace

void bind_model(py::module_& m) {
  py::class_<ModelSpec>(m, "ModelSpec")
      .def(py::init([](const std::string& path, const Keywords& keywords) {
             return model_spec(path, keywords, "load_model");
           }),
           py::arg("path"), py::arg("keywords"))
      .def_readonly("path", &ModelSpec::path)
      .def_readonly("device", &ModelSpec::device)
      .def_readonly("threads", &ModelSpec::threads)
      .def_readonly("batch", &ModelSpec::batch);

  py::class_<Encoder>(m, "Encoder")
      .def(py::init([](const ModelSpec& spec) {
             const py::gil_scoped_release release;
             const KeepTorchThreads threads;
             return call_torch([&] { return Encoder::open(spec); });
           }),
           py::arg("spec"))
      .def_property_readonly("format", [](const Encoder& e) { return e.description().format; })
      .def_property_readonly("sha256", [](const Encoder& e) { return e.description().sha256; })
      .def_property_readonly("activation",
                             [](const Encoder& e) { return e.description().activation; })
      .def_property_readonly("assumptions",
                             [](const Encoder& e) { return e.description().assumptions; })
      .def_property_readonly("width", &Encoder::width)
      .def_property_readonly("image_size", &Encoder::image_size)
      .def_property_readonly("context", &Encoder::context)
      .def_property_readonly("logit_scale", &Encoder::logit_scale)
      .def(
          "encode_images",
          [](const Encoder& encoder, const py::list& images, const std::string& cache,
             bool no_cache, const py::object& reporter) {
            const Dataset dataset = to_images(images, "encode_images");
            Watch watch(reporter);
            const Observer observer = watch.observer();
            return to_array(watch.run([&] {
              return encoder.encode_images(dataset, {cache, no_cache}, observer);
            }));
          },
          py::arg("images"), py::arg("cache"), py::arg("no_cache"), py::arg("reporter"))
      .def(
          "encode_texts",
          [](const Encoder& encoder, const std::vector<std::string>& texts, std::int64_t memory,
             const py::object& reporter) {
            Watch watch(reporter);
            const Observer observer = watch.observer();
            return to_array(
                watch.run([&] { return encoder.encode_texts(texts, memory, observer); }));
          },
          py::arg("texts"), py::arg("memory"), py::arg("reporter"));
}

}  // namespace openworld::python
