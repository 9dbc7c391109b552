#pragma once

// The template that names of another dataset are put in: its own, or that of the source.

#include "openworld/base/option_list.h"

namespace openworld {

enum class NameTemplates { kOwn, kSource };

inline void declare_templates(OptionList& list, NameTemplates& templates) {
  list.add("templates", templates,
           {{"own", NameTemplates::kOwn}, {"source", NameTemplates::kSource}},
           "template of the other dataset's names: its own, or the source's");
}

// The dataset whose template names of `dataset` get.
inline std::size_t template_of(NameTemplates templates, std::size_t dataset) {
  return templates == NameTemplates::kOwn ? dataset : 0;
}

}  // namespace openworld
