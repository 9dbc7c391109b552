#include "openworld/cli/openset_lists.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/base/version.h"
#include "openworld/cli/openset_run.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/io/text_lines.h"
#include "openworld/openset/wordnet.h"

namespace openworld {
namespace {

std::string wordnet_folder(const OpenSetFlags& flags) {
  return flags.wordnet.empty() ? kWordNetFolder : flags.wordnet;
}

void print_list(const char* what, const std::vector<std::string>& items, bool json) {
  if (!json) {
    for (const std::string& item : items) print_out("{}\n", item);
    return;
  }
  print_json({{"schema", "openworld.queries/1"},
              {"version", OPENWORLD_VERSION},
              {"kind", what},
              {"queries", items}});
}

std::vector<std::string> class_names(const OpenSetFlags& flags) {
  std::vector<std::string> names;
  if (!flags.data.options.names.empty()) {
    names = read_lines(flags.data.options.names);
  } else if (!flags.texts.empty()) {
    names = load_features(flags.texts, FeatureFile::kQueries).names;
  }
  if (names.empty()) fail("openset", "no class names; expected --names or --texts with names");
  return names;
}

}  // namespace

std::vector<std::string> read_lines(const std::string& path) {
  return read_text_lines({"openset", path});
}

std::vector<std::string> negative_words(const OpenSetFlags& flags, std::size_t count) {
  if (flags.word_list.empty()) return random_words(count);
  const auto list = flags.word_list == "wordnet" ? WordNet(wordnet_folder(flags)).single_words()
                                                 : read_lines(flags.word_list);
  return sample_words(list, count, small_negative_seed(flags));
}

void print_words(const OpenSetFlags& flags) {
  print_list("words", negative_words(flags, flags.print_words), flags.json);
}

void print_siblings(const OpenSetFlags& flags) {
  const std::vector<std::string> names = class_names(flags);
  const auto [siblings, unknown] = siblings_of(WordNet(wordnet_folder(flags)), names);
  if (unknown.size() == names.size()) {
    fail("openset", fmt::format("none of the {} names is a noun of WordNet; the first is '{}'",
                                names.size(), names[0]));
  }
  if (!unknown.empty()) {
    print_note(fmt::format("{} of {} names are not in WordNet, the first is '{}'", unknown.size(),
                           names.size(), unknown[0]));
  }
  print_list("siblings", siblings, flags.json);
}

}  // namespace openworld
