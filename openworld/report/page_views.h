#pragma once

// The sections of the page that its script fills: thresholds, samples, classes, losses.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "openworld/report/named_data.h"
#include "openworld/report/page_data.h"
#include "openworld/report/report_files.h"
#include "openworld/report/run_sections.h"

namespace openworld {

struct ViewOptions {
  std::size_t samples = 0;  // shown of each test set
  NamedData images{};
};

struct ShownSamples {
  std::size_t pictures = 0;
  std::vector<MissingPictures> missing{};
};

// Adds the sections for runs and files, either of which may be absent, and the data to the page. A
// dataset whose images may not or cannot be opened has a sentence in the place of its pictures.
ShownSamples add_views(HtmlPage& page, const ReportContext* runs, std::span<const ReportFile> files,
                       const ViewOptions& options);

}  // namespace openworld
