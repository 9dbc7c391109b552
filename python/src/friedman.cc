#include "openworld/analysis/friedman.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <fmt/format.h>

#include "bind.h"
#include "openworld/base/error.h"

namespace py = pybind11;

namespace openworld::python {

void bind_friedman(py::module_& m) {
  m.def(
      "friedman",
      [](const py::array_t<double, py::array::c_style | py::array::forcecast>& table,
         bool higher_is_better, double alpha) {
        if (table.ndim() != 2) {
          fail("friedman", fmt::format("table has {} dimension{}; expected 2, blocks x methods",
                                       table.ndim(), table.ndim() == 1 ? "" : "s"));
        }
        const auto methods = static_cast<std::size_t>(table.shape(1));
        const FriedmanTest test =
            friedman_test({table.data(), static_cast<std::size_t>(table.size())}, methods,
                          higher_is_better ? Better::kHigher : Better::kLower);
        const NemenyiTest nemenyi = nemenyi_test(test.average_ranks, test.blocks, alpha);
        py::dict d;
        d["blocks"] = test.blocks;
        d["average_ranks"] = test.average_ranks;
        d["final_ranks"] = test.final_ranks;
        d["chi_squared"] = test.chi_squared;
        d["p_value"] = test.p_value;
        d["f"] = test.f;
        d["f_p_value"] = test.f_p_value;
        d["why"] = test.undefined;
        d["alpha"] = nemenyi.alpha;
        d["critical_distance"] = nemenyi.critical_distance;
        d["pairwise_p_values"] = py::array_t<double>({methods, methods}, nemenyi.p_values.data());
        d["groups"] = nemenyi.groups;
        return d;
      },
      py::arg("table"), py::arg("higher_is_better"), py::arg("alpha"));
}

}  // namespace openworld::python
