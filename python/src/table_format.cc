#include "table_format.h"

#include <pybind11/stl.h>

#include "openworld/report/table_format.h"

namespace openworld::python {

namespace py = pybind11;

void bind_table_format(py::module_& m) {
  m.def(
      "format_table",
      [](const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows,
         const std::string& format) {
        TextTable table(header);
        for (const auto& row : rows) table.add(row);
        return find_table_format(format, "format_table").table(table);
      },
      py::arg("header"), py::arg("rows"), py::arg("format"),
      "The table as text, md, latex or csv.");
}

}  // namespace openworld::python
