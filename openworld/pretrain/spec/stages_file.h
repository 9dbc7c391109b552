#pragma once

// A training in stages, as a JSON file describes it:
//
//   {"sources": {"icons": {"data": "icons/mono", "augment": "redraw", "outline": 0.5},
//                "drawings": {"data": "doodles", "unnamed": true, "views": 2}},
//    "stages": [{"name": "words", "lock": "text", "pairs": 0, "words": 1, "agreement": 0.3,
//                "steps": 20000, "batch": 120, "sources": {"icons": 0.8, "drawings": 0.2}},
//               {"name": "text", "lock": "image", "texts": 1, "reuse": 10}]}
//
// Keys of a source are data, split, image_root, class_names, format, allow_duplicate_names and
// those of SourceOptions; of a stage name, sources (names with weights; absent: all, by their
// numbers of pairs) and those of PretrainOptions. What is absent is as in the spec it is read into.

#include <string>

#include "openworld/pretrain/spec/pretrain_spec.h"

namespace openworld {

// Sets the sources and stages of `spec`. Throws Error that names the key.
void read_stages(const std::string& path, PretrainSpec& spec);

}  // namespace openworld
