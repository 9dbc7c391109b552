#pragma once

// What requests of `tune` and of `osr train` take from a cell of a study alike.

#include <fmt/format.h>

#include <cstdint>

#include "openworld/runs/run_folder.h"
#include "openworld/studies/cell_runner.h"

namespace openworld {

// Sets label, options, the reading of data, splits and the run; not the path of the data.
template <class Request>
void set_from_cell(Request& request, const Cell& cell, const CellContext& context) {
  // A cell that was begun keeps the label that it has: a plan may change it, and resume.
  const RunFolder folder(context.folder);
  request.label = folder.is_run() ? folder.spec("study").label : cell.learner.label;
  for (const auto& [name, value] : cell.learner.options) {
    request.options.push_back(fmt::format("{}={}", name, option_text(value)));
  }
  request.data.options.image_root = cell.data.image_root;
  request.data.options.names = cell.data.names;
  request.data.options.format = cell.data.format;
  request.data.options.allow_duplicate_names = cell.data.allow_duplicate_names;
  request.train_split = cell.data.train_split;
  request.test_split = cell.data.test_split;
  request.test_data = cell.data.test_data;
  request.runs = {{static_cast<std::uint64_t>(cell.seed), context.folder}};
}

}  // namespace openworld
