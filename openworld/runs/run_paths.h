#pragma once

// Where the files that a run names are now.
//
// run.json keeps paths as they were given, most of them relative to a working folder. paths.json,
// written beside it, says which folder that was and where the run lay: schema "openworld.paths/1".
// So a run can be used from another working folder, and after it, or it and its data, was moved. No
// result depends on this file; earlier runs have none.

#include <string>
#include <string_view>
#include <vector>

#include "openworld/runs/run_folder.h"

namespace openworld {

// Throws Error as [function].
void write_run_paths(const RunFolder& run, std::string_view function);

// The places where `path` of the run's spec may be now, the likeliest first, each once: as it is,
// which may be the name of something bundled; from the folder that the run was started in; as far
// from the run as it was then; from the folders above the run. All but the first exist. Whoever
// takes one checks that it is the right one. Throws Error as [function] for a paths.json that is
// not one.
std::vector<std::string> path_candidates(const RunFolder& run, const std::string& path,
                                         std::string_view function);

// The first of them that exists, else `path`.
std::string find_path(const RunFolder& run, const std::string& path, std::string_view function);

// The spec with which a run whose spec was `was` goes on if it is asked for as `now`: `now` with
// the paths of `was`, where both name the same. Weights are the same if their SHA-256 is;
// everything else if it is one file or folder, however it is spelled: ./x, x/, absolute or through
// a symlink. Throws Error, saying what stands in `origin`, where the two are different runs.
RunSpec resumed_spec(const RunFolder& run, const RunSpec& was, RunSpec now, const Origin& origin);

}  // namespace openworld
