#pragma once

// Prompt templates: sentences with {} where the class name goes.
//
// The sets are those of the papers, by name; a file gives any other. Zero-shot accuracy moves by
// several points with the choice (LoCoOp issue 2), so results should name the set or keep the text.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace openworld {

struct TemplateSet {
  std::string name;         // "imagenet80"
  std::string description;  // one line
  std::string source;       // where the sentences come from
  std::vector<std::string> templates;
};

// Every named set: photo, select7, imagenet80, promptsrc60, doodles7, and one for each dataset of
// CoOp.
const std::vector<TemplateSet>& template_sets();

// The set of that name, regardless of case, '-' and '_'; Error lists the names there are.
const TemplateSet& find_template_set(std::string_view name);

// The method whose hand-written template is used; they differ for a few datasets.
enum class TemplateStyle {
  kCoop,    // also DeCoOp and GMoP
  kKgCoop,  // also DePT
  kTcp,     // the teacher of TCP
  kProGrad,
};

// The one sentence that a method takes for a dataset of CoOp: ("OxfordPets", kCoop) gives
// "a photo of a {}, a type of pet.". Error for a dataset that is not known.
std::string custom_template(std::string_view dataset, TemplateStyle style = TemplateStyle::kCoop);

// The same, or nothing for a dataset that is not known.
std::optional<std::string> find_custom_template(std::string_view dataset, TemplateStyle style);

// One template a line; empty lines are skipped, "{c}" is taken for "{}" as CLIP_benchmark writes
// it. Error naming file and line for one without a place for the name.
std::vector<std::string> load_templates(const std::string& path);

// Resolves a user's "templates": a template (with {} or {c}), a file, or the name of a
// set. Throws Error if it is none of these.
std::vector<std::string> resolve_templates(const std::string& text);

// `text` with the name in place of every {}.
std::string fill(std::string_view text, std::string_view name);

// Throws Error as [function] if the names in the templates are more than 2,000,000 texts or 128
// MiB.
void expect_few_texts(std::span<const std::string> names, std::span<const std::string> templates,
                      std::string_view function);

// "american_bulldog" as people write it: underscores become spaces. Every method does so but RPO.
std::string spaced(std::string_view name);

}  // namespace openworld
