#pragma once

// The tables of a study in the formats of `openworld study table`.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/report/table_format.h"
#include "openworld/studies/study_table.h"

namespace openworld {

// The tables in one of table_formats(), with captions and notes; csv has a line for each value,
// with fractions as results have them.
std::string study_tables_text(std::span<const StudyTable> tables, const TableFormat& format);

// Schema "openworld.study_table/1", without the cost.
nlohmann::ordered_json study_tables_json(std::span<const StudyTable> tables);

// "61.20", "+0.0123", "-" where it is undefined, "" where it was never planned, "(2/3)" where only
// so many cells are done and no value is shown.
std::string table_value_text(const TableColumn& column, const StudyValue& value);
// "±1.10", half the width of the interval; "" where there is none.
std::string table_reach_text(const TableColumn& column, const StudyValue& value);
// "(2/3)": a value is of so many cells; "" for a complete one.
std::string table_count_text(const StudyValue& value);

// What ± means: "± is half the 95 % interval over seeds (Student's t)"; "" without intervals.
std::string interval_note(const StudyTable& table);
// What the marks `better` and `worse` mean; "" without tests.
std::string test_note(const StudyTable& table, const std::string& better, const std::string& worse);

}  // namespace openworld
