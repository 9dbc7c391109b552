#pragma once

// The tables of an open-set test, which `openworld openset` prints and pages show. Numbers are in
// percent, with their intervals in brackets.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "openworld/openset/open_set_report.h"
#include "openworld/report/html_page.h"
#include "openworld/report/text_table.h"

namespace openworld {

struct OpenSetTable {
  std::vector<std::string> header;
  std::vector<std::vector<HtmlTable::Cell>> rows;

  TextTable text() const;
  HtmlTable html() const;
};

// A value with its interval. The hint says how the interval was found, or why there is no value.
HtmlTable::Cell metric_cell(const MeasuredValue& metric);

// Measures as rows, metrics as columns. `heading` says what they are measured against.
OpenSetTable measures_table(std::string heading, const std::vector<MeasureResult>& results);

// One measure over the numbers of further queries. REQUIRES: there are some.
OpenSetTable further_queries_table(const OpenSetReport& report, std::size_t measure);

// One measure over the sizes of query sets. REQUIRES: there are some.
OpenSetTable growth_table(const OpenSetReport& report, std::size_t measure);

// Paired differences, a row for each pair and metric. REQUIRES: there are pairs.
OpenSetTable pairs_table(const OpenSetReport& report);

// "negative queries" or "more classes", whatever the further queries are.
std::string further_queries_text(const OpenSetReport& report);

// The name of a further query, or "query 7" past the end of `names`.
std::string further_query_name(std::size_t query, std::span<const std::string> names);

}  // namespace openworld
