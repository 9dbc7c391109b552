#include "options.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cmath>

#include "bind.h"
#include "openworld/base/error.h"

namespace openworld::python {
namespace {

[[noreturn]] void fail_option(const std::string& function, const char* name, const py::object& got,
                              const char* expected) {
  fail(function, fmt::format("{} is {}; expected {}", name, std::string(py::repr(got)), expected));
}

bool is(const py::object& object, const char* text) {
  return py::isinstance<py::str>(object) && object.cast<std::string>() == text;
}

Ci parse_ci(const py::object& ci, const std::string& function) {
  if (ci.is_none() || is(ci, "none")) return Ci::kNone;
  if (is(ci, "delong")) return Ci::kDelong;
  if (is(ci, "bootstrap")) return Ci::kBootstrap;
  fail_option(function, "ci", ci, "'delong', 'bootstrap' or None");
}

BootstrapKind parse_bootstrap(const py::object& kind, const std::string& function) {
  if (is(kind, "bca")) return BootstrapKind::kBca;
  if (is(kind, "percentile")) return BootstrapKind::kPercentile;
  fail_option(function, "bootstrap", kind, "'bca' or 'percentile'");
}

}  // namespace

std::string_view ties_name(Ties ties) {
  return ties == Ties::kHalf ? "half" : "strict";
}

std::optional<Ties> parse_ties(const py::object& ties, const std::string& function) {
  if (ties.is_none()) return std::nullopt;
  for (const Ties known : {Ties::kHalf, Ties::kStrict}) {
    if (is(ties, ties_name(known).data())) return known;
  }
  fail_option(function, "ties", ties, "'half', 'strict' or None");
}

std::optional<Side> parse_open(const py::object& open, const std::string& function) {
  if (open.is_none()) return std::nullopt;
  for (const Side known : {Side::kNew, Side::kUnknown}) {
    if (is(open, side_name(known).data())) return known;
    if (py::isinstance<py::int_>(open) && open.equal(py::int_(static_cast<int>(known)))) {
      return known;
    }
  }
  fail_option(function, "open", open, "'new', 'unknown' or None");
}

std::vector<MetricRequest> parse_metrics(const py::object& metrics) {
  std::string names;
  if (py::isinstance<py::str>(metrics)) {
    names = metrics.cast<std::string>();
  } else {
    for (const py::handle name : metrics) {
      if (!py::isinstance<py::str>(name)) {
        fail("metrics", fmt::format("got {}; expected names", std::string(py::repr(name))));
      }
      names += (names.empty() ? "" : ",") + name.cast<std::string>();
    }
  }
  return find_metrics(names);
}

void bind_options(py::module_& m) {
  const EvalOptions defaults;
  py::class_<EvalOptions>(m, "Options", "How to evaluate; see openworld.evaluate.")
      .def(py::init([](const std::string& function, const py::object& ties, const py::object& open,
                       const py::object& ci, const py::object& bootstrap, double level,
                       int resamples, std::int64_t seed, int threads,
                       std::optional<double> threshold, bool grid) {
             if (seed < 0) fail(function, fmt::format("seed is {}; expected 0 or more", seed));
             if (threads < 0) {
               fail(function,
                    fmt::format("threads is {}; expected 0 (every core) or more", threads));
             }
             if (threshold && std::isnan(*threshold)) {
               fail(function, "threshold is NaN; expected a score");
             }
             EvalOptions options;
             options.ties = parse_ties(ties, function);
             options.open = parse_open(open, function);
             options.threshold = threshold;
             options.grid = grid;
             options.ci = parse_ci(ci, function);
             options.bootstrap = {.kind = parse_bootstrap(bootstrap, function),
                                  .level = level,
                                  .resamples = resamples,
                                  .seed = static_cast<std::uint64_t>(seed),
                                  .threads = threads};
             return options;
           }),
           py::arg("function"), py::kw_only(), py::arg("ties") = py::none(),
           py::arg("open") = py::none(), py::arg("ci") = "delong", py::arg("bootstrap") = "bca",
           py::arg("level") = defaults.bootstrap.level,
           py::arg("resamples") = defaults.bootstrap.resamples,
           py::arg("seed") = static_cast<std::int64_t>(defaults.bootstrap.seed),
           py::arg("threads") = defaults.bootstrap.threads, py::arg("threshold") = py::none(),
           py::arg("grid") = defaults.grid);
}

}  // namespace openworld::python
