// The table of metrics, for the functions and docstrings that Python makes of its rows.

#include "openworld/metrics/table.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <map>

#include "bind.h"
#include "openworld/base/error.h"
#include "openworld/predictions/predictions.h"
#include "options.h"
#include "table.h"

namespace openworld::python {
namespace {

// Eight samples on which every metric shows what it reads.
struct Probe {
  unsigned right = 0xff;  // a bit per sample
  std::int32_t base_classes = 2;
  std::optional<double> threshold{};

  MetricValue operator()(const MetricRow& row) const {
    static constexpr std::array<std::int8_t, 8> kSide = {0, 0, 0, 1, 1, 1, -1, -1};
    static constexpr std::array kScore = {0.1f, 0.6f, 0.9f, 0.2f, 0.3f, 0.7f, 0.4f, 0.5f};
    static constexpr std::array<std::uint8_t, 8> kOverall = {1, 0, 1, 0, 1, 0, 0, 0};
    static constexpr std::array<std::int32_t, 8> kLabel = {0, 1, 0, 0, 1, 1, 0, 0};
    static constexpr std::array<std::int32_t, 8> kPredicted = {0, 1, 1, 0, 1, 0, 1, 0};
    std::array<std::uint8_t, 8> flags;
    for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = right >> i & 1;
    Outcomes outcomes;
    outcomes.side = kSide;
    outcomes.score = BaseScores::larger_is_base(std::span<const float>(kScore));
    outcomes.correct = flags;
    outcomes.overall_correct = kOverall;
    outcomes.label = kLabel;
    outcomes.predicted = kPredicted;
    outcomes.base_classes = base_classes;
    outcomes.new_classes = 2;
    const RankedScores ranked(outcomes, RankedScores::Keep::kOrder);
    return row.compute(Ranking(ranked), {.params = row.info.params, .threshold = threshold});
  }
};

bool differ(const MetricRow& row, const Probe& a, const Probe& b) {
  const MetricValue x = a(row), y = b(row);
  return x.why != y.why || (x.defined() && x.value != y.value);
}

// The row does not say whether the metric reads options.threshold, or base_classes: ask it.
bool reads_threshold(const MetricRow& row) {
  return differ(row, {.threshold = 0.25}, {.threshold = 0.65});
}

bool reads_base_classes(const MetricRow& row) {
  return differ(row, {}, {.base_classes = 0});
}

const char* rule_name(OpenRule rule) {
  switch (rule) {
    case OpenRule::kNone:
      return "none";
    case OpenRule::kNew:
      return "new";
    case OpenRule::kNewFirst:
      return "new_first";
    case OpenRule::kUnknownFirst:
      return "unknown_first";
  }
  return "";
}

const char* positive_name(Positive positive) {
  return positive == Positive::kNone ? "none" : positive == Positive::kBase ? "base" : "open";
}

py::dict row_dict(const MetricRow& row) {
  const auto count = [&] {
    int holes = 0;
    for (auto at = row.info.name.find("{}"); at != row.info.name.npos;
         at = row.info.name.find("{}", at + 2)) {
      ++holes;
    }
    return holes;
  }();
  py::dict d;
  d["name"] = row.info.name;
  d["aliases"] = row.info.aliases;
  d["family"] = row.info.family;
  d["title"] = metric_title(row.info, row.info.params);
  d["brief"] = row.info.brief;
  d["citation"] = row.info.citation;
  d["higher_is_better"] = row.info.higher_is_better;
  d["positive"] = positive_name(row.positive);
  d["open"] = rule_name(row.open);
  d["ties"] = row.ties ? py::object(py::str(ties_name(*row.ties))) : py::none();
  d["params"] = std::vector<double>(row.info.params.begin(), row.info.params.begin() + count);
  d["needs_correct"] = reads_correct(row);
  d["needs_overall_correct"] = (row.needs & kNeedsOverall) != 0;
  d["needs_label"] = (row.needs & (kNeedsLabel | kNeedsPredicted)) != 0;
  d["needs_predicted"] = (row.needs & kNeedsPredicted) != 0;
  d["takes_base_classes"] = reads_base_classes(row);
  d["takes_threshold"] = reads_threshold(row);
  d["standard"] = row.info.standard;
  d["is_count"] = row.info.is_count;
  return d;
}

const MetricRow& find_row(const std::string& name) {
  const auto table = metric_table();
  const auto it = std::find_if(table.begin(), table.end(),
                               [&](const MetricRow* row) { return row->info.name == name; });
  if (it == table.end()) fail("metrics", fmt::format("no row is named {}", name));
  return **it;
}

bool probe_correct(const MetricRow& row) {
  // Each sample wrong in turn: a flag may matter only through the threshold that it makes best.
  for (unsigned wrong = 1; wrong < 0x100; wrong <<= 1) {
    if (differ(row, {}, {.right = 0xff & ~wrong})) return true;
  }
  return differ(row, {}, {.right = 0}) ||
         differ(row, {.threshold = 0.25}, {.right = 0, .threshold = 0.25});
}

}  // namespace

bool reads_correct(const MetricRow& row) {
  static const auto known = [] {
    std::map<const MetricRow*, bool> reads;
    for (const MetricRow* each : metric_table()) reads[each] = probe_correct(*each);
    return reads;
  }();
  return known.at(&row);
}

void bind_table(py::module_& m) {
  m.def("metric_table", [] {
    py::list rows;
    for (const MetricRow* row : metric_table()) rows.append(row_dict(*row));
    return rows;
  });

  m.def(
      "needs_correct",
      [](const py::object& metrics) {
        const auto requests = parse_metrics(metrics);
        return std::any_of(requests.begin(), requests.end(),
                           [](const MetricRequest& r) { return reads_correct(*r.row); });
      },
      py::arg("metrics"), "Whether any of the metrics reads correct.");

  m.def(
      "metric",
      [](const Predictions& predictions, const std::string& row_name,
         const std::vector<double>& params, const py::object& ties, const py::object& open,
         std::optional<double> threshold, bool grid) {
        const MetricRow& row = find_row(row_name);
        MetricRequest request{&row, row.info.params, ""};
        std::copy_n(params.begin(), std::min(params.size(), request.params.size()),
                    request.params.begin());
        request.name = metric_name(row.info, request.params);
        const MetricOptions options{.ties = parse_ties(ties, request.name),
                                    .open = parse_open(open, request.name),
                                    .params = request.params,
                                    .threshold = threshold,
                                    .grid = grid};
        const py::gil_scoped_release release;
        const RankedScores ranked(predictions.outcomes(), keep_for({&request, 1}));
        const MetricValue value = row.compute(Ranking(ranked), options);
        if (!value.defined()) fail(request.name, "undefined: " + value.why);
        return value.value;
      },
      py::arg("predictions"), py::arg("row"), py::arg("params"), py::arg("ties") = py::none(),
      py::arg("open") = py::none(), py::arg("threshold") = py::none(), py::arg("grid") = false,
      "The value of one metric; ValueError with the reason where it is undefined.");
}

}  // namespace openworld::python
