#pragma once

// Pages and tables from runs and prediction files.
//
// Link openworld::report.

#include "openworld/base/error.h"
#include "openworld/report/report_files.h"
#include "openworld/report/report_page.h"
#include "openworld/report/runs_table.h"
