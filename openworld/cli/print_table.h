#pragma once

// Tables on standard output, in the format of --format, and what else holds for all output.

#include "openworld/report/text_document.h"

namespace openworld {

// How the process prints: --format and --quiet. The library of models has a copy of its own, which
// it is given when it is opened.
struct OutputSettings {
  const TableFormat* format = &table_formats()[0];  // text
  bool quiet = false;                               // no notes and no progress on standard error
};
void set_output(const OutputSettings& settings);
const OutputSettings& output_settings();

// A table in the format of the settings.
void print_table(const TextTable& table);
void print_document(const TextDocument& document);

}  // namespace openworld
