// What requests of jobs on models may hold, for the keywords and docstrings that Python makes of
// it.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "bind.h"
#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/base/quotes.h"
#include "openworld/io/data_folder.h"
#include "openworld/io/option_json.h"
#include "openworld/runs/request_options.h"

namespace openworld::python {
namespace {

namespace py = pybind11;

template <class Options>
nlohmann::ordered_json rows_json() {
  Options options;
  OptionList list;
  options.declare(list);
  return option_rows_json(list);
}

}  // namespace

void bind_requests(py::module_& m) {
  m.def(
      "request_options",
      [] {
        return nlohmann::ordered_json{{"load_model", rows_json<ModelSpecOptions>()},
                                      {"tune", rows_json<TuningRequestOptions>()},
                                      {"zeroshot", rows_json<ZeroShotRequestOptions>()}}
            .dump();
      },
      "The options of each job as JSON: name, default, what is expected, help.");
  m.def(
      "refuse_keyword",
      [](const std::string& function, const std::string& name,
         const std::vector<std::string>& known) {
        const std::string nearest = nearest_name(name, known);
        fail(function, fmt::format("no option {}; {}", in_quotes(name),
                                   nearest.empty() ? known_names(name, known)
                                                   : fmt::format("did you mean {}?", nearest)));
      },
      py::arg("function"), py::arg("name"), py::arg("known"),
      "Raises ValueError, which names the nearest of the known names.");
  m.def("set_data_folder", &set_data_folder, py::arg("folder"));
}

}  // namespace openworld::python
